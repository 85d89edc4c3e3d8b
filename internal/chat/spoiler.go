package chat

import "strings"

// CloseSpoilers closes a spoiler at the end of every block it goes through and
// reopens it in the next, for platforms where a spoiler stays within one block.
// Blocks of code are left as they are.
func CloseSpoilers(text string) string {
	if strings.Count(text, "||") < 2 || !strings.Contains(text, "\n") {
		return text
	}
	lines := outline(text)
	_, spoilers := marks(text, lines)
	var b strings.Builder
	at, i := 0, 0
	put := func(to int) {
		b.WriteString(text[at:to] + "||")
		at = to
	}
	for _, s := range spoilers {
		for ; i < len(lines) && lines[i].end < s.end; i++ {
			l, next := lines[i], lines[i+1]
			if l.start > s.start && l.fence == nil && l.kind != lineBlank && (l.kind == lineBlock || lines[i-1].kind == lineBlank) {
				put(l.body)
			}
			if l.end > s.start && l.fence == nil && l.kind != lineBlank && next.kind != linePlain {
				put(l.end)
			}
		}
		if l := lines[min(i, len(lines)-1)]; l.start > s.start && l.fence == nil && (l.kind == lineBlock || lines[i-1].kind == lineBlank) {
			put(l.body)
		}
	}
	return b.String() + text[at:]
}
