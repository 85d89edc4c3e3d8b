package offline

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"parley/internal/llm"
)

//go:embed testdata/everyday.txt
var everyday string

// What people ask every day in the other languages; the head of the file says which half
// was looked at.
func TestEveryday(t *testing.T) {
	type half struct{ all, right int }
	halves, nth := map[string]*[2]half{}, map[string]int{}
	for line := range strings.Lines(everyday) {
		head, said, ok := strings.Cut(strings.TrimSpace(line), ": ")
		tag, intent, spaced := strings.Cut(head, " ")
		if !ok || !spaced || head[0] == '#' {
			continue
		}
		tk := talk{messages: []llm.Message{says(said)}, tools: everyTool(), speaks: tag, sure: true}
		a, takes := asked{}, tk.fits()
		if takes {
			a, _ = tk.said()
		}
		if intent == "other" {
			if takes {
				t.Errorf("%s: %q is %s %v", tag, said, a.does, a.args)
			}
			continue
		}
		looked := nth[head] % 2
		nth[head]++
		if halves[tag] == nil {
			halves[tag] = &[2]half{}
		}
		h := &halves[tag][looked]
		h.all++
		right := takes && (!a.lacks() || completes(said, tag, a)) && !slices.ContainsFunc(append([]asked{a}, a.more...), func(one asked) bool {
			return !slices.Contains(operations[intent], one.does)
		})
		switch {
		case right:
			h.right++
		case takes && !a.lacks():
			t.Errorf("%s %s: %q is %s %v", tag, intent, said, a.does, a.args)
		case looked == 0:
			t.Logf("not understood: %s %s: %q", tag, intent, said)
		}
	}
	for tag, h := range halves {
		t.Logf("%s: for work %d of %d understood, kept back %d of %d", tag, h[0].right, h[0].all, h[1].right, h[1].all)
	}
}
