package app

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app/cli"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
)

// TestWhatIfNothing: an edit that says the same changes nothing.
func TestWhatIfNothing(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	asked := h.model.asked.Load()
	first, others, _ := strings.Cut(h.settings(pastSettings), "\n")
	for name, change := range map[string]string{
		"a comment": h.write(t, "same1/rules.yaml", "# nothing new\n"+pastBook+"\n# the end\n"),
		"the order of keys": h.write(t, "same2/rules.yaml", strings.Replace(pastBook,
			"  - id: refunds\n    condition: literal:refund\n    action: Say REFUND30.\n",
			"  - action: Say REFUND30.\n    condition: 'literal:refund'\n\n    id:   refunds\n", 1)),
		"spaces":                h.write(t, "same3/guards.yaml", strings.ReplaceAll(pastGuards, ": ", ":   ")),
		"the order of settings": h.write(t, "same4/bot.yaml", others+first+"\n"),
		"a copy of the folder":  filepath.Dir(h.write(t, "same5/rules.yaml", pastBook+"\n")),
		"another log level":     "log.level=warn",
	} {
		if name == "a copy of the folder" {
			h.write(t, "same5/guards.yaml", pastGuards)
		}
		got := h.whatif(t, cfg, cli.WhatIf{JSON: true, Change: []string{change}})
		if len(got.list) > 0 || got.sums.Unchanged != 40 || h.model.asked.Load() != asked {
			t.Errorf("%s: %d of 40 unchanged, %d requests\n%.1500s", name, got.sums.Unchanged, h.model.asked.Load()-asked, got.out)
		}
	}
}

// TestWhatIfGoesOn: requests stay within the budget, and the next run goes on where they
// ended and pays for none of them again. What was paid for is kept no longer than that.
func TestWhatIfGoesOn(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	asked, paid := h.model.asked.Load(), filepath.Join(cfg.DataDir, whatif.Paid)
	change := []string{h.write(t, "new/persona.md", "Speak like a PIRATE.\n")}
	first := h.whatif(t, cfg, cli.WhatIf{JSON: true, Calls: 15, Change: change})
	if n := h.model.asked.Load() - asked; n != 15 || first.sums.Requests == 0 {
		t.Errorf("%d requests were made, and %d were left; want 15, and some", n, first.sums.Requests)
	}
	b, err := os.ReadFile(paid)
	must(t, err)
	must(t, os.WriteFile(paid, append(b, `{"print":"unfin`...), 0o600)) // killed while it wrote
	second := h.whatif(t, cfg, cli.WhatIf{JSON: true, Change: change})
	whole := h.model.asked.Load() - asked
	third := h.whatif(t, cfg, cli.WhatIf{JSON: true, Change: change})
	if again := h.model.asked.Load() - asked - whole; second.sums.Requests != 0 || len(second.list) != len(third.list) || again != whole {
		t.Errorf("%d requests in two runs, with %d left; in one run %d", whole, second.sums.Requests, again)
	}
	if _, err := os.Stat(paid); err == nil {
		t.Error("what models answered is still there")
	}
	must(t, os.WriteFile(paid, b, 0o600))
	a := built(t, cfg, slog.New(slog.DiscardHandler), func(a *app) { a.models.endpoint = setup.Endpoint{Model: h.model, Name: "scripted"} })
	must(t, a.storage.store.ForgetPerson(t.Context(), "telegram:1", 0))
	if _, err := os.Stat(paid); err == nil {
		t.Error("words of a forgotten person are still there")
	}
}

// TestWhatIfIsTold: what is printed, and what becomes of the owner's verdicts.
func TestWhatIfIsTold(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	change := []string{h.write(t, "new/rules.yaml", strings.Replace(pastBook, "Bonjour to you.", "Salut to you.", 1)),
		h.write(t, "new/guards.yaml", "guards: []\n")}
	list := h.whatif(t, cfg, cli.WhatIf{JSON: true, Change: change}).list
	of := func(word string) []string {
		var ids []string
		for _, d := range list {
			if strings.Contains(d.Said, word) {
				ids = append(ids, d.ID[:8])
			}
		}
		return ids
	}
	salut, gold := of("bonjour"), of("gold")
	out := h.whatif(t, cfg, cli.WhatIf{Limit: 8, Change: change, Good: salut[:1], Bad: salut[1:2], Fine: gold[1:2]}).out
	for _, want := range []string{"40 messages run again, 30 unchanged", "     5 a guard no longer stops", "     5 other words",
		"[" + gold[0] + "] a guard no longer stops, other tools", "no_gold: cancel_order refused", "[-Bonjour-] to you.\n    + {+Salut+} to you.",
		"1 more: --limit 0 shows all", "rehearsal: "} {
		if !strings.Contains(out, want) {
			t.Errorf("not told: %s\n%s", want, out)
		}
	}
	if strings.Contains(out, gold[1]) || strings.Index(out, "["+gold[0]) > strings.Index(out, "["+salut[len(salut)-1]) {
		t.Errorf("what does not matter comes first, or at all:\n%s", out)
	}
	scripts, err := filepath.Glob(filepath.Join(cfg.DataDir, "rehearsals", "*.txt"))
	must(t, err)
	how := rehearse.Player{Base: cfg, Build: (Process{}).Rehearse}
	var ended []string
	for _, name := range scripts {
		opened, err := rehearse.Open([]string{name})
		must(t, err)
		ended = append(ended, strings.Fields(how.Play(t.Context(), opened[0]).String())[0])
	}
	if slices.Sort(ended); fmt.Sprint(ended) != "[DIFF ok]" { // the good one fails until the change is made
		t.Errorf("rehearsals end %v", ended)
	}
}

// TestWhatIfOfSome looks at one person alone.
func TestWhatIfOfSome(t *testing.T) {
	h := newHistory(t, 40)
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	h.live(t, cfg)
	for _, c := range []cli.WhatIf{{Person: "telegram:2"}, {Place: "telegram:2"}} {
		c.Offline, c.JSON, c.Change = true, true, []string{"agent.max_tool_iterations=1"}
		got := h.whatif(t, cfg, c)
		if got.sums.Messages != 8 || slices.ContainsFunc(got.list, func(d whatif.Difference) bool { return d.Person != "telegram:2" }) {
			t.Errorf("%d messages, want 8\n%.800s", got.sums.Messages, got.out)
		}
	}
}

// files is a fingerprint of the bot's databases.
func (h *history) files(t *testing.T, cfg config.Config) [sha256.Size]byte {
	t.Helper()
	all := sha256.New()
	for _, name := range []string{"bot.db", "traces.db"} {
		b, err := os.ReadFile(filepath.Join(cfg.DataDir, name))
		must(t, err)
		all.Write(b)
	}
	return [sha256.Size]byte(all.Sum(nil))
}
