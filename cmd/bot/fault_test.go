package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// long skips what takes more than its share of a test run; make faults plays
// it.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("PARLEY_FAULTS") == "" {
		t.Skip("PARLEY_FAULTS=1 plays it")
	}
}

// TestCrashWithASideEffect kills the process around a tool that adds a row:
// the row is there once, the person is answered once, and at most one model
// call is paid for twice.
func TestCrashWithASideEffect(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_model:1", "before_tool:1", "after_model:2", "after_tool:1", "before_finish:1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
				if r.Messages[len(r.Messages)-1].Role == "tool" {
					return llmtest.Turn{Text: "It is on your list."}
				}
				return llmtest.Turn{Calls: []llmtest.Call{{ID: "a", Name: "add_task", Args: `{"description":"milk"}`}}}
			})
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.tg.Push(telegramtest.Text(1, 1, "add milk"))
			dies(t, child)
			child = w.start(t)
			if got := w.sent(t, 1)[0]; got != "It is on your list." {
				t.Errorf("got %q", got)
			}
			if n := len(w.llm.Requests()); n > 3 {
				t.Errorf("%d model calls for a plan of 2", n)
			}
			end(t, child)
			if n := len(w.tg.Sent()); n != 1 {
				t.Errorf("%d answers", n)
			}
			if n, err := w.open(t).Rows(context.Background(), "tasks"); err != nil || n != 1 {
				t.Errorf("%d tasks, %v", n, err)
			}
		})
	}
}

// ended waits for the end of a process, and kills it where that does not come
// within a minute; then it returns false.
func ended(cmd *exec.Cmd) bool { return endedWithin(cmd, time.Minute) }

func endedWithin(cmd *exec.Cmd, limit time.Duration) bool {
	alarm := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	return alarm.Stop()
}

// dies waits until a process has killed itself at its point of failure, for a minute.
func dies(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	diesWithin(t, cmd, time.Minute)
}

func diesWithin(t *testing.T, cmd *exec.Cmd, limit time.Duration) {
	t.Helper()
	if endedWithin(cmd, limit) {
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return
		}
	}
	t.Fatal("it never came by that point")
}

// end asks a process to end and returns how long it took; it has to end well,
// within a minute.
func end(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	began := time.Now()
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	alarm := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer alarm.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v after %v", err, time.Since(began))
	}
	return time.Since(began)
}

// TestFaultTermination: with twenty answers in the making a process ends well
// within its grace time and five seconds, and nothing is lost; what is not done
// in time the next process answers, once.
func TestFaultTermination(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		model  time.Duration
		grace  string
		before bool // answered before the end
	}{{"in time", 700 * time.Millisecond, "20s", true}, {"too slow", 10 * time.Minute, "2s", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			child, want := w.twentyAtWork(t, tt.model, "BOT_LIMITS_SHUTDOWN_GRACE="+tt.grace)
			t.Logf("ended after %v", end(t, child))
			if n := len(w.tg.Sent()); (n == 20) != tt.before || n != 20 && n != 0 {
				t.Errorf("%d answers before the end", n)
			}
			w.llm.Respond(nil)
			w.start(t)
			if l := w.settle(t, want); l != (ledger{}) {
				t.Errorf("%+v", l)
			}
		})
	}
}

// twentyAtWork starts a process and waits until twenty chats have asked the
// model.
func (w *world) twentyAtWork(t *testing.T, model time.Duration, env ...string) (*exec.Cmd, map[int64][]string) {
	t.Helper()
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: model} })
	child := w.startAndPoll(t)
	if len(env) > 0 {
		kill(child)
		child = w.start(t, env...)
	}
	want := w.ask(0, 20, 1)
	eventually(t, "twenty are at work", func() bool { return len(w.llm.Requests()) >= 20 })
	return child, want
}

// TestFaultSecondSignal: the second signal ends the process at once, and the
// next one answers everything.
func TestFaultSecondSignal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	child, want := w.twentyAtWork(t, 10*time.Minute, "BOT_LIMITS_SHUTDOWN_GRACE=10m")
	over := make(chan bool, 1)
	go func() { over <- ended(child) }()
	// The kernel makes one of two signals that come before the first is taken, so more follow.
	for done := false; !done; {
		_ = child.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case by := <-over:
			if done = true; !by {
				t.Error("it did not end by itself")
			}
		case <-time.After(100 * time.Millisecond):
		}
	}
	w.llm.Respond(nil)
	w.start(t)
	if l := w.settle(t, want); l != (ledger{}) {
		t.Errorf("%+v", l)
	}
}

