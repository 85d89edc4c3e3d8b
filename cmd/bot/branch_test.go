package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

const settleBook = `
variables:
  - {name: receipt, description: the receipt, from: bank__pay.receipt.number}
  - {name: rate, description: the rate, from: get_rate.rate}
journeys:
  - id: settle
    name: Settle
    description: Pays what is owed.
    trigger: literal:settle
    initial_step: pay
    steps:
      - id: pay
        name: Pay
        tool: bank__pay
        args: {amount: "5"}
        transitions:
          - {to_step: ask_rate, condition: "tool:bank__pay result.state = paid", priority: 10}
          - {to_step: unpaid}
      - id: ask_rate
        name: Ask for the rate
        tool: get_rate
        transitions:
          - {to_step: high, condition: "tool:get_rate result.rate = high", priority: 10}
          - {to_step: low}
      - {id: high, name: High, is_terminal: true, guidelines: [say_high]}
      - {id: low, name: Low, is_terminal: true, guidelines: [say_low]}
      - {id: unpaid, name: Unpaid, is_terminal: true, guidelines: [say_unpaid]}
guidelines:
  - {id: say_high, condition: always, reply: "Paid: {{receipt}} at a {{rate}} rate.", journey_id: settle, journey_step: high}
  - {id: say_low, condition: always, reply: "Paid at a low rate.", journey_id: settle, journey_step: low}
  - {id: say_unpaid, condition: always, reply: "It was not paid.", journey_id: settle, journey_step: unpaid}
`

// settling is a payer whose playbook branches on what a tool server and an HTTP service
// give back.
func settling(t *testing.T) (*world, *bank) {
	t.Helper()
	w, b := payer(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"rate": "high"}`)
	}))
	t.Cleanup(service.Close)
	dir := filepath.Join(t.TempDir(), "playbook")
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "settle.yaml"), []byte(settleBook), 0o600))
	w.uses(t, "bank", b.url, "tools:\n  http:\n    - name: get_rate\n      description: The rate.\n      url: "+service.URL+"/rate\n")
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+dir)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "The model was asked."} })
	return w, b
}

const settled = "Paid: R-5 at a high rate."

// TestResultsSteerAJourney: what a tool server and an HTTP service give back fills
// variables and chooses the branch, once the person agreed to the call.
func TestResultsSteerAJourney(t *testing.T) {
	t.Parallel()
	w, b := settling(t)
	w.run(t)
	w.shows(t, "/tools servers", "bank: up")
	if got := w.say(t, 7, "settle"); !strings.Contains(got, "pay") {
		t.Fatalf("asked %q", got)
	}
	if got := w.say(t, 7, "yes"); !strings.Contains(got, settled) || b.payments() != 1 {
		t.Errorf("paid %d times, said %q", b.payments(), got)
	}
}

// TestJourneySurvivesKills: killed between a call and its branch, the next process takes
// the same branch with the recorded result; and a step's tool is waited for while its
// server starts.
func TestJourneySurvivesKills(t *testing.T) {
	t.Parallel()
	w, b := settling(t)
	child := w.start(t)
	w.shows(t, "/tools servers", "bank: up")
	w.settled(t)
	kill(child)
	open := b.shut()
	child = w.start(t)
	n := len(w.tg.Calls("getUpdates"))
	w.tg.Push(telegramtest.Text(7, 7, "settle"))
	eventually(t, "the message is taken", func() bool { return len(w.tg.Calls("getUpdates")) > n+1 && w.unfinished() == 1 })
	open()
	w.told(t, 7, `"amount": 5`)
	w.settled(t)
	kill(child)
	child = w.start(t, "BOT_FAILPOINT=before_finish:1")
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	dies(t, child)
	b.shut()
	w.start(t)
	w.told(t, 7, settled)
	if n := b.payments(); n != 1 {
		t.Errorf("paid %d times", n)
	}
}
