package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
)

// orders notes the commands that reach the bot.
type orders struct {
	mu   sync.Mutex // guards list
	list []string
}

func (o *orders) answer(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, m.Text)
	if m.Kind != chat.KindCommand || m.From.ID != "page:owner" {
		return chat.Answer{Text: "not a command of the owner's"}, nil
	}
	if strings.HasPrefix(m.Text, "/pair drop") {
		return chat.Answer{Text: "Sure?", Buttons: [][]chat.Button{{{Label: "Yes", Data: "yes"}}}}, nil
	}
	return chat.Answer{Text: "**Did** " + m.Text}, nil
}

func (o *orders) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Join(o.list, "|")
	o.list = nil
	return all
}

// send presses a button of a page as a browser does, and returns the page it leads to.
func (s *site) send(path string, fields url.Values) (status int, body string) {
	s.t.Helper()
	csrf := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(s.get(path))
	if csrf == nil {
		s.t.Fatalf("%s has no form", path)
	}
	fields.Set("csrf", csrf[1])
	resp, body := s.request(http.MethodPost, "/do", fields, nil)
	return resp.StatusCode, body
}

// What a form asks is a command of the owner's, which goes the way of every message;
// what is said to it stands on the page that follows, once.
func TestFormsAreCommands(t *testing.T) {
	var o orders
	views := sampleViews()
	views.Tunable = func() []console.Setting { return []console.Setting{{Name: "session.ttl", Value: "1h", Doc: "silence"}} }
	s := newSite(t, views, o.answer)
	if err := s.store.Access.AddCode(context.Background(), "pair", []byte("x"), chat.User{ID: "telegram:77", Name: "Zoe <b>"},
		time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Access.Grant(context.Background(), "telegram:42", "member", "x"); err != nil {
		t.Fatal(err)
	}
	s.fill()
	s.logIn()
	if body := s.get("/people"); !strings.Contains(body, "Zoe &lt;b&gt;") || !strings.Contains(body, "<b>Alice</b>") {
		t.Errorf("people:\n%s", body)
	}
	for _, c := range []struct {
		path         string
		fields       url.Values
		ordered, has string
	}{
		{"/people", url.Values{"do": {"handoff-take"}, "id": {"3"}}, "/handoff take 3", "<strong>Did</strong> /handoff take 3"},
		{"/people", url.Values{"do": {"handoff-back"}, "id": {"3"}}, "/handoff back 3", "<strong>Did</strong> /handoff back 3"},
		{"/people", url.Values{"do": {"let-in"}, "id": {"telegram:77"}}, "/config allow telegram:77",
			"<strong>Did</strong> /config allow telegram:77"},
		{"/people", url.Values{"do": {"reject"}, "id": {"telegram:77"}}, "/pair drop telegram:77", "Choose under “Try it”."},
		{"/people", url.Values{"do": {"revoke"}, "id": {"telegram:42"}}, "/pair revoke telegram:42", "Did"},
		{"/playbook", url.Values{"do": {"rule-off"}, "id": {"refund_policy"}, "back": {"page=1"}}, "/guideline disable refund_policy", "Did"},
		{"/playbook", url.Values{"do": {"rule-on"}, "id": {"stay_polite"}}, "/guideline enable stay_polite", "Did"},
		{"/settings", url.Values{"do": {"set"}, "id": {"session.ttl"}, "value": {"2h"}}, "/config set session.ttl 2h", "Did"},
		{"/people", url.Values{"do": {"let-in"}, "id": {"telegram:77 owner"}}, "", "nothing was changed"},
		{"/people", url.Values{"do": {"let-in"}, "id": {"telegram:77\n/forget-me"}}, "", "nothing was changed"},
		{"/settings", url.Values{"do": {"set"}, "id": {"session.ttl"}, "value": {"2h\n/forget-me"}}, "", "nothing was changed"},
	} {
		status, body := s.send(c.path, c.fields)
		if got := o.take(); got != c.ordered || status != http.StatusOK || !strings.Contains(body, c.has) ||
			!strings.Contains(body, `class="card news"`) {
			t.Errorf("%v: %d, ordered %q\n%s", c.fields, status, got, body)
		}
		if body := s.get(c.path); strings.Contains(body, `class="card news"`) {
			t.Errorf("%v: it is said twice", c.fields)
		}
	}
	if status, _ := s.send("/people", url.Values{"do": {"format"}, "id": {"disk"}}); status != http.StatusBadRequest {
		t.Errorf("an unknown deed: %d", status)
	}
	if resp, _ := s.request(http.MethodPost, "/do", url.Values{"do": {"revoke"}, "id": {"telegram:42"}},
		nil); resp.StatusCode != http.StatusForbidden || o.take() != "" {
		t.Errorf("without the token: %s", resp.Status)
	}
}

// What was put aside is read again or forgotten from the page.
func TestLettersFromThePage(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	ctx := context.Background()
	for range 2 {
		_, err := s.store.Accept(ctx, chat.Batch{Platform: "telegram", Dead: []chat.DeadLetter{{Raw: []byte(`{"odd":"<i>"}`),
			Reason: "not understood"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.logIn()
	if body := s.get("/letters"); !strings.Contains(body, "not understood") || !strings.Contains(body, "&lt;i&gt;") {
		t.Fatalf("letters:\n%s", body)
	}
	if _, body := s.send("/letters", url.Values{"do": {"retry"}, "id": {"1"}}); !strings.Contains(body, "to be read again") {
		t.Errorf("retry:\n%s", body)
	}
	s.send("/letters", url.Values{"do": {"drop"}, "id": {"2"}})
	if list, err := s.store.Letters.List(ctx, 0, 10); err != nil || len(list) != 1 || !list[0].Retry {
		t.Errorf("left: %+v, %v", list, err)
	}
	if _, body := s.send("/letters", url.Values{"do": {"drop"}, "id": {"2"}}); !strings.Contains(body, "This is not there, or not any more.") {
		t.Errorf("dropped twice:\n%s", body)
	}
}