// TestFaultBacklog: 5,000 messages (1,000 in a plain run) wait at the start, of 50 people. All are
// answered once and in order, and memory stays small.
func TestFaultBacklog(t *testing.T) {
	chats, each := 50, 100
	if os.Getenv("PARLEY_FAULTS") == "" {
		each = 20
	}
	w := newWorld(t)
	w.llm.Quiet()
	w.env = append(w.env, "BOT_LIMITS_QUEUE_PER_CHANNEL=1000")
	want := w.ask(0, chats, each)
	began := time.Now()
	child := w.start(t)
	most := int64(0)
	waittest.Within(2*time.Minute, func() bool {
		most = max(most, anonymous(t, child.Process.Pid))
		return len(w.tg.Sent()) >= chats*each
	})
	took := time.Since(began)
	if l := w.settle(t, want); l != (ledger{}) {
		t.Errorf("%+v", l)
	}
	t.Logf("%d messages in %v, at most %d MB", chats*each, took.Round(time.Millisecond), most>>20)
	if most > 150<<20 && !waittest.Racing { // the detector takes memory of its own
		t.Errorf("%d MB", most>>20)
	}
}

// TestFaultSoak: twenty seconds of talk with one fault in a hundred requests on
// both sides; nothing is lost or out of order, and no goroutine stays behind.
func TestFaultSoak(t *testing.T) {
	long(t)
	w := newWorld(t)
	w.llm.Quiet()
	w.run(t)
	w.settle(t, w.ask(-1, 20, 5))
	before := goroutines()
	sum := ledger{}
	rounds := 0
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); rounds++ {
		for skip := range 3 {
			w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Skip: 7 + 11*skip, Times: 1, Status: 502})
		}
		w.llm.Queue(llmtest.Turn{}, llmtest.Turn{}, broken("503"))
		want := w.ask(rounds, 20, 5)
		sum.add(w.settle(t, want))
	}
	after := before
	waittest.Within(time.Minute, func() bool { after = goroutines(); return after <= before })
	t.Logf("%d rounds of 100 messages: %+v, goroutines %d then %d", rounds, sum, before, after)
	if sum != (ledger{}) || after > before {
		t.Errorf("%+v, goroutines %d then %d", sum, before, after)
	}
}

// goroutines counts those of this module; idle connections come and go.
func goroutines() (n int) {
	buf := make([]byte, 4<<20)
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "parley/") {
			n++
		}
	}
	return n
}

// TestFaultTyping: typing that hangs holds nothing up, and ends with the
// answer, whatever becomes of it.
func TestFaultTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lift := w.tg.Fail(telegramtest.Fault{Method: "sendChatAction", Hang: true})
	defer lift()
	w.run(t)
	slow := broken("filter")
	slow.Delay = 600 * time.Millisecond
	w.llm.Queue(llmtest.Turn{Text: "Slow.", Delay: 600 * time.Millisecond}, slow)
	for i, text := range []string{"slow", "and refused"} {
		w.tg.Push(telegramtest.Text(7, 7, text))
		w.sent(t, i+1)
	}
	n := len(w.tg.Calls("sendChatAction"))
	if n == 0 {
		t.Error("typing was never shown")
	}
	w.saying(t, 7, 7, "/help")
	if more := len(w.tg.Calls("sendChatAction")) - n; more > 1 {
		t.Errorf("%d more after the end", more)
	}
	if text := fmt.Sprint(w.tg.Sent()[1].Text); !strings.Contains(text, "declined") {
		t.Errorf("got %q", text)
	}
}

// TestCrashResumes: fifty processes that are killed one after the other use up
// five sessions at most, and each hears what was said while none ran.
func TestCrashResumes(t *testing.T) {
	t.Parallel()
	const starts = 50
	w := newWorld(t).onDiscord()
	for i := range starts {
		if i > 0 {
			w.dc.Message("", "10", "42", fmt.Sprintf("message %d", i))
		}
		child := w.start(t)
		if i == 0 { // there is no session to miss anything in before
			w.connected(t)
			w.dc.Message("", "10", "42", "message 0")
		}
		w.discordSent(t, i+1)
		kill(child)
	}
	t.Logf("%d starts: %d identified, %d resumed", starts, w.dc.Identifies(), w.dc.Resumes())
	if n := w.dc.Identifies(); n > 5 {
		t.Errorf("%d sessions for %d starts", n, starts)
	}
	for i, m := range w.dc.Sent() {
		if m.Content != fmt.Sprintf("message %d", i) {
			t.Errorf("answer %d is %q", i, m.Content)
		}
	}
}

