package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/tools"
)

// TestClockStepsBackBetweenLookAndEnd: a session whose time had passed a
// moment ago and that the store still keeps is gone on with; a second live one
// could never be stored.
func TestClockStepsBackBetweenLookAndEnd(t *testing.T) {
	b := newBench(t, Options{Sessions: Sessions{TTL: func() time.Duration { return time.Hour }}})
	b.model.Say("hello").Say("still here")
	b.say("hi")
	first := b.live()
	// The agent reads the clock an hour later than the store does.
	b.o.Now = func() time.Time { return b.clock.Add(2 * time.Hour) }
	if got := b.say("and now?"); got != "still here" {
		t.Fatalf("got %q", got)
	}
	if again := b.live(); again.ID != first.ID || !again.Expires.After(first.Expires) {
		t.Errorf("session %s became %s", first.ID, again.ID)
	}
}

func (b *bench) live() memory.Session { return b.liveIn(annAlone.Key) }

// TestMessageBeforeExpiryKeepsTheJourney: a sweep that chose a session while a
// message was on its way leaves it, and the journey in it, as they are.
func TestMessageBeforeExpiryKeepsTheJourney(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "trip.yaml"), []byte(`journeys:
  - {id: trip, name: Trip, description: d, trigger: "literal:trip", initial_step: where, steps: [{id: where, name: Where}]}
`), 0o600))
	book, err := playbook.Load(dir, playbook.Options{})
	must(t, err)
	b := newBench(t, Options{Rules: Rules{Book: func() *playbook.Book { return book }, NoBookModel: true}})
	b.model.Say("Where to?")
	b.say("a trip, please")
	before := b.live()
	must(t, b.Expire(context.Background(), before.ID))
	after := b.live()
	at, ok, err := book.Status(playbook.State{User: "telegram:7", Session: json.RawMessage(after.Playbook)})
	must(t, err)
	if !ok || at.Status != playbook.Active {
		t.Errorf("the journey is %v", at.Status)
	}
}

// TestToolStates: a tool that hangs, one that needs three tries, one that
// breaks and one that panics leave their states, durations and retries, and
// the person an answer.
func TestToolStates(t *testing.T) {
	var tries atomic.Int32
	list := []tools.Tool{
		tools.Func(tools.Meta{Name: "hang", Description: "d", Category: tools.Task, ReadOnly: true, Core: true,
			Trying: tools.Trying{Timeout: time.Second}},
			func(ctx context.Context, _ tools.Call, _ struct{}) (tools.Result, error) {
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}),
		tools.Func(tools.Meta{Name: "flaky", Description: "d", Category: tools.Task, ReadOnly: true, Core: true,
			Trying: tools.Trying{Retry: &tools.Retry{Attempts: 3, Delay: 10 * time.Millisecond, Multiplier: 1}}},
			func(context.Context, tools.Call, struct{}) (tools.Result, error) {
				if tries.Add(1) < 3 {
					return tools.Result{}, errors.New("not yet")
				}
				return tools.Result{Content: "there"}, nil
			}),
		tools.Func(tools.Meta{Name: "breaks", Description: "d", Category: tools.Task, SideEffect: true, Core: true},
			func(context.Context, tools.Call, struct{}) (tools.Result, error) {
				return tools.Result{}, errors.New("the printer is on fire")
			}),
		tools.Func(tools.Meta{Name: "panics", Description: "d", Category: tools.Task, SideEffect: true, Core: true},
			func(context.Context, tools.Call, struct{}) (tools.Result, error) { panic("secret detail") }),
	}
	b := newBench(t, Options{}, list...)
	b.o.Runner = &tools.Runner{} // by the real clock
	b.model.Call(call("1", "hang", "{}"), call("2", "flaky", "{}")).Call(call("3", "breaks", "{}"), call("4", "panics",
		"{}")).Say("The printer burns.").Say("Fine.")
	if got := b.say("print it"); got != "The printer burns." {
		t.Errorf("got %q", got)
	}
	d := b.decision()
	calls, err := b.store.Decisions.Calls(context.Background(), d.ID)
	must(t, err)
	var got []string
	for _, c := range calls {
		got = append(got, fmt.Sprintf("%s %s %d", c.Name, c.Status, c.Retries))
		if c.Name == "hang" && c.Took < time.Second || strings.Contains(c.Result, "secret") {
			t.Errorf("%+v", c)
		}
	}
	if want := []string{"hang timeout 0", "flaky success 2", "breaks failed 0", "panics failed 0"}; !slices.Equal(got, want) {
		t.Errorf("calls %q", got)
	}
	if got := b.say("and now?"); got != "Fine." {
		t.Errorf("the next message got %q", got)
	}
}

// TestReadOnlyCallsRunTogether: two calls that only read overlap in time, and
// their results come in the order of the calls.
func TestReadOnlyCallsRunTogether(t *testing.T) {
	both := make(chan struct{}, 2)
	meet := func(name string) tools.Tool {
		return tools.Func(tools.Meta{Name: name, Description: "d", Category: tools.Task, ReadOnly: true, Core: true},
			func(ctx context.Context, _ tools.Call, _ struct{}) (tools.Result, error) {
				both <- struct{}{}
				for len(both) < 2 { // each waits for the other to have begun
					select {
					case <-ctx.Done():
						return tools.Result{}, ctx.Err()
					case <-time.After(time.Millisecond):
					}
				}
				return tools.Result{Content: name + " met"}, nil
			})
	}
	b := newBench(t, Options{}, meet("first"), meet("second"))
	b.model.Call(call("1", "first", "{}"), call("2", "second", "{}")).Say("Met.")
	b.say("meet")
	ms := b.model.Requests()[1].Messages
	if n := len(ms); ms[n-2].Content != "first met" || ms[n-1].Content != "second met" {
		t.Errorf("results %q, %q", ms[n-2].Content, ms[n-1].Content)
	}
}
