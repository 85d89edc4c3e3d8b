package playbook

import (
	"fmt"

	"parley/internal/playbook/review"
)

// compileEnforced checks what a rule says about the answer itself.
func (b *Book) compileEnforced(g *Guideline) {
	for field, phrases := range map[string][]string{"must_say": g.MustSay, "must_not_say": g.MustNotSay} {
		for i, p := range phrases {
			at := fmt.Sprintf("%s[%d]", field, i)
			if err := review.Check(p); err != nil {
				g.At.Mistake(at, "%v", err)
			}
			g.needs = append(g.needs, b.templates(p, g.At, at)...)
		}
		if len(phrases) > 0 && !g.Enforce {
			g.At.Mistake(field, "needs enforce: true beside it")
		}
	}
	g.needs = append(g.needs, b.templates(g.Say, g.At, "say")...)
	if g.Say != "" && !g.Enforce {
		g.At.Mistake("say", "needs enforce: true beside it")
	}
}

// enforced returns a rule as drafts are compared with it.
func (t *turn) enforced(g *Guideline, action string) review.Rule {
	r := review.Rule{ID: g.ID, Action: action, Tools: g.Tools, Say: t.fillPlain(g.Say)}
	if g.reply != "" {
		r.Action, r.Verbatim = "", t.fillPlain(g.reply)
	}
	for _, p := range g.MustSay {
		r.MustSay = append(r.MustSay, t.fillPlain(p))
	}
	for _, p := range g.MustNotSay {
		r.MustNotSay = append(r.MustNotSay, t.fillPlain(p))
	}
	return r
}
