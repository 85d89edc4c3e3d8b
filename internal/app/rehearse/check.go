package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/playbook"
	"parley/internal/playbook/guard"
)

// check returns the line that is true now in place of a line of a script: the same
// line if it is true. It returns an error when the line makes no sense.
type check func(st *Stage, text string) (holds string, err error)

// checks holds the expectations about an act, by mark.
var checks map[string]check

func init() { // a literal would refer to itself through parse
	checks = map[string]check{
		"<":       said,
		"<~":      matched,
		"!<~":     unmatched,
		"?":       prompted,
		"!?":      prompted,
		"rule":    ruled,
		"!rule":   ruled,
		"rules":   ruledExactly,
		"step":    stepped,
		"journey": journeyed,
		"path":    walked,
		"var":     known,
		"!var":    known,
		"tool":    called,
		"!tool":   called,
		"guard":   guarded,
		"offers":  offered,
		"!offers": offered,
		"calls":   func(st *Stage, _ string) (string, error) { return fmt.Sprintf("calls %d", len(st.asked)), nil },
		"outcome": func(st *Stage, _ string) (string, error) {
			return "outcome " + orNone(string(st.decision.End.Outcome)), nil
		},
		"agent": func(st *Stage, _ string) (string, error) {
			return "agent " + orNone(st.bot.Named(st.decision.Agent)), nil
		},
		"rows": func(st *Stage, text string) (string, error) {
			table, _, _ := strings.Cut(text, " ")
			n, err := st.bot.Store.Rows(context.Background(), table)
			return fmt.Sprintf("rows %s %d", table, n), err
		},
	}
}

// said returns what the bot said in the place that the line names, or anywhere.
func said(st *Stage, text string) (string, error) {
	place, prefix, _ := placed(text)
	return line{mark: "<", text: prefix + st.replyIn(place)}.String(), nil
}

// matched returns the pattern if it fits what the bot said, or what the bot said.
func matched(st *Stage, text string) (string, error) {
	if fits(st, text) {
		return line{mark: "<~", text: text}.String(), nil
	}
	return said(st, text)
}

func unmatched(st *Stage, text string) (string, error) {
	return either(fits(st, text), "<~", text), nil
}

