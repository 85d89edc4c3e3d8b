package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// figures are the claims: what is measured of the bare loop and of the bot in one
// run, in turns, and how far apart they may be.
type figures struct {
	b       *testing.B
	floor   string // programs
	bot     string
	years   string // a data folder with many messages; "" before it is built
	results []*figure
}

// figure is one line of the table.
type figure struct {
	name, unit string
	floor, bot []float64 // one of each round; floor is empty where there is none
	least      bool      // more is better
	ratio      float64   // the reach: the bot's over the floor's; 0 for none
	most       float64   // or in its unit; 0 for none
}

// rounds is how often each is measured; the median counts.
const rounds = 3

// BenchmarkFigures measures the programs themselves, each figure of the bot beside
// that of a loop that keeps nothing, in turns, and prints a table. The floor of what
// such a loop has no figure for is what is given as its reach.
func BenchmarkFigures(b *testing.B) {
	f := &figures{b: b}
	f.build()
	for range b.N * rounds {
		f.pair(f.start)
		f.pair(f.oneByOne)
		f.pair(f.burst)
		f.pair(f.many)
		f.alone(f.flood)
		f.alone(f.slow)
		f.alone(f.calls)
		for _, o := range outages {
			f.alone(func(c *contender) { f.outage(c, o.name, o.faults) })
		}
		f.alone(f.talk)
	}
	f.print()
}

// build compiles both programs as they are shipped.
func (f *figures) build() {
	f.bot, f.floor = compiled(f.b, ".", "-pgo=../../deploy/release/bot.pgo"), compiled(f.b, "./testdata/floor")
}

// compiled returns a program that is built of a folder.
func compiled(t testing.TB, source string, flags ...string) string {
	program := filepath.Join(t.TempDir(), "program")
	args := append(append([]string{"build", "-tags", "sqlite_fts5", "-o", program}, flags...), source)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", source, err, out)
	}
	return program
}

// contender is one of the two programs in a world of its own.
type contender struct {
	*figures
	*world
	program string
	child   *exec.Cmd
	peak    int64 // bytes of anonymous memory, the most that shower saw
}

func (f *figures) contender(program string) *contender {
	w := newWorld(f.b)
	w.llm.Quiet()
	return &contender{figures: f, world: w, program: program}
}

// begin starts the program and waits for its first poll.
func (c *contender) begin() time.Duration {
	polls := len(c.tg.Calls("getUpdates"))
	c.child = exec.Command(c.program)
	c.child.Env = append(os.Environ(), c.env...)
	began := time.Now()
	must(c.b, c.child.Start())
	child := c.child
	c.b.Cleanup(func() { kill(child) })
	_, err := c.tg.WaitCalls(c.b.Context(), "getUpdates", polls+1)
	must(c.b, err)
	return time.Since(began)
}

func (c *contender) end() { kill(c.child); c.cut(); c.llm.Close(); _ = os.RemoveAll(c.dir) }

// pair measures both programs.
func (f *figures) pair(measure func(*contender)) {
	for _, program := range []string{f.floor, f.bot} {
		c := f.contender(program)
		measure(c)
		c.end()
	}
}

// alone measures the bot, where a loop that keeps nothing shows nothing.
func (f *figures) alone(measure func(*contender)) {
	c := f.contender(f.bot)
	measure(c)
	c.end()
}

// note adds a value to a figure.
func (c *contender) note(want figure, v float64) {
	i := slices.IndexFunc(c.results, func(r *figure) bool { return r.name == want.name })
	if i < 0 {
		i, c.figures.results = len(c.results), append(c.results, &want)
	}
	r := c.results[i]
	if c.program == c.figures.floor {
		r.floor = append(r.floor, v)
	} else {
		r.bot = append(r.bot, v)
	}
}

func median(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}

// print shows the table.
func (f *figures) print() {
	fmt.Printf("\n%-46s %10s %10s %8s  %s\n", "figure", "floor", "bot", "ratio", "reach")
	for _, r := range f.results {
		floor, ratio, reach := "-", "-", ""
		if len(r.floor) > 0 {
			floor, ratio = fmt.Sprintf("%.2f", median(r.floor)), fmt.Sprintf("%.2f", median(r.bot)/median(r.floor))
		}
		sign := "≤"
		if r.least {
			sign = "≥"
		}
		if r.ratio > 0 {
			reach = fmt.Sprintf("%s %gx", sign, r.ratio)
		} else if r.most > 0 {
			reach = fmt.Sprintf("%s %g %s", sign, r.most, r.unit)
		}
		fmt.Printf("%-46s %10s %10.2f %8s  %s\n", r.name+", "+r.unit, floor, median(r.bot), ratio, reach)
	}
}

