package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestOneRefusalIsNotTheToken: a 401 ends the request that it answers. Webhooks and
// interactions have tokens of their own; on other routes one question decides.
func TestOneRefusalIsNotTheToken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, path string
		code, asked  int
	}{
		{"PATCH", "/webhooks/1/tok/messages/@original", 50027, 0},
		{"POST", "/webhooks/1/tok?wait=true", 50027, 0},
		{"GET", "/webhooks/1/tok/messages/@original", 0, 0},
		{"POST", "/interactions/5/tok/callback", 0, 0},
		{"POST", "/channels/50/messages", 0, 1},
		{"PATCH", "/channels/50/messages/3", 40001, 1},
		{"GET", "/guilds/77", 0, 1},
		{"POST", "/users/@me/channels", 0, 1},
		{"PUT", "/applications/1/commands", 0, 1},
	} {
		s, in := fake(t), newIntake()
		a, stop := connected(t, in, s)
		s.Fail(discordtest.Fault{Method: tt.method, Path: strings.TrimSuffix(tt.path, "?wait=true"), Status: 401, Code: tt.code})
		err := a.call(t.Context(), tt.method, tt.path, "", nil, nil)
		var e *restError
		if !errors.As(err, &e) || e.Status != http.StatusUnauthorized {
			t.Errorf("%s %s: %v", tt.method, tt.path, err)
		}
		if a.Health() != nil || len(s.Calls("GET", "/users/@me")) != tt.asked {
			t.Errorf("%s %s: health %v, asked %d times", tt.method, tt.path, a.Health(), len(s.Calls("GET", "/users/@me")))
		}
		if _, err := a.Send(t.Context(), chat.Part{Key: chat.Key{Platform: Platform, Channel: "60"}, Text: "next", Nonce: "n",
			Sending: chat.Sending{At: time.Now()}}); err != nil {
			t.Errorf("%s %s: after it %v", tt.method, tt.path, err)
		}
		stop()
	}
}

// TestExpiredInteraction: what an expired interaction no longer takes goes into the
// channel, and to its person alone where it is private.
func TestExpiredInteraction(t *testing.T) {
	s, in, a := live(t)
	s.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "ask"})
	until(t, "delivered", func() bool { return len(in.texts()) == 1 })
	m := in.last()
	s.Fail(discordtest.Fault{Path: "/webhooks/", Status: 401, Code: 50027, Times: 100})
	for i, p := range []chat.Part{{Text: "first"}, {Text: "second"}, {Text: "secret", Private: true}} {
		p.Key, p.Origin, p.To, p.Nonce, p.Index, p.Sending = m.Key, m.Origin, m.From, p.Text, i%2, chat.Sending{At: time.Now()}
		if _, err := a.Send(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	var got []string
	for _, sent := range s.Sent() {
		got = append(got, sent.Channel+": "+sent.Content)
	}
	if strings.Join(got, ", ") != "50: first, 50: second, dm42: secret" || a.Health() != nil {
		t.Errorf("sent %q, health %v", got, a.Health())
	}
}

// TestRevokedToken: after a token is found dead hardly a call is made, and once Discord
// takes it again everything goes on by itself.
func TestRevokedToken(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Identify: 20 * time.Millisecond,
		Token: 200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	running(t, a, in, s)
	send := func() error {
		_, err := a.Send(context.Background(), chat.Part{Key: chat.Key{Platform: Platform, Channel: "50"}, Text: "x",
			Nonce: "x", Sending: chat.Sending{At: time.Now()}})
		return err
	}
	s.Revoke(true)
	for range 50 {
		if err := send(); err == nil || strings.Contains(err.Error(), discordtest.Token) {
			t.Errorf("sent with a dead token: %v", err)
		}
	}
	if n := len(s.Calls("POST", "/channels/")); n != 1 || !errors.Is(a.Health(), errToken) {
		t.Errorf("%d calls with a dead token, health %v", n, a.Health())
	}
	s.Revoke(false)
	until(t, "the token is taken again", func() bool { return a.Health() == nil })
	if err := send(); err != nil || s.Identifies() != 1 {
		t.Errorf("after that: %v, %d sessions", err, s.Identifies())
	}
}
