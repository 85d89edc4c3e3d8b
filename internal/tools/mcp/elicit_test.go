package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/chat"
	"parley/internal/text/waittest"
	"parley/internal/tools"
)

// handler answers a call of a fake's tool.
type handler func(context.Context, *sdk.CallToolRequest) (string, error)

func (f *fake) handle(name string, h handler) {
	f.server.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, err := h(ctx, r)
			if err != nil {
				return nil, err
			}
			return says(text)()
		})
}

// eliciting elicits and tells what came of it.
func eliciting(p *sdk.ElicitParams) handler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		got, err := r.Session.Elicit(ctx, p)
		if err != nil {
			return "", err
		}
		b, err := json.Marshal(got.Content)
		return got.Action + " " + string(b), err
	}
}

// whoAreYou is a question with a few fields.
var whoAreYou = &sdk.ElicitParams{Message: "Who are you?",
	RequestedSchema: json.RawMessage(`{"type":"object","required":["name"],"properties":{
	"age":{"type":"integer","minimum":1},"name":{"type":"string","title":"Your name"},"mood":{"type":"string","oneOf":[{"const":"m1","title":"Good"},{"const":"m2","title":"Bad"}]}}}`)}

// asker runs a client whose servers may ask people.
func asker(t *testing.T, f *fake) *Client {
	t.Helper()
	return beginWith(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir(), Asks: true}, f)
}

// runAs makes a call for somebody.
func runAs(ctx context.Context, set tools.Set, who, name string) tools.Outcome {
	var r tools.Runner
	call := tools.Call{Name: name, Args: json.RawMessage(`{}`), Confirmed: true, Who: chat.User{ID: who}}
	return r.Run(tools.WithPerson(ctx, tools.Person{Asks: who != ""}), set, call)
}

func TestServersAskPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newOlderFake()
		f.handle("ask", eliciting(whoAreYou))
		f.handle("twice", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
			a, err := eliciting(whoAreYou)(ctx, r)
			if err != nil {
				return "", err
			}
			b, err := eliciting(whoAreYou)(ctx, r)
			return a + ", " + b, err
		})
		c := asker(t, f)
		for want, reply := range map[string]tools.Reply{
			`accept {"age":7,"name":"Ann"}`: {Action: tools.Accept, Values: map[string]any{"name": "Ann", "age": int64(7)}},
			"decline null":                  {Action: tools.Decline},
			"cancel null":                   {Action: tools.Cancel},
		} {
			o := runAs(t.Context(), c.Set(), "ann", "fake__ask")
			q, ok := o.Result.Data.(tools.Inquiry)
			if !ok || o.Class != tools.NeedsInput || q.Server != "fake" || q.Message != "Who are you?" {
				t.Fatalf("%+v", o)
			}
			var names []string
			for _, field := range q.Fields {
				names = append(names, fmt.Sprint(field.Name, " ", field.Title, " ", field.Kind, " ", field.Required))
			}
			if got := strings.Join(names, ", "); got != "name Your name text true, age age whole false, mood mood choice false" {
				t.Errorf("fields: %s", got)
			}
			if o = runAs(t.Context(), tools.NewSet(q.Go(reply)), "ann", "fake__ask"); !strings.Contains(o.Result.Content, want) ||
				o.Class != "" || !o.Result.Untrusted {
				t.Errorf("%v: %s %s", reply, o.Class, o.Result.Content)
			}
		}
		o := runAs(t.Context(), c.Set(), "ann", "fake__twice")
		for range 2 {
			q := o.Result.Data.(tools.Inquiry)
			o = runAs(t.Context(), tools.NewSet(q.Go(tools.Reply{Action: tools.Accept, Values: map[string]any{"name": "Bo"}})), "ann", "fake__twice")
		}
		if want := `accept {"name":"Bo"}, accept {"name":"Bo"}`; !strings.Contains(o.Result.Content, want) {
			t.Errorf("asked twice: %s %s", o.Class, o.Result.Content)
		}
	})
}

