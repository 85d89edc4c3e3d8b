package terminal

import "strings"

// keys filters what a terminal sends on its way to the line editor: a pasted
// block becomes one line with its breaks made visible, and Ctrl-C during an
// answer is taken out.
type keys struct {
	pasting bool
	cr      bool   // the last pasted byte was a carriage return
	held    []byte // the beginning of what may become a mark
}

// The terminal's bracketed paste: how to ask for it, and what it sends around a
// pasted block.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	ctrlC      = 0x03
)

// The signs for a line break and a tab of a paste while the line is edited.
const (
	breakSign = "␤"
	tabSign   = "␉"
)

var unfold = strings.NewReplacer(breakSign, "\n", tabSign, "\t").Replace

// feed takes bytes in any pieces and returns those for the line editor.
// interrupted is called when Ctrl-C was pressed while busy.
func (k *keys) feed(in []byte, busy bool) (out []byte, interrupted bool) {
	for _, c := range in {
		if len(k.held) > 0 || c == 0x1b {
			if c == 0x1b {
				out, k.held = append(out, k.held...), k.held[:0]
			}
			k.held = append(k.held, c)
			switch held := string(k.held); {
			case held == pasteStart, held == pasteEnd:
				k.pasting, k.held = held == pasteStart, k.held[:0]
			case !strings.HasPrefix(pasteStart, held) && !strings.HasPrefix(pasteEnd, held):
				out, k.held = append(out, k.held...), k.held[:0]
			}
			continue
		}
		switch {
		case k.pasting:
			out = append(out, k.pasted(c)...)
		case c == ctrlC && busy:
			interrupted = true
		default:
			out = append(out, c)
		}
	}
	return out, interrupted
}

// rest gives up waiting for the rest of a mark: the Escape key was pressed.
func (k *keys) rest() []byte {
	out := append([]byte(nil), k.held...)
	k.held = k.held[:0]
	return out
}

func (k *keys) pasted(c byte) []byte {
	afterCR := k.cr
	k.cr = c == '\r'
	switch {
	case c == '\n' && afterCR:
		return nil
	case c == '\n' || c == '\r':
		return []byte(breakSign)
	case c == '\t':
		return []byte(tabSign)
	case c < 0x20 || c == 0x7f:
		return nil
	}
	return []byte{c}
}
