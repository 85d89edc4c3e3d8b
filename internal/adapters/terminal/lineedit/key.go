package lineedit

import (
	"strings"
	"unicode/utf8"
)

// Key is one thing that was done at the keyboard.
type Key struct {
	Code Code
	Text string // what was typed or pasted; "" for the others
}

// Code is what a Key means.
type Code int

// The keys. What has several names in shells has one here.
const (
	Ignored   Code = iota // a key that means nothing
	Typed                 // a character, or several
	Pasted                // a whole block; it may have line breaks
	Enter                 // ends the line
	Break                 // a line break within it: Alt-Enter, Ctrl-J
	Back                  // Backspace
	Delete                // the character after the cursor
	Left                  // one character
	Right                 // one character
	WordLeft              // Alt-B, Ctrl-Left
	WordRight             // Alt-F, Ctrl-Right
	Home                  // of the row of text
	End                   // of the row of text
	Up                    // a row, or the line before
	Down                  // a row, or the next line
	Tab                   // completes
	BackTab               // goes back in what may complete
	KillEnd               // Ctrl-K
	KillStart             // Ctrl-U
	KillWord              // Ctrl-W
	KillNext              // Alt-D
	Yank                  // Ctrl-Y
	Swap                  // Ctrl-T
	Search                // Ctrl-R
	Clear                 // Ctrl-L
	Cancel                // Ctrl-C
	Leave                 // Ctrl-D
	Escape                // Esc, Ctrl-G
)

// What terminals send around a pasted block once they are asked to.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// controls are the keys that are one byte.
var controls = map[byte]Code{
	0x01: Home, 0x02: Left, 0x03: Cancel, 0x04: Leave, 0x05: End, 0x06: Right, 0x07: Escape, 0x08: Back, 0x09: Tab,
	0x0a: Enter, 0x0b: KillEnd, 0x0c: Clear, 0x0d: Enter, 0x0e: Down, 0x10: Up, 0x12: Search, 0x14: Swap,
	0x15: KillStart, 0x17: KillWord, 0x19: Yank, 0x7f: Back,
}

// sequences are the keys that begin with Esc, as the usual terminals send them.
var sequences = map[string]Code{
	"[A": Up, "[B": Down, "[C": Right, "[D": Left, "[H": Home, "[F": End, "[Z": BackTab,
	"OA": Up, "OB": Down, "OC": Right, "OD": Left, "OH": Home, "OF": End, "OM": Enter,
	"[1~": Home, "[7~": Home, "[4~": End, "[8~": End, "[3~": Delete,
	"[1;5C": WordRight, "[1;3C": WordRight, "[5C": WordRight, "[1;5D": WordLeft, "[1;3D": WordLeft, "[5D": WordLeft,
	"[3;5~": KillNext, "[3;3~": KillNext, "[13;2u": Break, "[27;2;13~": Break,
	"b": WordLeft, "B": WordLeft, "f": WordRight, "F": WordRight, "d": KillNext, "D": KillNext,
	"\x7f": KillWord, "\x08": KillWord, "\r": Break, "\n": Break,
}

// Decoder turns what a terminal sends into keys. Its zero value is ready.
type Decoder struct {
	held    []byte // the beginning of a key
	pasting bool
}

// Held reports whether a key has begun. If nothing follows within some 50 ms,
// Flush tells which it is.
func (d *Decoder) Held() bool { return len(d.held) > 0 && !d.pasting }

// Feed takes bytes in pieces of any size and returns the keys that are complete.
func (d *Decoder) Feed(in []byte) (keys []Key) {
	d.held = append(d.held, in...)
	for len(d.held) > 0 {
		k, n := d.next()
		if n == 0 {
			break
		}
		d.held = d.held[n:]
		keys = join(keys, k)
	}
	if len(d.held) == 0 {
		d.held = nil // a large paste is not kept
	}
	return keys
}

// join puts characters that were typed in a row into one key: what people see as
// one character may be several.
func join(keys []Key, k Key) []Key {
	if last := len(keys) - 1; last >= 0 && k.Code == Typed && keys[last].Code == Typed {
		keys[last].Text += k.Text
		return keys
	}
	return append(keys, k)
}

// Flush gives up waiting for the rest of a key.
func (d *Decoder) Flush() []Key {
	if !d.Held() {
		return nil
	}
	alone := len(d.held) == 1 && d.held[0] == 0x1b
	d.held = nil
	if alone {
		return []Key{{Code: Escape}}
	}
	return nil
}

// next reads the first key of what is held; n is 0 while it is not complete.
func (d *Decoder) next() (k Key, n int) {
	if d.pasting {
		return d.pasted()
	}
	c := d.held[0]
	if c == 0x1b {
		return d.escaped()
	}
	if code, ok := controls[c]; ok {
		return Key{Code: code}, 1
	}
	if c < 0x20 {
		return Key{}, 1
	}
	if !utf8.FullRune(d.held) {
		return Key{}, 0
	}
	r, n := utf8.DecodeRune(d.held)
	return Key{Code: Typed, Text: string(r)}, n
}

// pasted reads until the end of a pasted block.
func (d *Decoder) pasted() (Key, int) {
	at := strings.Index(string(d.held), pasteEnd)
	if at < 0 {
		return Key{}, 0
	}
	d.pasting = false
	return Key{Code: Pasted, Text: plain(string(d.held[:at]))}, at + len(pasteEnd)
}

// plain is what of a paste is text.
func plain(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// longest is how long a key may be, in bytes, before it is given up as noise.
const longest = 64

// escaped reads a key that begins with Esc.
func (d *Decoder) escaped() (Key, int) {
	rest := string(d.held[1:])
	switch {
	case rest == "":
		return Key{}, 0
	case strings.HasPrefix(string(d.held), pasteStart):
		d.pasting = true
		return Key{}, len(pasteStart)
	case rest[0] == 0x1b: // Esc twice
		return Key{Code: Escape}, 1
	}
	end := 0
	switch rest[0] {
	case '[':
		for i := 1; i < len(rest); i++ {
			if c := rest[i]; c >= 0x40 && c <= 0x7e {
				end = i + 1
				break
			}
		}
	case 'O':
		end = 2
	default:
		end = 1
	}
	if end == 0 || end > len(rest) {
		if len(d.held) > longest {
			return Key{}, len(d.held)
		}
		return Key{}, 0
	}
	return Key{Code: sequences[rest[:end]]}, end + 1
}