// Nobody is asked where nobody can be, or where it is not clear who: the server
// hears that nobody answered.
func TestNobodyIsAskedForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newOlderFake()
		f.handle("ask", eliciting(whoAreYou))
		f.handle("slow", func(ctx context.Context, _ *sdk.CallToolRequest) (string, error) {
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
			}
			return "slept", nil
		})
		c := asker(t, f)
		if o := runAs(t.Context(), c.Set(), "", "fake__ask"); !strings.Contains(o.Result.Content, "cancel null") {
			t.Errorf("nobody: %s %s", o.Class, o.Result.Content)
		}
		var beside sync.WaitGroup
		beside.Go(func() { runAs(t.Context(), c.Set(), "bo", "fake__slow") })
		synctest.Wait()
		if o := runAs(t.Context(), c.Set(), "ann", "fake__ask"); !strings.Contains(o.Result.Content, "cancel null") {
			t.Errorf("beside another's call: %s %s", o.Class, o.Result.Content)
		}
		beside.Wait()
		for session := range f.server.Sessions() {
			if got, err := session.Elicit(t.Context(), whoAreYou); err != nil || got.Action != "cancel" {
				t.Errorf("out of the blue: %+v %v", got, err)
			}
		}
	})
}

// A server waits for a person as long as that may take, and no longer; one who
// stops is not waited for.
func TestAskingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newOlderFake()
		told := make(chan string, 10)
		f.handle("ask", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
			got, err := eliciting(whoAreYou)(ctx, r)
			told <- fmt.Sprint(got, err)
			return got, err
		})
		c := asker(t, f)
		o := runAs(t.Context(), c.Set(), "ann", "fake__ask")
		waittest.Pass(10 * time.Minute)
		if len(told) > 0 {
			t.Fatalf("after ten minutes: %s", <-told)
		}
		waittest.Pass(6 * time.Minute)
		if len(told) == 0 {
			t.Fatal("after a quarter of an hour it waits still")
		}
		<-told
		late := runAs(t.Context(), tools.NewSet(o.Result.Data.(tools.Inquiry).Go(tools.Reply{Action: tools.Accept})), "ann", "fake__ask")
		if late.Class == "" || late.Class == tools.NeedsInput {
			t.Errorf("answered too late: %s %s", late.Class, late.Result.Content)
		}
		if o := run(t, c, "fake__ask", "{}"); !strings.Contains(o.Result.Content, "cancel") {
			t.Errorf("afterwards: %s %s", o.Class, o.Result.Content)
		}
	})
}

// What a server asks that cannot be asked in a chat is not asked.
func TestFormsThatCannotBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newOlderFake()
		many := `{"type":"object","properties":{`
		for i := range 30 {
			many += fmt.Sprintf(`"f%d":{"type":"string"},`, i)
		}
		for name, p := range map[string]*sdk.ElicitParams{
			"many":   {Message: "x", RequestedSchema: json.RawMessage(strings.TrimSuffix(many, ",") + "}}")},
			"script": {Mode: "url", Message: "x", URL: "javascript:alert(1)", ElicitationID: "1"},
			"file":   {Mode: "url", Message: "x", URL: "file:///etc/passwd", ElicitationID: "1"},
			"user":   {Mode: "url", Message: "x", URL: "https://bank.example@evil.example/", ElicitationID: "1"},
			"hidden": {Mode: "url", Message: "x", URL: "https://evil.example/\u200bx", ElicitationID: "1"},
		} {
			f.handle(name, eliciting(p))
		}
		f.handle("good", eliciting(&sdk.ElicitParams{Mode: "url", Message: "x", URL: "https://good.example/", ElicitationID: "1"}))
		c := asker(t, f)
		for _, name := range []string{"many", "script", "file", "user", "hidden"} {
			if o := runAs(t.Context(), c.Set(), "ann", "fake__"+name); o.Class == tools.NeedsInput || !strings.Contains(o.Result.Content, "cancel") {
				t.Errorf("%s: %s %s", name, o.Class, o.Result.Content)
			}
		}
		o := runAs(t.Context(), c.Set(), "ann", "fake__good")
		q, ok := o.Result.Data.(tools.Inquiry)
		if !ok || q.URL != "https://good.example/" || len(q.Fields) > 0 {
			t.Fatalf("%+v", o)
		}
		if o = runAs(t.Context(), tools.NewSet(q.Go(tools.Reply{Action: tools.Accept})), "ann",
			"fake__good"); !strings.Contains(o.Result.Content, "accept") {
			t.Errorf("%s %s", o.Class, o.Result.Content)
		}
	})
}

