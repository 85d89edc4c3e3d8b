package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// bank is a tool server that pays. A test may have it work on a payment for long, and be
// slow to start: then it answers nothing.
type bank struct {
	url   string
	begun chan struct{} // one for each payment that begins
	goOn  chan struct{} // what a payment that is held waits for

	mu   sync.Mutex // guards the rest
	held bool
	paid int
	open chan struct{} // closed while it answers
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{begun: make(chan struct{}, 10), goOn: make(chan struct{}), open: make(chan struct{})}
	close(b.open)
	server := newToolServer(t)
	server.schema = `{"type":"object","properties":{"amount":{"type":"integer"}}}`
	server.add("pay", "Pays", b.pay)
	server.reads("rate", "Says a rate", b.rate)
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server.Server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		open := b.open
		b.mu.Unlock()
		select {
		case <-open:
			inner.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { web.CloseClientConnections(); go web.Close() })
	b.url = web.URL
	return b
}

func (b *bank) pay(_ context.Context, r *sdk.CallToolRequest) (string, error) {
	var args struct{ Amount int }
	_ = json.Unmarshal(r.Params.Arguments, &args)
	b.mu.Lock()
	b.paid++
	held := b.held
	b.mu.Unlock()
	b.begun <- struct{}{}
	if held {
		<-b.goOn // whoever asked may be gone: it pays all the same
	}
	return fmt.Sprintf(`{"state": "paid", "amount": %d, "receipt": {"number": "R-%d"}}`, args.Amount, args.Amount), nil
}

func (b *bank) rate(context.Context, *sdk.CallToolRequest) (string, error) {
	return `{"rate": "high"}`, nil
}

// hold has payments take until something is sent to goOn.
func (b *bank) hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = true
}

// shut has the bank answer nothing until the function it returns is called.
func (b *bank) shut() (open func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	gate := make(chan struct{})
	b.open = gate
	return func() { close(gate) }
}

func (b *bank) payments() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paid
}

// payer is a bot with such a server, whose model pays when it is asked to and then says
// what came of it.
func payer(t *testing.T) (*world, *bank) {
	w := newWorld(t)
	b := newBank(t)
	w.uses(t, "bank", b.url, "")
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == "tool" {
			return llmtest.Turn{Text: "It said: " + last.Text()}
		}
		return callTool("bank__pay", `{"amount": 5}`)
	})
	return w, b
}

// asks has the bot ask somebody about a payment.
func (w *world) asks(t *testing.T, who int64) {
	t.Helper()
	w.shows(t, "/tools servers", "bank: up")
	w.tg.Push(telegramtest.Text(who, who, "pay anna"))
	w.told(t, who, "bank")
}

// pays has somebody agree to a payment, which begins.
func (b *bank) pays(t *testing.T, w *world, who int64) {
	t.Helper()
	w.asks(t, who)
	w.tg.Push(telegramtest.Text(who, who, "yes"))
	<-b.begun
}

// status is how a bot's calls of a tool ended, the newest last.
func (w *world) status(t *testing.T, tool string) (list []string) {
	t.Helper()
	db, err := w.look()
	must(t, err)
	defer func() { _ = db.Close() }()
	rows, err := db.Query("SELECT status || ' ' || class FROM tool_calls WHERE name = '" + tool + "' ORDER BY id")
	must(t, err)
	return column(t, rows)
}

