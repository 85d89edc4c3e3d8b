package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The two joiners, without which Persian, the scripts of India and many emoji
// are misspelt.
const (
	nonJoiner = 0x200C
	joiner    = 0x200D
)

// Clean removes invisible characters and those that change the direction of text: they
// hide words from people, or show words that are not there. Joiners stay where a script or
// an emoji needs them, and so do the tags of a flag. Line breaks, tabs and other controls
// stay, too. Cleaning a prefix of a text gives a prefix of the cleaned text.
func Clean(s string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return suspect(r) || r == utf8.RuneError })
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var before rune // the last one kept
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case !suspect(r):
			b.WriteString(s[i : i+size])
			if n := flag(r, rest); n > 0 {
				b.WriteString(rest[:n])
				size += n
			}
		case joins(before, r, rest):
			b.WriteString(s[i : i+size])
		default:
			i += size
			continue
		}
		before = r
		i += size
	}
	return b.String()
}

// suspect reports whether r is invisible by itself.
func suspect(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0: // fillers, which are letters by class
		return true
	case isSelector(r), r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && (r < 0x13430 || r > 0x1343F)
}

// isSelector reports whether r chooses how the character before it looks.
func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180F && r != 0x180E
}

// joins reports whether the invisible r rightly changes the look of its neighbors; before
// is 0 at the beginning of a text.
func joins(before, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == joiner || r == nonJoiner:
		return rest != "" && joinable(before) && joinable(next)
	case r >= 0xE0100 && r <= 0xE01EF:
		return unicode.Is(unicode.Han, before)
	case isSelector(r):
		return before > ' ' && !suspect(before) && (!unicode.IsLetter(before) || before > 0x2FF)
	case r == 0x115F || r == 0x1160:
		return unicode.Is(unicode.Hangul, before) || unicode.Is(unicode.Hangul, next) && !suspect(next)
	}
	return false
}

// joinable reports whether r is of a script that is written with joiners, or part of
// an emoji.
func joinable(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk, unicode.M) || isSelector(r) || r == 0x2640 || r == 0x2642 ||
		unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul,
			unicode.Hiragana, unicode.Katakana)
}

// blackFlag and cancelTag enclose the tags of a region's flag.
const (
	blackFlag = 0x1F3F4
	cancelTag = 0xE007F
)

// flag returns how many bytes of rest are the tags that turn a black flag into a
// region's: two letters of a country and one to three of a part of it.
func flag(r rune, rest string) (bytes int) {
	if r != blackFlag {
		return 0
	}
	tags := 0
	for i, t := range rest {
		switch {
		case t == cancelTag && tags >= 3:
			return i + utf8.RuneLen(t)
		case tags < 6 && (t >= 0xE0061 && t <= 0xE007A || tags >= 2 && t >= 0xE0030 && t <= 0xE0039):
			tags++
		default:
			return 0
		}
	}
	return 0
}

// Line makes a text fit for one line of a list: valid, without control
// characters, on one line.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return strings.Join(strings.Fields(s), " ")
}
