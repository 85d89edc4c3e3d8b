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

// kindOf removes the mark from an answer; end is zero if there is none.
func kindOf(answer string) (end chat.End, rest string) {
	trimmed := strings.TrimLeft(answer, " \t\r\n")
	for _, k := range kinds {
		if len(trimmed) < len(k.mark) || !strings.EqualFold(trimmed[:len(k.mark)], k.mark) {
			continue
		}
		rest = trimmed[len(k.mark):]
		if rest == "" || strings.ContainsAny(rest[:1], " \t\r\n") { // [ask](…) is a link
			return k.end, strings.TrimLeft(rest, " \t\r\n")
		}
	}
	return chat.End{}, answer
}

// mayBeKind reports whether an answer so far may be the beginning of a mark.
func mayBeKind(answer string) bool {
	answer = strings.TrimLeft(answer, " \t\r\n")
	for _, k := range kinds {
		if len(answer) <= len(k.mark) && strings.EqualFold(answer, k.mark[:len(answer)]) {
			return true
		}
	}
	return false
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