// TestKilledDuringAConfirmedPayment: whatever became of the tool meanwhile, the next process
// does not pay again and says that it cannot know.
func TestKilledDuringAConfirmedPayment(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(t *testing.T, w *world, b *bank){
		"its server starts slowly": func(_ *testing.T, _ *world, b *bank) { b.shut() },
		"the tool was disabled": func(t *testing.T, w *world, _ *bank) {
			w.tg.Push(telegramtest.Text(1, 1, "/tools disable bank__pay"))
			w.told(t, 1, "bank__pay")
		},
		"the server was removed": func(t *testing.T, w *world, _ *bank) {
			must(t, os.WriteFile(w.file, []byte("access: {mode: open}\n"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, b := payer(t)
			b.hold()
			child := w.start(t)
			b.pays(t, w, 7)
			meanwhile(t, w, b)
			kill(child)
			child = w.start(t)
			got := w.told(t, 7, "It said:")
			w.settled(t)
			kill(child)
			close(b.goOn)
			if !strings.Contains(got.Text, "OUTCOME") || !strings.Contains(got.Text, "check before asking again") {
				t.Errorf("said %q", got.Text)
			}
			if n := b.payments(); n != 1 {
				t.Errorf("paid %d times", n)
			}
			if got := w.status(t, "bank__pay"); len(got) != 1 || got[0] != "unknown OUTCOME_UNKNOWN" {
				t.Errorf("the record says %q", got)
			}
		})
	}
}

// TestKilledAfterAConfirmedPayment: what was recorded as done is what the model hears,
// though the tool is not there any more.
func TestKilledAfterAConfirmedPayment(t *testing.T) {
	t.Parallel()
	w, b := payer(t)
	child := w.start(t, "BOT_FAILPOINT=after_model:3") // with its answer
	w.asks(t, 7)
	w.llm.Queue(callTool("bank__rate", `{}`))
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	dies(t, child)
	b.shut()
	must(t, os.WriteFile(w.file, []byte("access: {mode: open}\n"), 0o600))
	w.start(t)
	w.told(t, 7, "It said:")
	w.settled(t)
	all := w.llm.Requests()
	if whole := wholePrompt(all[len(all)-1]); b.payments() != 1 || !strings.Contains(whole, "R-5") {
		t.Errorf("paid %d times; the model knows %s", b.payments(), whole)
	}
	if got := w.status(t, "bank__pay"); len(got) != 1 || got[0] != "success " {
		t.Errorf("the record says %q", got)
	}
}

// TestApprovedCallWaitsForItsServer: a yes that comes while a tool's server still starts
// is not taken for one to a tool that does not exist.
func TestApprovedCallWaitsForItsServer(t *testing.T) {
	t.Parallel()
	w, b := payer(t)
	child := w.start(t)
	w.asks(t, 7)
	w.settled(t)
	kill(child)
	open := b.shut()
	w.start(t)
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	eventually(t, "the yes is heard", func() bool { return w.count(t, "SELECT count(*) FROM inbox WHERE state = 'new'") == 1 })
	for range 5 { // as long as other answers take, the call waits
		w.saying(t, 99, 1, "/tools servers")
	}
	open()
	if got := w.told(t, 7, "It said:"); !strings.Contains(got.Text, "R-5") || b.payments() != 1 {
		t.Errorf("paid %d times, said %q", b.payments(), got.Text)
	}
}

// TestStopDuringAConfirmedPayment: the server finishes what was stopped. The person and
// the model hear that it may have been done, and so does the record.
func TestStopDuringAConfirmedPayment(t *testing.T) {
	t.Parallel()
	w, b := payer(t)
	b.hold()
	w.run(t)
	b.pays(t, w, 1)
	w.tg.Push(telegramtest.Text(1, 1, "/stop"))
	got := w.told(t, 1, "Stopped.")
	close(b.goOn)
	if !strings.Contains(got.Text, "I do not know whether this was done") || !strings.Contains(got.Text, "bank") {
		t.Errorf("said %q", got.Text)
	}
	w.settled(t)
	if got := w.status(t, "bank__pay"); len(got) != 1 || got[0] != "unknown OUTCOME_UNKNOWN" {
		t.Errorf("the record says %q", got)
	}
	w.llm.Queue(llmtest.Turn{Text: "I will look."})
	w.say(t, 1, "did it work?")
	all := w.llm.Requests()
	if whole := wholePrompt(all[len(all)-1]); !strings.Contains(whole, "OUTCOME_UNKNOWN: Nobody waits for this call any more") ||
		strings.Contains(whole, "CANCELLED") {
		t.Errorf("the model knows %s", whole)
	}
}

// TestShutdownDuringAConfirmedPayment: a process that ends while a payment is under way
// leaves the same to the next.
func TestShutdownDuringAConfirmedPayment(t *testing.T) {
	t.Parallel()
	w, b := payer(t)
	b.hold()
	w.env = append(w.env, "BOT_LIMITS_SHUTDOWN_GRACE=1s")
	child := w.start(t)
	b.pays(t, w, 7)
	end(t, child)
	b.shut()
	w.start(t)
	got := w.told(t, 7, "It said:")
	close(b.goOn)
	w.settled(t)
	if st := w.status(t, "bank__pay"); !strings.Contains(got.Text, "OUTCOME") || b.payments() != 1 || len(st) != 1 ||
		st[0] != "unknown OUTCOME_UNKNOWN" {
		t.Errorf("paid %d times, said %q, the record %q", b.payments(), got.Text, st)
	}
}
