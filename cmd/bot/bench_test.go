package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// fiveCalls is a model that calls tools that write in its first four answers.
func fiveCalls(r llmtest.Request) llmtest.Turn {
	steps := 0
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			break
		}
		if m.Role == "assistant" {
			steps++
		}
	}
	decide := func(n int) llmtest.Call {
		return llmtest.Call{ID: fmt.Sprint("c", n), Name: "save_decision", Args: fmt.Sprintf(`{"content":"number %d"}`, n)}
	}
	switch steps {
	case 0:
		return llmtest.Turn{Calls: []llmtest.Call{decide(0), decide(1)}}
	case 1, 2, 3:
		return llmtest.Turn{Calls: []llmtest.Call{decide(steps + 1)}}
	}
	return llmtest.Turn{}
}

func checkOrder(b testing.TB, sent []telegramtest.SentMessage, chats, each int) {
	next := map[int64]int{}
	for _, m := range sent {
		if m.Chat < 1000 {
			continue
		}
		if m.Text != fmt.Sprint(next[m.Chat]) {
			b.Fatalf("chat %d: answer %d is %q", m.Chat, next[m.Chat], m.Text)
		}
		next[m.Chat]++
	}
	for c := range chats {
		if next[int64(1000+c)] != each {
			b.Fatalf("chat %d got %d answers", c, next[int64(1000+c)])
		}
	}
}

// start runs the bot as a process of its own.
func (w *world) start(t testing.TB, env ...string) *exec.Cmd {
	t.Helper()
	apart(t)
	cmd := exec.Command(os.Args[0])
	if w.file != "" {
		cmd.Args = append(cmd.Args, "--config", w.file)
	}
	cmd.Env = append(append(append(os.Environ(), childEnv+"=1"), w.env...), env...)
	var log io.Writer = io.Discard
	if testing.Verbose() {
		log = os.Stderr
	}
	cmd.Stderr = log
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

// startAndPoll waits for the first poll after the start.
func (w *world) startAndPoll(t testing.TB) *exec.Cmd {
	t.Helper()
	n := len(w.tg.Calls("getUpdates"))
	cmd := w.start(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := w.tg.WaitCalls(ctx, "getUpdates", n+1); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// cpu returns the processor time that the threads of a process have used, as exactly as
// the kernel counts it: the bare loop uses less for a message than a tick of its clock.
func cpu(t testing.TB, pid int) time.Duration {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(threads) == 0 {
		t.Skip("no /proc")
	}
	var used time.Duration
	for _, thread := range threads {
		var ran time.Duration
		if b, err := os.ReadFile(thread); err == nil { // else it has just ended
			_, err = fmt.Sscan(string(b), &ran)
			must(t, err)
		}
		used += ran
	}
	return used
}

// anonymous returns the memory that a process has for itself, in bytes: RssAnon. Pages
// of its program belong to the page cache and can be dropped at any time.
func anonymous(t testing.TB, pid int) int64 {
	bytes, known := held(pid)
	if !known {
		t.Skip("no /proc")
	}
	return bytes
}

// held is anonymous, if the process is still there.
func held(pid int) (bytes int64, known bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, resident, shared int64
	_, _ = fmt.Sscan(string(b), &size, &resident, &shared)
	return (resident - shared) * int64(os.Getpagesize()), err == nil
}

// highest watches the anonymous memory of a process until stop, which returns the most
// that was seen, in bytes. The system itself keeps a peak of all pages only.
func highest(pid int) (stop func() int64) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		top := int64(0)
		for {
			select {
			case <-done:
				most <- top
				return
			case <-tick.C:
				bytes, _ := held(pid)
				top = max(top, bytes)
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// BenchmarkAcknowledge is how long Discord waits for the acknowledgement of a
// command, and for the choices while one is typed, with 500 conversations being
// answered all the time.
func BenchmarkAcknowledge(b *testing.B) {
	const talks = 500
	w := newWorld(b).onDiscord()
	w.llm.Quiet()
	w.dc.Quiet()
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: 200 * time.Millisecond} })
	w.run(b)
	w.dc.Wait(time.Minute, func() bool { return w.dc.Connected() > 0 && len(w.dc.Commands()) > 0 })
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() { // everybody asks again as soon as all are answered
		for sent := 0; ; sent += talks {
			for c := range talks {
				w.dc.Message("", fmt.Sprint(1000+c), fmt.Sprint(1000+c), "hi")
			}
			answered := func() bool { return len(w.dc.Sent()) >= sent+talks }
			for !answered() {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}
	})
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		id := ""
		if i%2 == 0 {
			id = w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "status"})
		} else {
			id = w.dc.Typing(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "help", Options: [][2]string{{"command", "s"}}})
		}
		if !w.dc.Wait(time.Minute, func() bool { _, ok := w.dc.Acknowledged(id); return ok }) {
			b.Fatal("never acknowledged")
		}
		at, _ := w.dc.Acknowledged(id)
		took = append(took, at.Sub(began))
	}
	b.StopTimer()
	close(stop)
	busy.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(w.llm.Most()), "calls-at-once")
}
