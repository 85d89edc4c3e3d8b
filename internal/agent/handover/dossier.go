package handover

import (
	"cmp"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory/handoff"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// How much the desk is shown of a conversation.
const (
	maxRead  = 60   // lines of the session that are looked at
	maxWords = 6    // messages of the person
	maxLine  = 1000 // characters of each
	maxFile  = 8 << 20
	maxFiles = 4
)

func takeButton(p catalog.Printer, id int64) chat.Button {
	return chat.Button{Label: p.Text("Take"), Data: fmt.Sprintf("/handoff take %d", id)}
}

func backButton(p catalog.Printer, id int64) chat.Button {
	return chat.Button{Label: p.Text("Give back"), Data: fmt.Sprintf("/handoff back %d", id)}
}

func bothButtons(p catalog.Printer, id int64) [][]chat.Button {
	return [][]chat.Button{{takeButton(p, id), backButton(p, id)}}
}

func shown(said string) string {
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		lines[i] = text.Literal(line)
	}
	return strings.Join(lines, "\n")
}

func named(u chat.User) string {
	if u.Name != "" {
		return text.Literal(text.Shorten(u.Name, 60))
	}
	return text.Literal(u.ID)
}

// dossier is what the desk gets first.
type dossier struct {
	m     chat.Message
	h     tools.HandOver
	words []string
	calls []handoff.Attempt
}

func (f dossier) text(p catalog.Printer, id int64) string {
	place := "in a group"
	if f.m.Direct {
		place = "in a direct chat"
	}
	var b strings.Builder
	b.WriteString(p.Say("**%s** (%s, %s) asks for a person. Conversation %d.", named(f.m.From), text.Literal(f.m.From.ID), p.Text(place), id) + "\n")
	reason := "."
	if f.h.Reason != "" {
		reason = ": " + shown(text.Shorten(f.h.Reason, maxLine))
	}
	b.WriteString(p.Say("Asked by %s%s", text.Literal(f.h.By.In(p)), reason) + "\n")
	if len(f.words) > 0 {
		b.WriteString("\n" + p.Text("What they wrote:") + "\n")
		for _, w := range f.words {
			b.WriteString("- " + strings.ReplaceAll(shown(text.Shorten(w, maxLine)), "\n", "\n  ") + "\n")
		}
	}
	if len(f.calls) > 0 {
		b.WriteString("\n" + p.Text("What was tried:") + "\n")
		for _, c := range f.calls {
			b.WriteString("- " + text.Literal(strings.ReplaceAll(c.Tool, "_", " ")) + ": " +
				text.Literal(strings.ToLower(strings.ReplaceAll(cmp.Or(c.Class, c.Status), "_", " "))) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}