// start is from starting the process to its first poll, and what it holds half a
// second after its first answer.
func (f *figures) start(c *contender) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	c.note(figure{name: "start, fresh folder", unit: "ms", most: 35}, ms(c.begin()))
	kill(c.child)
	c.note(figure{name: "start, existing folder", unit: "ms", most: 35}, ms(c.begin()))
	c.tg.Push(telegramtest.Text(7, 7, "hi"))
	c.sent(c.b, 1)
	rest(time.Second)
	c.note(figure{name: "idle", unit: "MB", most: 16}, float64(anonymous(c.b, c.child.Process.Pid))/(1<<20))
}

// rest lets a program come to rest, or an outage last.
func rest(d time.Duration) { time.Sleep(d) }

// oneByOne is messages that wait for each other.
func (f *figures) oneByOne(c *contender) {
	c.begin()
	took, used := c.inTurn(300, "message %d")
	c.note(figure{name: "one message, p50", unit: "ms", most: 2.5}, took)
	c.note(figure{name: "CPU per message one at a time", unit: "ms", most: 1}, used)
}

// inTurn sends n messages of a format that wait for each other, after one that warms up. It
// returns the median time and the processor time for each, in milliseconds.
func (c *contender) inTurn(n int, format string) (p50, used float64) {
	sent := len(c.tg.Sent()) + 1
	c.tg.Push(telegramtest.Text(7, 7, "warm up"))
	c.sent(c.b, sent)
	var took []float64
	before := cpu(c.b, c.child.Process.Pid)
	for i := range n {
		began := time.Now()
		c.tg.Push(telegramtest.Text(7, 7, fmt.Sprintf(format, i)))
		c.sent(c.b, sent+i+1)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	return median(took), float64((cpu(c.b, c.child.Process.Pid) - before).Microseconds()) / 1000 / float64(n)
}

// shower pushes messages of many chats at once and waits for all answers.
func (c *contender) shower(chats, each int) (took, used time.Duration) {
	c.begin()
	c.tg.Push(telegramtest.Text(1, 1, "warm up"))
	c.sent(c.b, 1)
	before, began := cpu(c.b, c.child.Process.Pid), time.Now()
	batch := crowd(chats, each)
	most := highest(c.child.Process.Pid)
	c.tg.Push(batch...)
	c.sent(c.b, chats*each+1)
	took = time.Since(began)
	c.peak = most()
	used = cpu(c.b, c.child.Process.Pid) - before
	checkOrder(c.b, c.tg.Sent(), chats, each)
	return took, used
}

// crowd is what many chats say at once, each the numbers from 0 on, as checkOrder wants them.
func crowd(chats, each int) (batch []telegramtest.Update) {
	for i := range each {
		for chat := range chats {
			batch = append(batch, telegramtest.Text(int64(1000+chat), int64(1000+chat), fmt.Sprint(i)))
		}
	}
	return batch
}

// burst is 200 chats with 5 messages each at once.
func (f *figures) burst(c *contender) {
	took, used := c.shower(200, 5)
	c.note(figure{name: "burst 200 x 5", unit: "answers/s", ratio: 0.35, least: true}, 1000/took.Seconds())
	c.note(figure{name: "CPU per answer in the burst", unit: "ms", most: 0.7}, float64(used.Microseconds())/1000/1000)
	c.note(figure{name: "peak in the burst", unit: "MB", most: 40}, float64(c.peak)/(1<<20))
	if c.program == c.figures.floor {
		return
	}
	rest(time.Minute)
	c.note(figure{name: "60 s after the burst", unit: "MB", most: 20}, float64(anonymous(c.b, c.child.Process.Pid))/(1<<20))
}

// many is 1,000 chats with one message each at once.
func (f *figures) many(c *contender) {
	took, _ := c.shower(1000, 1)
	c.note(figure{name: "1,000 chats x 1", unit: "answers/s", ratio: 0.35, least: true}, 1000/took.Seconds())
	c.note(figure{name: "peak in 1,000 chats", unit: "MB", most: 70}, float64(c.peak)/(1<<20))
}

// flood is 20,000 messages at once.
func (f *figures) flood(c *contender) {
	c.shower(2000, 10)
	c.note(figure{name: "peak in 20,000 messages", unit: "MB", most: 90}, float64(c.peak)/(1<<20))
}

// slow is 50 chats at once with a model that takes 500 ms. The bare loop would ask
// one after the other, so what is nearest is the model's own time.
func (f *figures) slow(c *contender) {
	c.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Delay: 500 * time.Millisecond} })
	c.begin()
	var batch []telegramtest.Update
	for chat := range 50 {
		batch = append(batch, telegramtest.Text(int64(1000+chat), int64(1000+chat), "hi"))
	}
	began := time.Now()
	c.tg.Push(batch...)
	c.sent(c.b, 50)
	c.note(figure{name: "50 chats, model of 500 ms", unit: "ms", most: 545}, float64(time.Since(began).Milliseconds()))
}

