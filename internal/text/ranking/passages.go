package ranking

import (
	"strings"
	"unicode/utf8"
)

// A text of up to wholeText runes is one passage; longer ones are cut into passages of
// about passageText runes, so that one long answer does not take the room of ten.
const (
	wholeText   = 1000
	passageText = 600
)

// Span is a part of a text, from byte to byte.
type Span struct{ From, To int }

// Passages cuts a text where paragraphs, lines, list items, sentences or, if need be, words
// end. The spans follow each other and cover the text.
func Passages(said string) []Span {
	if len(said) <= wholeText || utf8.RuneCountInString(said) <= wholeText {
		return []Span{{0, len(said)}}
	}
	var list []Span
	for from := 0; from < len(said); {
		end := from + border(said[from:])
		list = append(list, Span{from, end})
		from = end
	}
	return list
}

// border returns where the first passage of a text ends: at the strongest border between
// half of passageText and wholeText.
func border(said string) int {
	least, most := runes(said, passageText/2), runes(said, passageText)
	if most >= len(said) || utf8.RuneCountInString(said[most:]) < passageText/2 {
		if utf8.RuneCountInString(said) <= wholeText {
			return len(said)
		}
	}
	for _, mark := range []string{"\n\n", "\n", ". ", "! ", "? ", "。", "！", "？", "; ", ", ", "，", "、", " "} {
		if i := strings.LastIndex(said[least:most], mark); i >= 0 {
			return least + i + len(mark)
		}
	}
	return most
}

// runes returns how many bytes the first n runes of a text take.
func runes(said string, n int) int {
	for i := range said {
		if n == 0 {
			return i
		}
		n--
	}
	return len(said)
}
