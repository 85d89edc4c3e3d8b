package agent

import (
	"strings"

	"parley/internal/chat"
	"parley/internal/playbook"
)

// kinds are the marks with which a model says what its answer is, as rules.md
// asks it to: the first thing in the answer, and taken off before anybody reads
// it. An answer without one is an answer.
var kinds = []struct {
	mark string
	end  chat.End
	is   string // the intent
}{
	{"[ask]", chat.End{Outcome: chat.Asked, Reason: chat.Unclear}, "something unclear"},
	{"[out of scope]", chat.End{Outcome: chat.Refused, Reason: chat.OutOfScope}, "something out of scope"},
	{"[unsafe]", chat.End{Outcome: chat.Refused, Reason: chat.Unsafe}, "something unsafe"},
}

// kindOf takes the mark off an answer; end is zero where there is none.
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

// mayBeKind reports whether more of an answer may make a mark of its beginning.
func mayBeKind(answer string) bool {
	answer = strings.TrimLeft(answer, " \t\r\n")
	for _, k := range kinds {
		if len(answer) <= len(k.mark) && strings.EqualFold(answer, k.mark[:len(answer)]) {
			return true
		}
	}
	return false
}

// meant returns the intent that goes with how a message ended in the model's words.
func meant(end chat.End) string {
	for _, k := range kinds {
		if k.end == end {
			return k.is
		}
	}
	return "an answer"
}

// guided returns how a message ends that is answered as the playbook says.
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

// ends settles how the turn ends whose answer is of this kind: as the model says
// or, where it says nothing, the playbook. What a person's yes or no came to
// stays what it is.
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
