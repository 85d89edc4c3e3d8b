package agent

import (
	"regexp"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text"
)

const wordsStopped = "Stopped."

type preview struct {
	*job
	links   *links
	trust   *trust
	sources *sources
	guide   *guidance
	written
}

// written is an answer so far. Adding a word does not copy the whole.
type written struct {
	said  []byte // by the model, so far
	safe  string // the whole words of it, with addresses checked
	rest  string // the unfinished word
	shown []byte // to the person
	head  string // its beginning, while that may be the mark of a kind
	begun bool   // it is not
}

// show streams text to the person: whole words where addresses are checked, and marks only
// as they will stand in the answer.
func (g *preview) show(delta string) {
	if len(g.guide.Enforced)+len(g.guide.Composed) > 0 { // nothing is shown unchecked
		return
	}
	if delta == llm.RetryText {
		g.hush()
		return
	}
	if delta = g.opening(delta); delta == "" {
		return
	}
	g.said = append(g.said, delta...)
	if !g.trust.guarded() && !g.sources.cites() {
		g.shown = append(g.shown, delta...)
		g.w.Text(delta)
		return
	}
	g.rest += delta
	end := strings.LastIndexAny(g.rest, " \n\t") + 1
	if g.sources.cites() {
		end = settled(g.rest, end)
	}
	if end == 0 {
		return
	}
	word := g.links.defanged(g.rest[:end])
	g.safe, g.rest = g.safe+word, g.rest[end:]
	shown := string(g.shown)
	now := shown + word
	if g.sources.cites() && strings.ContainsAny(word, marking) {
		now, _, _ = g.sources.checked(text.Clean(g.safe))
	}
	more, extends := strings.CutPrefix(now, shown)
	if !extends {
		g.w.Reset()
		more = now
	}
	if g.shown = []byte(now); more != "" {
		g.w.Text(more)
	}
}

// opening returns what may be shown of a delta: never the mark of a kind, and nothing until
// it is known whether the answer begins with one.
func (g *preview) opening(delta string) string {
	if g.begun {
		return delta
	}
	g.head += delta
	_, rest := kindOf(g.head)
	if rest == "" || mayBeKind(g.head) {
		return ""
	}
	g.begun = true
	return rest
}

// marking are the characters that marks of sources end with.
const marking = "]】］〕〗⟧)>⁰¹²³⁴⁵⁶⁷⁸⁹:"

var (
	openMark = text.Pattern(`\s*[\[【［〔〖⟦(][^\]】］〕〗⟧)\n]{0,60}$`)
	lastMark = text.Pattern(`\s*(?:[\[【［〔〖⟦][^\]】］〕〗⟧\n]{1,60}[\]】］〕〗⟧]+[,\s]*)+$`)
)

// settled returns how much of a text may be shown: it stops before a mark that is unfinished
// or that others may follow.
func settled(text string, end int) int {
	end = len(strings.TrimRight(text[:end], " \n\t")) // removing a mark removes the space before it
	for _, pattern := range []*regexp.Regexp{openMark(), lastMark()} {
		if at := pattern.FindStringIndex(text[:end]); at != nil {
			end = at[0]
		}
	}
	return end
}

// hush removes what was shown because the model started over.
func (g *preview) hush() {
	g.written = written{}
	g.w.Reset()
}

// stopped ends a turn that its person stopped, and keeps what they have read.
func (t *turn) stopped(why chat.Reason) chat.Answer {
	said := strings.TrimSpace(text.Clip(string(t.preview.said), maxAnswer))
	if said == "" {
		return t.finish(t.report.withDone(t.in.p, t.in.p.Text(wordsStopped)), chat.End{Outcome: chat.Stopped, Reason: why})
	}
	t.report.worded = true
	said = closedFence(t.links.defanged(said))
	return t.finish(t.report.withDone(t.in.p, said+"\n\n"+t.in.p.Text("(stopped)")), chat.End{Outcome: chat.Stopped, Reason: why})
}

var fence = text.Pattern("^ {0,3}(`{3,}|~{3,})([^\n]*)")

// closedFence closes a code block that a text ends in.
func closedFence(text string) string {
	open := ""
	for line := range strings.Lines(text) {
		m := fence().FindStringSubmatch(line)
		switch {
		case m == nil:
		case open == "":
			open = m[1]
		case strings.HasPrefix(m[1], open) && strings.TrimSpace(m[2]) == "":
			open = ""
		}
	}
	if open == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n" + open
}
