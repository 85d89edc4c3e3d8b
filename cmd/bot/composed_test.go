package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// An answer that is put together from ready-made replies, kept by an enforced rule, stays so
// after a yes, however often the process dies between the yes and the answer.
func TestComposedAcrossKills(t *testing.T) {
	t.Parallel()
	const rules = `settings: {mode: composited, fallback: "Please write to the team for that."}
replies:
  - {id: gone, text: "It is off your list of 3 things. The list itself stays."}
guidelines:
  - id: deleting
    condition: literal:delete
    action: Delete what they name.
    tools: [delete_task]
    enforce: true
    must_say: [list]
    must_not_say: [sorry]
    say: Please look at the list.
`
	for draft, want := range map[string]string{
		"It is off your list, and you get 50 EUR back.": "It is off your list of 3 things. The list itself stays.",
		"Sorry, it is gone.":                            "Please look at the list.",
		"It is off your list. The list itself stays.":   "It is off your list. The list itself stays.",
	} {
		for _, point := range []string{"after_yes", "after_model", "before_finish"} {
			t.Run(want+" "+point, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				must(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600))
				w := newWorld(t, "BOT_PLAYBOOK_DIR="+dir)
				child := w.start(t)
				w.tg.Push(telegramtest.Text(7, 7, "/tasks add milk"))
				w.told(t, 7, "milk")
				w.llm.Queue(callTool("delete_task", `{"id":1}`))
				w.tg.Push(telegramtest.Text(7, 7, "please delete the milk from the list"))
				w.told(t, 7, `Delete the task "milk"?`)
				w.settled(t)
				kill(child)
				w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: draft} })
				child = w.start(t, "BOT_FAILPOINT="+point)
				w.tg.Push(telegramtest.Text(7, 7, "yes"))
				dies(t, child)
				child = w.start(t)
				w.told(t, 7, want)
				w.settled(t)
				kill(child)
				said := w.texts(7)
				if strings.Count(said, want) != 1 || strings.Contains(said, "50 EUR") || strings.Contains(said, "Sorry") {
					t.Errorf("said %q", said)
				}
				if n, err := w.open(t).Rows(t.Context(), "tasks"); n != 0 || err != nil {
					t.Errorf("%d tasks, %v", n, err)
				}
			})
		}
	}
}