// A server that wants a page opened before it does anything says so with an
// error: the call is made again once the person agrees, and not otherwise.
func TestPagesBeforeACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		opened := false
		f.handle("act", func(context.Context, *sdk.CallToolRequest) (string, error) {
			if opened {
				return "acted", nil
			}
			return "", sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", Message: "Log in", URL: "https://good.example/",
				ElicitationID: "1"}})
		})
		c := asker(t, f)
		for _, action := range []tools.ReplyAction{tools.Decline, tools.Accept} {
			o := runAs(t.Context(), c.Set(), "ann", "fake__act")
			q, ok := o.Result.Data.(tools.Inquiry)
			if !ok || q.URL != "https://good.example/" {
				t.Fatalf("%+v", o)
			}
			opened = action == tools.Accept
			o = runAs(t.Context(), tools.NewSet(q.Go(tools.Reply{Action: action})), "ann", "fake__act")
			if done := o.Class == "" && strings.Contains(o.Result.Content, "acted"); done != opened {
				t.Errorf("%s: %s %s", action, o.Class, o.Result.Content)
			}
		}
	})
}

// A client whose servers may not ask does not say that they may.
func TestAskingIsDeclared(t *testing.T) {
	for _, asks := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.add("x", "x", says("x"))
			beginWith(t, Options{Servers: []Server{server("fake")}, Dir: t.TempDir(), Asks: asks}, f)
			n := 0
			for session := range f.server.Sessions() {
				n++
				can := session.InitializeParams().Capabilities.Elicitation
				if (can != nil) != asks || asks && (can.Form == nil || can.URL == nil) {
					t.Errorf("asks %t: %+v", asks, can)
				}
			}
			if n != 1 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

func TestProgressIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var tokens []any
		f.handle("work", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
			token := r.Params.GetProgressToken()
			tokens = append(tokens, token)
			for _, p := range []sdk.ProgressNotificationParams{
				{ProgressToken: token, Progress: 1, Total: 4, Message: "reading *a*\n[x](https://evil.example)"},
				{ProgressToken: token, Progress: 2, Total: 4},
				{ProgressToken: token, Progress: 3},
				{ProgressToken: token, Progress: 9, Total: 4, Message: strings.Repeat("long ", 100)},
				{ProgressToken: "another's", Progress: 1, Message: "CANARY"},
			} {
				if token != nil {
					_ = r.Session.NotifyProgress(ctx, &p)
				}
			}
			waittest.Pass(time.Second)
			return "done", nil
		})
		c := asker(t, f)
		var mu sync.Mutex
		var lines []string
		p := tools.Person{Status: func(line string) { mu.Lock(); defer mu.Unlock(); lines = append(lines, line) }}
		var r tools.Runner
		o := r.Run(tools.WithPerson(t.Context(), p), c.Set(), tools.Call{Name: "fake__work", Args: json.RawMessage("{}"), Confirmed: true})
		synctest.Wait()
		if o.Class != "" || !strings.Contains(o.Result.Content, "done") || strings.Contains(o.Result.Content, "reading") {
			t.Errorf("%s %s", o.Class, o.Result.Content)
		}
		if want := []string{`_fake:_ reading \*a\* ⏎ \[x\](https://evil.example) (25 %)`, "_fake:_ 50 %",
			"_fake:_ step 3"}; len(lines) != 4 || !slices.Equal(lines[:3], want) || len(lines[3]) > 250 {
			t.Errorf("%q", lines)
		}
		run(t, c, "fake__work", "{}") // nobody looks
		if len(tokens) != 2 || tokens[0] == nil || tokens[1] != nil {
			t.Errorf("tokens %v", tokens)
		}
	})
}
