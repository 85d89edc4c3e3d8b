package console_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/text"
	"parley/internal/text/waittest"
)

// wire is a model that reports its requests and answers.
type wire struct {
	sent, got string
	reply     llm.Message
	err       error
}

func (w wire) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	llm.Ear(ctx)(llm.Exchange{Sent: []byte(w.sent), Got: []byte(w.got), Err: w.err})
	return llm.Response{Message: w.reply}, w.err
}

const (
	sentBody = `{"model":"qwen3","temperature":0.2,"tools":[{"type":"function","function":{"name":"recall","description":"Looks <into> the past","parameters":{"type":"object"}}}],` +
		`"messages":[{"role":"system","content":"You are <b>kind</b>."},{"role":"user","content":[{"type":"text","text":"hello bot"},{"type":"image_url","image_url":{"url":"x"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"recall","arguments":"{\"query\":\"mug\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"a blue mug"}]}`
	gotBody = `{"choices":[{"message":{"role":"assistant","content":"<think>hm</think>Hello!","reasoning_content":"let me see"},"finish_reason":"stop"}],"usage":{"prompt_tokens":17}}`
)

// asked stores a message whose answer took two model calls, and one call beside it. It
// returns the message's page.
func (s *site) asked() (m chat.Message, path string) {
	s.t.Helper()
	m = chat.Message{ID: "asked", Key: keyOf("telegram:42"), From: userOf("telegram:42", "Alice"), Text: "hello bot",
		Addressed: true, At: s.clock.now()}
	in, err := s.store.Accept(context.Background(), chat.Batch{Platform: "telegram", Messages: []chat.Message{m}})
	if err != nil {
		s.t.Fatal(err)
	}
	m = in[0]
	ctx := chat.PaidBy(context.Background(), m)
	for _, w := range []wire{
		{sent: `{"messages":[{"role":"user","content":"too long"}]}`, err: &llm.Error{Class: llm.ErrContextOverflow,
			Detail: "4096 tokens are too many"}},
		{sent: sentBody, got: gotBody, reply: llm.Message{Role: llm.RoleAssistant, Content: "Hello!"}},
	} {
		_, _ = modellog.Model{Model: w, Tape: s.tape, Name: "main", Purpose: "answer"}.Complete(ctx, llm.Request{}, nil)
	}
	_, _ = modellog.Model{Model: wire{sent: "{}", got: "{}"}, Tape: s.tape, Name: "main",
		Purpose: "summary"}.Complete(chat.PaidBy(context.Background(), chat.Message{Key: m.Key}), llm.Request{}, nil)
	rec := turn(m, "Hello!")
	rec.Decision.Calls = 2
	if err := s.store.Finish(context.Background(), m, nil, rec); err != nil {
		s.t.Fatal(err)
	}
	d, err := s.store.Decisions.LastDecision(context.Background(), memory.Place{Key: m.Key, User: m.From.ID})
	if err != nil {
		s.t.Fatal(err)
	}
	s.taped(3)
	return m, "/turns/" + d.ID
}

// taped waits until a call is stored.
func (s *site) taped(id int64) {
	s.t.Helper()
	if !waittest.Within(time.Minute, func() bool { _, err := s.tape.Read(context.Background(), id); return err == nil }) {
		s.t.Fatal("the call is not stored")
	}
}

// The owner sees the complete requests and answers behind each answer; nobody else does,
// and nothing remains once it is forgotten.
func TestRecordedCalls(t *testing.T) {
	views := sampleViews()
	views.Script = func(_ context.Context, id string) (string, error) {
		if id != "00000000" {
			return "> hello </textarea>\n= Hello!", nil
		}
		return "", text.Tell("Nothing is kept.")
	}
	s := newSite(t, views, echo)
	m, turn := s.asked()
	s.logIn()
	calls := regexp.MustCompile(`<a href="(calls/\d+)">(\w+), main`)
	for _, path := range []string{turn, "/conversation?place=telegram:42"} {
		found := calls.FindAllStringSubmatch(s.get(path), -1)
		if want := map[bool]int{true: 2, false: 3}[path == turn]; len(found) != want { // the summary is beside the conversation
			t.Fatalf("%s links to %q", path, found)
		}
		if path != turn {
			continue
		}
		failed, answered := s.get(found[0][1]), s.get(found[1][1])
		if !strings.Contains(failed, "4096 tokens are too many") || !strings.Contains(failed, "None came.") {
			t.Errorf("the call that failed shows\n%s", failed)
		}
		for _, want := range []string{"You are &lt;b&gt;kind&lt;/b&gt;.", "hello bot(image_url)", "assistant calls recall",
			"{&#34;query&#34;:&#34;mug&#34;}", "a blue mug", "Looks &lt;into&gt; the past",
			"temperature", "0.2", "&lt;think&gt;hm&lt;/think&gt;Hello!", "assistant (thinking)", "let me see", "Taken for",
			"prompt_tokens", "stop"} {
			if !strings.Contains(answered, want) {
				t.Errorf("the call lacks %q:\n%s", want, answered)
			}
		}
		for which, want := range map[string]string{"/request": sentBody, "/answer": gotBody} {
			resp, body := s.request(http.MethodGet, found[1][1]+which, nil, nil)
			if body != want || resp.Header.Get("Content-Type") != "application/json" ||
				!strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
				t.Errorf("%s is %q, %v", which, body, resp.Header)
			}
		}
	}
	s.shows(turn+"/script", "&gt; hello &lt;/textarea&gt;\n= Hello!</textarea>")
	if resp, body := s.request(http.MethodGet, "/turns/00000000/script", nil, nil); resp.StatusCode != 422 ||
		!strings.Contains(body, "Nothing is kept.") {
		t.Errorf("without words: %s\n%s", resp.Status, body)
	}
	s.store.Forgetting = s.tape.ForgetPerson
	if err := s.store.ForgetPerson(context.Background(), m.From.ID, 0); err != nil {
		t.Fatal(err)
	}
	s.missing(turn, "/calls/1", "/calls/2", "/calls/2/request", "/calls/99", "/calls/x", "/turns/1", "/turns/00000000")
}

func TestCallsAreForTheOwner(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	_, turn := s.asked()
	for _, path := range []string{turn, "/calls/2", "/calls/2/request"} {
		resp, body := s.request(http.MethodGet, path, nil, nil)
		if resp.Request.URL.Path != "/login" || strings.Contains(body, "kind") {
			t.Errorf("%s shows %s\n%s", path, resp.Request.URL, body)
		}
	}
}

// A long request is shortened on the page, its end last, and complete in the download.
func TestLongCallsFitAPage(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	long := `{"messages":[{"role":"system","content":"` + strings.Repeat("<&> wordy ", 3000) + `"}`
	for range 60 {
		long += `,{"role":"user","content":"` + strings.Repeat("<said> ", 2000) + `"}`
	}
	long += `,{"role":"user","content":"and the end"}]}`
	_, _ = modellog.Model{Model: wire{sent: long, got: gotBody}, Tape: s.tape}.Complete(context.Background(), llm.Request{}, nil)
	s.taped(1)
	s.logIn()
	body := s.get("/calls/1")
	if len(body) > 80<<10 || !strings.Contains(body, "and the end") || !strings.Contains(body, "Too long for this page") {
		t.Errorf("%d bytes:\n%.300s", len(body), body)
	}
	if _, whole := s.request(http.MethodGet, "/calls/1/request", nil, nil); whole != long {
		t.Errorf("%d bytes are handed out of %d", len(whole), len(long))
	}
}