// calls is a message with five tool calls that write, less what its five model calls
// and its answer take without them.
func (f *figures) calls(c *contender) {
	c.llm.Respond(fiveCalls)
	c.begin()
	var took []float64
	for i := range 60 {
		began := time.Now()
		c.tg.Push(telegramtest.Text(7, 7, fmt.Sprint("decide ", i)))
		c.sent(c.b, i+1)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	c.note(figure{name: "five tool calls that write, p50", unit: "ms"}, median(took))
	c.note(figure{name: "our own share of them", unit: "ms", most: 6}, median(took)-c.others())
}

// others is what the five model calls and the answer of calls take whoever makes them,
// in milliseconds.
func (c *contender) others() float64 {
	c.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{} })
	one := func(url string, body any) float64 {
		b, err := json.Marshal(body)
		must(c.b, err)
		var took []float64
		for range 100 {
			began := time.Now()
			resp, err := http.Post(url, "application/json", bytes.NewReader(b))
			must(c.b, err)
			_, err = io.Copy(io.Discard, resp.Body)
			must(c.b, errors.Join(err, resp.Body.Close()))
			took = append(took, float64(time.Since(began).Microseconds())/1000)
		}
		return median(took)
	}
	asked := one(c.llm.URL()+"/chat/completions", map[string]any{"model": "test", "stream": true,
		"messages": []any{map[string]string{"role": "user", "content": strings.Repeat("word ", 1400)}}})
	return 5*asked + one(c.tg.URL()+"/bot"+c.tg.Token()+"/sendMessage", map[string]any{"chat_id": 7, "text": "done"})
}

// outages are how a platform takes nothing. What was cut twice is not sent again, since
// it may have arrived.
var outages = []struct {
	name   string
	faults []telegramtest.Fault
}{
	{"502", []telegramtest.Fault{{Status: 502}}},
	{"429", []telegramtest.Fault{{Status: 429, RetryAfter: 1}}},
	{"a cut, then 502", []telegramtest.Fault{{Drop: true, Times: outageChats}, {Status: 502}}},
}

const outageChats = 40

// outage is a platform that takes nothing for five seconds while 40 chats are
// answered: how long after its end the last answer is there.
func (f *figures) outage(c *contender, name string, faults []telegramtest.Fault) {
	c.begin()
	c.tg.Push(telegramtest.Text(1, 1, "warm up"))
	c.sent(c.b, 1)
	var lift []func()
	for _, fault := range faults {
		fault.Method = "sendMessage"
		lift = append(lift, c.tg.Fail(fault))
	}
	for chat := range int64(outageChats) {
		c.tg.Push(telegramtest.Text(1000+chat, 1000+chat, "hi"))
	}
	rest(5 * time.Second)
	tries := c.tg.Calls("sendMessage")
	for _, end := range lift {
		end()
	}
	over := time.Now()
	c.sent(c.b, outageChats+1)
	c.note(figure{name: "last answer after " + name, unit: "s", most: 1.5}, time.Since(over).Seconds())
	if faults[0].RetryAfter == 0 { // else it says when
		c.note(figure{name: "first retry after " + name, unit: "ms", most: 250}, firstRetry(tries))
	}
}

// firstRetry is how long after the first attempt the second to the same chat was, in
// milliseconds.
func firstRetry(calls []telegramtest.Call) float64 {
	first := map[int64]time.Time{}
	worst := time.Duration(0)
	done := map[int64]bool{}
	for _, call := range calls {
		at, again := first[call.Chat]
		if !again {
			first[call.Chat] = call.At
		} else if !done[call.Chat] {
			done[call.Chat] = true
			worst = max(worst, call.At.Sub(at))
		}
	}
	return float64(worst.Microseconds()) / 1000
}

// talk is 200 messages in one chat.
func (f *figures) talk(c *contender) {
	var calls atomic.Int64
	c.llm.Respond(func(llmtest.Request) llmtest.Turn { calls.Add(1); return llmtest.Turn{} })
	c.llm.Structured(func(llmtest.Request) llmtest.Turn {
		calls.Add(1)
		return llmtest.Turn{Text: `{"summary":"They talked.","title":"Talk","decisions":[],"facts":[]}`}
	})
	c.begin()
	for i := range 200 {
		c.tg.Push(telegramtest.Text(7, 7, fmt.Sprint("message ", i)))
		c.sent(c.b, i+1)
	}
	c.note(figure{name: "200 messages in one chat", unit: "model calls", most: 210}, float64(calls.Load()))
}
