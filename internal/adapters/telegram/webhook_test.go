package telegram

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// hook sets a webhook behind the adapter's back.
func hook(t *testing.T, s *telegramtest.Server, to string) {
	t.Helper()
	resp, err := http.PostForm(s.URL()+"/bot"+s.Token()+"/setWebhook", url.Values{"url": {to}})
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
}

func byWebhook(addr string) func(*Options) {
	return func(o *Options) {
		o.Mode = ModeWebhook
		o.Webhook = Webhook{Listen: addr, URL: "http://" + addr + "/telegram", Secret: "s3cret"}
	}
}

func TestWebhookReceives(t *testing.T) {
	s := server(t, telegramtest.Options{WebhookRetry: 10 * time.Millisecond})
	in := newIntake()
	in.refuse = 2
	r := run(t, s, in, byWebhook(waittest.Address(t)))
	s.Push(telegramtest.Text(42, 42, "one"), telegramtest.Raw(`{"update_id":0,"message":"poison"}`), telegramtest.Text(42, 42, "two"))
	got := in.wait(t, 2)
	if got[0].Text != "one" || got[1].Text != "two" || len(in.letters()) != 1 {
		t.Errorf("got %+v", got)
	}
	eventually(t, "confirmed", func() bool { return s.Waiting() == 0 })
	eventually(t, "green", func() bool { return r.Health() == nil })
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

func TestWebhookPortInUse(t *testing.T) {
	s := server(t)
	addr := strings.TrimPrefix(s.URL(), "http://")
	if err := adapter(t, s, byWebhook(addr)).Run(soon(t), newIntake()); err == nil || !strings.Contains(err.Error(), addr) {
		t.Errorf("Run: %v", err)
	}
}

// unread fails the test when a body is read that should not be.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestWebhookRefuses(t *testing.T) {
	s := server(t)
	good := `{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":42,"type":"private"},"from":{"id":42,"first_name":"A"},"text":"hi"}}`
	for _, c := range []struct {
		name, method, secret string
		body                 io.Reader
		refuse               int
		full                 bool
		want                 int
	}{
		{"good", "POST", "s3cret", strings.NewReader(good), 0, false, 200},
		{"no secret", "POST", "", unread{t}, 0, false, 401},
		{"wrong secret", "POST", "s3creT", unread{t}, 0, false, 401},
		{"wrong method", "GET", "s3cret", unread{t}, 0, false, 405},
		{"too large", "POST", "s3cret", strings.NewReader(strings.Repeat("x", maxUpdate+1)), 0, false, 413},
		{"not JSON is kept, or it would come again", "POST", "s3cret", strings.NewReader("junk"), 0, false, 200},
		{"disk full", "POST", "s3cret", strings.NewReader(good), 1, false, 503},
		{"no room", "POST", "s3cret", strings.NewReader(good), 0, true, 503},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := adapter(t, s, byWebhook("127.0.0.1:0"))
			in := newIntake()
			in.refuse = c.refuse
			ctx := t.Context()
			if c.full {
				in.gate = make(chan struct{})
				var cancel context.CancelFunc
				ctx, cancel = context.WithCancel(ctx)
				cancel()
			}
			a.in = in
			r := httptest.NewRequestWithContext(ctx, c.method, "/telegram", c.body)
			r.Header.Set("X-Telegram-Bot-Api-Secret-Token", c.secret)
			w := httptest.NewRecorder()
			a.receive(w, r)
			if w.Code != c.want {
				t.Errorf("status %d, want %d", w.Code, c.want)
			}
			if (w.Code == 503) != (w.Header().Get("Retry-After") != "") {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			if c.refuse > 0 && !errors.Is(a.Health(), errDiskFull) {
				t.Errorf("Health: %v", a.Health())
			}
			if want := map[bool]int{true: 1}[c.want == 200]; len(in.got)+len(in.dead) != want {
				t.Errorf("%d messages stored, want %d", len(in.got), want)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{},
		{Token: "1:a b"},
		{Token: "1:a", Mode: ModeWebhook, Webhook: Webhook{Listen: ":1", URL: "https://x"}},
	} {
		if _, err := New(o); err == nil || o.Token != "" && strings.Contains(err.Error(), o.Token) {
			t.Errorf("New(%+v): %v", o, err)
		}
	}
}
