package agent

import (
	"strings"

	"parley/internal/chat"
	"parley/internal/playbook"
)

// kinds are the marks with which a model labels its answer, as rules.md asks: they stand
// first, and are removed before anybody reads them. No mark means a plain answer.
var kinds = []struct {
	mark string
	end  chat.End
	is   string // the intent
}{
	{"[ask]", chat.End{Outcome: chat.Asked, Reason: chat.Unclear}, "something unclear"},
	{"[out of scope]", chat.End{Outcome: chat.Refused, Reason: chat.OutOfScope}, "something out of scope"},
	{"[unsafe]", chat.End{Outcome: chat.Refused, Reason: chat.Unsafe}, "something unsafe"},
}

// kindOf removes the marks from the beginning of an answer, however they are set; end is of
// the first one, zero if there is none.
func kindOf(answer string) (end chat.End, rest string) {
	end, rest, _ = marks(answer)
	return end, rest
}

// mayBeKind reports whether an answer so far may go on with a mark, or end one.
func mayBeKind(answer string) bool {
	_, _, open := marks(answer)
	return open
}

const (
	blank = " \t\r\n"
	apart = blank + ":：–—" // stands between a mark and the answer
)

// marks is kindOf; open is true if more text may change what it says.
func marks(answer string) (end chat.End, rest string, open bool) {
	for rest = answer; ; {
		is, after, more := firstMark(rest)
		if more || is == (chat.End{}) {
			return end, rest, more
		}
		if rest = after; end == (chat.End{}) {
			end = is
		}
	}
}

// firstMark finds the mark that a text begins with, perhaps in bold or as code, and what
// comes behind it.
func firstMark(text string) (is chat.End, rest string, open bool) {
	text = strings.TrimLeft(text, blank)
	bare := strings.TrimLeft(text, "*_`")
	style := text[:len(text)-len(bare)]
	if len(style) > 3 {
		return is, "", false
	}
	for _, k := range kinds {
		n := min(len(bare), len(k.mark))
		switch {
		case !strings.EqualFold(bare[:n], k.mark[:n]):
		case n < len(k.mark):
			return is, "", true
		default:
			return behind(k.end, bare[n:], style)
		}
	}
	return is, "", false
}

// behind returns what comes behind a mark whose setting began with style.
func behind(is chat.End, rest, style string) (chat.End, string, bool) {
	if strings.HasPrefix(rest, "(") { // [ask](…) is a link
		return chat.End{}, "", false
	}
	if strings.HasPrefix(rest, "[") { // so is [ask][1]
		if next, _, open := firstMark(rest); next == (chat.End{}) {
			return chat.End{}, "", open
		}
	}
	rest = strings.TrimLeft(rest, apart)
	switch {
	case style == "":
		return is, rest, false
	case strings.HasPrefix(rest, style):
		return is, strings.TrimLeft(rest[len(style):], apart), false
	case strings.HasPrefix(style, rest): // it may end here
		return is, "", rest != ""
	}
	return is, style + rest, false // more than the mark is set so
}

// meant returns the intent that goes with the model's mark.
func meant(end chat.End) string {
	for _, k := range kinds {
		if k.end == end {
			return k.is
		}
	}
	return "an answer"
}

// guided returns how a message ends that the playbook answers.
func guided(kind playbook.Kind) chat.End {
	switch kind {
	case playbook.Asks:
		return chat.End{Outcome: chat.Asked, Reason: chat.Missing}
	case playbook.OutOfScope:
		return chat.End{Outcome: chat.Refused, Reason: chat.OutOfScope}
	case playbook.Unsafe:
		return chat.End{Outcome: chat.Refused, Reason: chat.Unsafe}
	}
	return chat.End{Outcome: chat.Answered}
}

// ends decides how a turn with an answer of this kind ends: as the model says or, if it says
// nothing, the playbook. The outcome of a person's yes or no stays.
func (g *guidance) ends(kind chat.End) chat.End {
	if g.report.well.Outcome != chat.Answered {
		return g.report.well
	}
	ruled := guided(g.Kind)
	if kind.Outcome == "" || kind.Outcome == ruled.Outcome {
		return ruled
	}
	return kind
}
