package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/tools"
)

// bench is an agent with a real store and a scripted model.
type bench struct {
	*Agent
	t     testing.TB
	store *memory.Store
	model *llmtest.Script
	clock time.Time
	n     int
}

func newBench(t testing.TB, o Options, list ...tools.Tool) *bench {
	t.Helper()
	b := &bench{t: t, model: &llmtest.Script{}, clock: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)}
	now := func() time.Time { return b.clock }
	var err error
	b.store, err = memorytest.Try(t, filepath.Join(t.TempDir(), "data"), memory.Options{Now: now})
	must(t, err)
	t.Cleanup(func() { must(t, b.store.Close()) })
	o.Store, o.Runner, o.Now, o.ModelName = b.store, &tools.Runner{Now: now}, now, "m1"
	if o.Model == nil {
		o.Model = b.model
	}
	if o.MaxMessages == 0 {
		o.MaxMessages = 25 // so that a short talk is summed up
	}
	set := tools.NewSet(list...)
	o.Tools = func(context.Context, chat.Message) (tools.Set, error) { return set, nil }
	b.Agent, err = New(o)
	must(t, err)
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sent is what Ann writes in her direct chat.
func sent(text string, files ...chat.File) chat.Message {
	return chat.Message{Key: annAlone.Key, From: chat.User{ID: annAlone.User, Name: "Ann"}, Text: text, Direct: true, Files: files}
}

// say delivers a message as the hub would and returns the answer.
func (b *bench) say(text string) string {
	b.t.Helper()
	return b.from(sent(text))
}

// shown answers a message that w watches.
func (b *bench) shown(m chat.Message, w chat.Reply) chat.Answer {
	b.t.Helper()
	a, err := b.Handle(b.t.Context(), m, w)
	must(b.t, err)
	return a
}

// resume answers the open question of d, for each of its calls.
func (b *bench) resume(d *desk, agreed ...bool) chat.Answer {
	b.t.Helper()
	return b.resumed(sent("some"), d.resumed(agreed))
}

func (b *bench) resumed(m chat.Message, r Resumed) chat.Answer {
	b.t.Helper()
	m = b.accept(m)
	a, err := b.Resume(b.t.Context(), m, chat.Unwatched{}, r)
	must(b.t, err)
	must(b.t, b.store.Finish(b.t.Context(), m, nil, a.Record))
	return a
}

// decision returns what the record says of Ann's last message.
func (b *bench) decision() memory.Decision {
	b.t.Helper()
	d, err := b.store.Decisions.LastDecision(b.t.Context(), memory.Place{Key: annAlone.Key, User: annAlone.User})
	must(b.t, err)
	return d
}

// last returns the newest request.
func (b *bench) last() llm.Request {
	all := b.model.Requests()
	return all[len(all)-1]
}

// spoken is a model's answer in words.
func spoken(words string) llm.Response {
	return llm.Response{Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant, Content: words}}
}

// wanted is a model's answer that calls tools.
func wanted(calls ...llm.ToolCall) llm.Response {
	return llm.Response{Finish: llm.FinishToolCalls, Message: llm.Message{Role: llm.RoleAssistant, ToolCalls: calls}}
}

// folding answers every message with said, and every request for a summary with folded.
func folding(said, folded string) func(llm.Request) (llm.Response, error) {
	return func(r llm.Request) (llm.Response, error) {
		if r.Schema != nil {
			return spoken(folded), nil
		}
		return spoken(said), nil
	}
}

// gives returns a tool with one result.
func gives(meta tools.Meta, r tools.Result) tools.Tool {
	return tools.Func(meta, func(context.Context, tools.Call, struct{}) (tools.Result, error) { return r, nil })
}

// letters says what its script says, one character at a time.
type letters struct{ llmtest.Script }

func (l *letters) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	resp, err := l.Script.Complete(ctx, r, nil)
	for _, c := range resp.Message.Content {
		if onText != nil {
			onText(string(c))
		}
	}
	return resp, err
}

// viewer is a Reply that keeps what somebody sees of an answer.
type viewer struct {
	mu     sync.Mutex
	now    string
	frames []string // after each piece
	text   strings.Builder
	told   []string // tools at work
}

func (v *viewer) Text(delta string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now += delta
	v.text.WriteString(delta)
	v.frames = append(v.frames, v.now)
}

func (v *viewer) Status(note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text.WriteString(note)
}

func (v *viewer) Reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = ""
}

func (v *viewer) Work(tool string, begins bool) { v.told = append(v.told, fmt.Sprint(tool, begins)) }

func (b *bench) from(m chat.Message) string {
	b.t.Helper()
	m = b.accept(m)
	a, err := b.Handle(context.Background(), m, chat.Unwatched{})
	must(b.t, err)
	return b.finish(m, a)
}

func (b *bench) accept(m chat.Message) chat.Message {
	b.t.Helper()
	b.n++
	m.ID, m.Addressed, m.At = fmt.Sprint(b.n), true, b.clock
	fresh, err := b.store.Accept(context.Background(), chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}})
	must(b.t, err)
	return fresh[0]
}

func (b *bench) finish(m chat.Message, a chat.Answer) string {
	b.t.Helper()
	m.Row = int64(b.n)
	must(b.t, b.store.Finish(context.Background(), m, nil, a.Record))
	if after, ok := a.Record.(chat.Aftercare); ok && after.After() != nil {
		after.After()(context.Background())
	}
	return a.Text
}

// system returns everything a request says as system.
func system(r llm.Request) string {
	var all []string
	for _, m := range r.Messages {
		if m.Role == llm.RoleSystem {
			all = append(all, m.Content)
		}
	}
	return strings.Join(all, "\n")
}

func count(ms []llm.Message, role llm.Role) (n int) {
	for _, m := range ms {
		if m.Role == role {
			n++
		}
	}
	return n
}

type addArgs struct {
	Text string `json:"text"`
}

// adder returns a tool with a side effect that counts how often it ran.
func adder(ran *atomic.Int32) tools.Tool {
	return tools.Func(tools.Meta{Name: "add", Description: "adds", Category: tools.Task, SideEffect: true, Core: true},
		func(_ context.Context, _ tools.Call, a addArgs) (tools.Result, error) {
			ran.Add(1)
			return tools.Result{Content: "added " + a.Text}, nil
		})
}

func call(id, name, args string) llm.ToolCall { return llm.ToolCall{ID: id, Name: name, Args: args} }