// fits reports whether a pattern, behind a place if there is one, fits what the bot said.
func fits(st *Stage, text string) bool {
	place, _, pattern := placed(text)
	return regexp.MustCompile(pattern).MatchString(st.replyIn(place)) // parse has compiled it before
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// either returns a mark with a text, or the opposite mark.
func either(yes bool, mark, text string) string {
	if !yes {
		mark = "!" + mark
	}
	return line{mark: mark, text: text}.String()
}

// named makes sure that a script refers to something that exists.
func named(what, name string, all []string) error {
	if slices.Contains(all, name) {
		return nil
	}
	return fmt.Errorf("the playbook has no %s %q: %s", what, name, didYouMean(name, all))
}

func (st *Stage) ruleIDs() (ids []string) {
	for _, g := range st.book().Guidelines() {
		ids = append(ids, g.ID)
	}
	return ids
}

func (st *Stage) applied() (ids []string) {
	for _, m := range st.guided.TopMatches {
		ids = append(ids, m.GuidelineID)
	}
	return ids
}

// ruled returns whether a rule applies, and why not if the script asks.
func ruled(st *Stage, text string) (string, error) {
	id, reason, _ := strings.Cut(text, " ")
	if err := named("guideline", id, st.ruleIDs()); err != nil {
		return "", err
	}
	if slices.Contains(st.applied(), id) {
		return "rule " + id, nil
	}
	if reason == "" {
		return "!rule " + id, nil
	}
	for _, d := range st.guided.Dropped {
		if d.ID == id {
			return "!rule " + id + " " + string(d.Reason), nil
		}
	}
	return "!rule " + id, nil
}

func ruledExactly(st *Stage, text string) (string, error) {
	var errs []error
	for _, id := range strings.Fields(text) {
		errs = append(errs, named("guideline", id, st.ruleIDs()))
	}
	return line{mark: "rules", text: strings.Join(st.applied(), " ")}.String(), errors.Join(errs...)
}

func (st *Stage) journey(id string) (*playbook.Journey, error) {
	var ids []string
	for _, j := range st.book().Journeys() {
		if j.ID == id {
			return j, nil
		}
		ids = append(ids, j.ID)
	}
	return nil, named("journey", id, ids)
}

// stepped returns the current step of the journey under way.
func stepped(st *Stage, text string) (string, error) {
	id, step, _ := strings.Cut(text, "/")
	j, err := st.journey(id)
	if err != nil {
		return "", err
	}
	var steps []string
	for _, s := range j.Steps {
		steps = append(steps, s.ID)
	}
	if err := named("step in "+id, step, steps); err != nil {
		return "", err
	}
	list, err := st.book().Standings(st.state)
	for _, at := range list {
		if at.JourneyID == id && at.Status == playbook.Active {
			return "step " + id + "/" + at.CurrentStep, err
		}
	}
	at, ok, err := st.book().Status(st.state)
	if !ok || at.Status != playbook.Active {
		return standsAt(at, ok), err
	}
	return "step " + at.JourneyID + "/" + at.CurrentStep, err
}

func standsAt(at playbook.Standing, ok bool) string {
	if !ok {
		return "journey none"
	}
	return fmt.Sprintf("journey %s %s", at.JourneyID, at.Status)
}

// journeyed returns the state of the last journey.
func journeyed(st *Stage, text string) (string, error) {
	id, status, _ := strings.Cut(text, " ")
	if id != "none" {
		if _, err := st.journey(id); err != nil {
			return "", err
		}
		all := []string{string(playbook.Active), string(playbook.Completed), string(playbook.Abandoned), string(playbook.Suspended),
			string(playbook.Failed), string(playbook.Waiting), string(playbook.Left)}
		if !slices.Contains(all, status) {
			return "", fmt.Errorf("a journey is never %q: %s", status, didYouMean(status, all))
		}
	}
	list, err := st.book().Standings(st.state)
	for _, at := range list {
		if at.JourneyID == id {
			return standsAt(at, true), err
		}
	}
	return standsAt(at(list)), err
}

func at(list []playbook.Standing) (first playbook.Standing, ok bool) {
	if len(list) == 0 {
		return first, false
	}
	return list[0], true
}

// walked returns the steps the journey went through.
func walked(st *Stage, _ string) (string, error) {
	at, _, err := st.book().Status(st.state)
	var steps []string
	for _, h := range at.History {
		steps = append(steps, h.StepID)
	}
	return line{mark: "path", text: strings.Join(steps, " ")}.String(), err
}

// known returns the value of a variable, as people read it.
func known(st *Stage, text string) (string, error) {
	name, _, _ := strings.Cut(text, "=")
	var names []string
	for _, v := range st.book().VariableDefinitions() {
		names = append(names, v.Name)
	}
	if err := named("variable", name, names); err != nil {
		return "", err
	}
	for _, v := range st.book().Variables(st.state) {
		if v.Name != name {
			continue
		}
		var plain string
		if json.Unmarshal(v.Value, &plain) != nil {
			plain = string(v.Value)
		}
		return line{mark: "var", text: name + "=" + plain}.String(), nil
	}
	return "!var " + name, nil
}

// guarded returns what a guard decided last.
func guarded(st *Stage, text string) (string, error) {
	id, ruling, _ := strings.Cut(text, " ")
	var ids []string
	for _, g := range st.book().Guards() {
		ids = append(ids, g.ID)
	}
	all := []string{string(guard.Allowed), string(guard.Asked), string(guard.HandOver), string(guard.Refused), "none"}
	if !slices.Contains(all, ruling) {
		return "", fmt.Errorf("a guard never says %q: %s", ruling, didYouMean(ruling, all))
	}
	says := "none"
	for _, r := range st.decision.Detail.Guards {
		if r.Guard == id {
			says = r.Ruling
		}
	}
	return "guard " + id + " " + says, named("guard", id, ids)
}

// called returns a call of a tool, with the arguments where the script has them.
func called(st *Stage, text string) (string, error) {
	name, args, _ := strings.Cut(text, " ")
	holds := "!tool " + name
	for _, c := range st.calls {
		switch {
		case c.Name != name:
		case args == "" || sameJSON(args, c.Arguments):
			return line{mark: "tool", text: text}.String(), nil
		default:
			holds = "tool " + name + " " + c.Arguments
		}
	}
	return holds, nil
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}

// request returns the last request for words, if there was one.
func (st *Stage) request() (r llm.Request) {
	for _, asked := range st.asked {
		if asked.Schema == nil {
			r = asked
		}
	}
	return r
}

// offered returns whether the model was offered a tool, exactly once.
func offered(st *Stage, name string) (string, error) {
	n := 0
	for _, t := range st.request().Tools {
		if t.Name == name {
			n++
		}
	}
	if n > 1 {
		return "", fmt.Errorf("%s was offered %d times", name, n)
	}
	return either(n == 1, "offers", name), nil
}

// prompted returns whether the prompt contained something.
func prompted(st *Stage, text string) (string, error) {
	return either(strings.Contains(st.Prompt(), text), "?", text), nil
}

// Prompt returns everything in the last request to the model for words.
func (st *Stage) Prompt() string {
	var all []string
	for _, m := range st.request().Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}
