package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// floor is the bare loop everything is measured against: it long-polls, asks
// the model and sends, and keeps nothing.
func floor(ctx context.Context, w *world, polled func()) {
	api := w.tg.URL() + "/bot" + w.tg.Token() + "/"
	client := &http.Client{}
	call := func(url string, in, out any) error {
		b, _ := json.Marshal(in)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b))
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		return json.NewDecoder(resp.Body).Decode(out)
	}
	offset := int64(0)
	for ctx.Err() == nil {
		var updates struct {
			Result []struct {
				ID      int64 `json:"update_id"`
				Message struct {
					Chat struct{ ID int64 }
					Text string
				}
			}
		}
		polled()
		if call(api+"getUpdates", map[string]any{"offset": offset, "timeout": 20}, &updates) != nil {
			return
		}
		for _, u := range updates.Result {
			offset = u.ID + 1
			var said struct {
				Choices []struct{ Message struct{ Content string } }
			}
			ask := map[string]any{"model": "test", "messages": []any{map[string]string{"role": "user", "content": u.Message.Text}}}
			if call(w.llm.URL()+"/chat/completions", ask, &said) != nil {
				return
			}
			_ = call(api+"sendMessage", map[string]any{"chat_id": u.Message.Chat.ID, "text": said.Choices[0].Message.Content}, &struct{}{})
		}
	}
}

// oneByOne measures messages that wait for each other.
func oneByOne(b *testing.B, w *world) {
	var took []time.Duration
	w.tg.Push(telegramtest.Text(7, 7, "warm up"))
	w.sent(b, 1)
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		w.tg.Push(telegramtest.Text(7, 7, fmt.Sprintf("message %d", i)))
		w.sent(b, i+2)
		took = append(took, time.Since(began))
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

func BenchmarkOneByOneFloor(b *testing.B) {
	w := newWorld(b)
	w.llm.Quiet()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { floor(ctx, w, func() {}); close(done) }()
	defer func() { cancel(); <-done }()
	oneByOne(b, w)
}

func BenchmarkOneByOne(b *testing.B) {
	w := newWorld(b)
	w.llm.Quiet()
	w.run(b)
	oneByOne(b, w)
}

// BenchmarkFiveCalls is one message at a time that takes five model calls, four
// of which call tools that write, five calls in all: the most there is to one
// message. The floor's five model calls are in the time.
func BenchmarkFiveCalls(b *testing.B) {
	w := newWorld(b)
	w.llm.Quiet()
	var calls atomic.Int64
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn { calls.Add(1); return fiveCalls(r) })
	w.run(b)
	oneByOne(b, w)
	b.ReportMetric(float64(calls.Load())/float64(b.N+1), "model-calls")
}

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

// BenchmarkBurst is 200 chats with 5 messages each at once: answers a second,
// and the bot's own CPU for each, taken from a child process.
func BenchmarkBurst(b *testing.B) {
	const chats, each = 200, 5
	for range b.N {
		w := newWorld(b)
		w.llm.Quiet()
		child := w.start(b)
		w.tg.Push(telegramtest.Text(1, 1, "warm up"))
		w.sent(b, 1)
		before := cpu(b, child.Process.Pid)
		began := time.Now()
		var batch []telegramtest.Update
		for i := range each {
			for c := range chats {
				batch = append(batch, telegramtest.Text(int64(1000+c), int64(1000+c), fmt.Sprintf("%d", i)))
			}
		}
		w.tg.Push(batch...)
		w.sent(b, chats*each+1)
		took := time.Since(began)
		used := cpu(b, child.Process.Pid) - before
		checkOrder(b, w.tg.Sent(), chats, each)
		b.ReportMetric(float64(chats*each)/took.Seconds(), "answers/s")
		b.ReportMetric(float64(used.Microseconds())/float64(chats*each), "cpu-µs/answer")
		kill(child)
	}
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

// BenchmarkSlowModel is 50 chats at once with a model that takes 500 ms.
func BenchmarkSlowModel(b *testing.B) {
	for range b.N {
		w := newWorld(b)
		w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: 500 * time.Millisecond} })
		w.run(b)
		eventually(b, "a poll", w.tg.Polling)
		began := time.Now()
		var batch []telegramtest.Update
		for c := range 50 {
			batch = append(batch, telegramtest.Text(int64(1000+c), int64(1000+c), "hi"))
		}
		w.tg.Push(batch...)
		w.sent(b, 50)
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "all-ms")
		_ = w.stop()
	}
}

// BenchmarkStart is from starting the process to its first poll, with a fresh
// data folder and with one that is there already.
func BenchmarkStart(b *testing.B) {
	for _, fresh := range []bool{true, false} {
		b.Run(fmt.Sprintf("fresh=%t", fresh), func(b *testing.B) {
			var total time.Duration
			w := newWorld(b)
			if !fresh {
				kill(w.startAndPoll(b))
			}
			for range b.N {
				if fresh {
					_ = os.RemoveAll(w.dir)
				}
				began := time.Now()
				child := w.startAndPoll(b)
				total += time.Since(began)
				kill(child)
			}
			b.ReportMetric(float64(total.Microseconds())/float64(b.N)/1000, "ms/start")
		})
	}
}

// BenchmarkIdle is the resident memory of a bot that has answered and waits.
func BenchmarkIdle(b *testing.B) {
	for range b.N {
		w := newWorld(b)
		child := w.start(b)
		w.tg.Push(telegramtest.Text(7, 7, "hi"))
		w.sent(b, 1)
		time.Sleep(500 * time.Millisecond)
		b.ReportMetric(float64(anonymous(b, child.Process.Pid))/(1<<20), "MB-anonymous")
		kill(child)
	}
}

// start runs the bot as a process of its own.
func (w *world) start(t testing.TB, env ...string) *exec.Cmd {
	t.Helper()
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

// cpu returns the processor time a process has used (clock ticks are 10 ms).
func cpu(t testing.TB, pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("no /proc")
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+2:]))
	var user, system int64
	_, _ = fmt.Sscan(fields[11], &user)
	_, _ = fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// anonymous returns the memory that a process has for itself, in bytes: RssAnon. Pages
// of its program belong to the page cache and can be dropped at any time.
func anonymous(t testing.TB, pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Skip("no /proc")
	}
	var size, resident, shared int64
	_, _ = fmt.Sscan(string(b), &size, &resident, &shared)
	return (resident - shared) * int64(os.Getpagesize())
}

// highest watches the anonymous memory of a process until stop, which returns the most
// that was seen, in bytes. The system itself keeps a peak of all pages only.
func highest(t testing.TB, pid int) (stop func() int64) {
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
				top = max(top, anonymous(t, pid))
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