// TestCrashOnDiscord kills the process at each named point: on Discord every
// question is answered once and once only, also where a send was cut off, for
// its nonce is known.
func TestCrashOnDiscord(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit", "after_model", "before_finish", "after_finish", "before_send", "after_send"} {
		for _, nth := range []int{1, 3} {
			t.Run(fmt.Sprint(point, "/", nth), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t).onDiscord()
				w.llm.Quiet()
				child := w.start(t, fmt.Sprintf("BOT_FAILPOINT=%s:%d", point, nth))
				w.connected(t)
				const n = 6
				for i := range n {
					w.dc.Message("", fmt.Sprint(100+i%2), "42", fmt.Sprintf("tok-%d.", i))
				}
				w.dieOrRest(t, child, func() bool { return len(w.dc.Sent()) >= n })
				w.start(t)
				w.dc.Wait(time.Minute, func() bool { return len(w.dc.Sent()) >= n })
				w.settled(t) // nor is a double under way
				last := map[string]int{"100": -1, "101": -1}
				seen := map[string]int{}
				for _, m := range w.dc.Sent() {
					var i int
					if _, err := fmt.Sscanf(m.Content, "tok-%d.", &i); err != nil || fmt.Sprint(100+i%2) != m.Channel {
						t.Errorf("in %s: %q", m.Channel, m.Content)
					}
					if i <= last[m.Channel] {
						t.Errorf("in %s: %d after %d", m.Channel, i, last[m.Channel])
					}
					last[m.Channel] = i
					seen[m.Content]++
				}
				if len(seen) != n || len(w.dc.Sent()) != n {
					t.Errorf("%d of %d answered, with %d messages", len(seen), n, len(w.dc.Sent()))
				}
			})
		}
	}
}

// TestFaultFewFiles: a process that may open 64 files and has nowhere to log
// to serves all the same, and opens no more as it goes on.
func TestFaultFewFiles(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWorld(t)
	w.llm.Quiet()
	cmd := exec.Command("sh", "-c", `ulimit -n 64; exec "$0" 2>&-`, os.Args[0])
	cmd.Env = append(append(append(os.Environ(), childEnv+"=1"), w.env...), "BOT_LIMITS_QUEUE_PER_CHANNEL=100")
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	open := func() int {
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid))
		if err != nil {
			t.Skip("no /proc")
		}
		return len(list)
	}
	sum, list := ledger{}, []int{}
	for round := range 5 {
		sum.add(w.settle(t, w.ask(round, 5, 40)))
		list = append(list, open())
	}
	t.Logf("1,000 messages: %+v, files open after each 200: %v", sum, list)
	if sum != (ledger{}) || list[4] > list[0]+10 {
		t.Errorf("%+v, files %v", sum, list)
	}
	// More at once than it has files for: each is answered, if only with a
	// word of regret.
	began := time.Now()
	w.ask(5, 40, 5)
	w.sent(t, 1200)
	t.Logf("200 messages at once took %v", time.Since(began))
	end(t, cmd)
}

// TestFaultModelComesLater: with model.required off a bot starts without its
// model, says so, and answers as soon as there is one.
func TestFaultModelComesLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_MODEL_REQUIRED=false")
	w.llm.Models("another")
	w.run(t)
	answers := func(list ...[2]string) {
		t.Helper()
		for _, a := range list {
			if got := w.say(t, 1, a[0]); !strings.Contains(got, a[1]) {
				t.Errorf("%q was answered %q", a[0], got)
			}
		}
	}
	answers([2]string{"hello", "not set up properly"}, [2]string{"/status", "down"}, [2]string{"/tasks add milk", "Task #1 added"})
	w.llm.Models("test")
	answers([2]string{"hello again", "hello again"}, [2]string{"/status", "model: test, ok"})
}

// TestFaultTerminationInATool: a process that is ended while a tool runs keeps
// what the person said and no half of the call; the next one goes on with it.
func TestFaultTerminationInATool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var slow atomic.Bool
	slow.Store(true)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		switch {
		case r.Messages[len(r.Messages)-1].Role == "tool" && slow.Load():
			return llmtest.Turn{Delay: time.Minute}
		case r.Messages[len(r.Messages)-1].Role == "tool":
			return llmtest.Turn{Text: "Milk is on your list."}
		}
		return callTool("add_task", `{"description":"milk"}`)
	})
	child := w.start(t, "BOT_LIMITS_SHUTDOWN_GRACE=1s")
	w.tg.Push(telegramtest.Text(1, 1, "add milk"))
	eventually(t, "the tool has run", func() bool { return len(w.llm.Requests()) >= 2 })
	end(t, child)
	slow.Store(false)
	child = w.start(t)
	if got := w.sent(t, 1)[0]; got != "Milk is on your list." {
		t.Errorf("got %q", got)
	}
	end(t, child)
	store := w.open(t)
	for table, want := range map[string]int{"tasks": 1, "tool_calls": 1, "decisions": 1, "messages": 4, "steps": 0} {
		if n, err := store.Rows(context.Background(), table); err != nil || n != want {
			t.Errorf("%s: %d rows, not %d (%v)", table, n, want, err)
		}
	}
	if n := len(w.llm.Requests()); n != 3 {
		t.Errorf("%d model calls", n)
	}
}
