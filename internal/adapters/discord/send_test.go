package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/recent"
	"parley/internal/chat"
)

func TestSendIsIdempotentAndNeverPings(t *testing.T) {
	s, _, a := live(t)
	p := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "@everyone hello <@1>", Nonce: "abc",
		ReplyTo: "123", Sending: chat.Sending{At: time.Now()}}
	s.Fail(discordtest.Fault{Method: "POST", Path: "/channels/50/messages", After: true, Cut: true})
	if _, err := a.Send(context.Background(), p); !errors.Is(err, chat.ErrUnknownOutcome) {
		t.Fatalf("a lost answer is %v", err)
	}
	p.Unknown = 1
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	p.At = time.Now().Add(-time.Hour) // the nonce is forgotten: the history knows
	s.ForgetNonces()
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(); len(sent) != 1 || sent[0].Flags != suppressEmbeds {
		t.Errorf("sent %+v", sent)
	}
}

func TestSendErrors(t *testing.T) {
	s, _, a := live(t)
	part := func(channel string) chat.Part {
		return chat.Part{Key: chat.Key{Platform: "discord", Channel: channel}, Text: "x", Nonce: channel, Sending: chat.Sending{At: time.Now()}}
	}
	var wait *chat.WaitError
	s.Fail(discordtest.Fault{Method: "POST", Path: "/channels/1/", Status: 429, RetryAfter: 0.2})
	if _, err := a.Send(context.Background(), part("1")); !errors.As(err, &wait) || wait.After != 200*time.Millisecond {
		t.Errorf("429 is %v", err)
	}
	if _, err := a.Send(context.Background(), part("1")); !errors.As(err, &wait) || len(s.Calls("POST", "/channels/1/")) != 1 {
		t.Errorf("asked again within the wait: %v", err)
	}
	for _, code := range []int{10003, 50001, 50007, 50013, 50278} {
		ch := fmt.Sprint(code)
		s.Gone(ch, code)
		var gone *chat.GoneError
		if _, err := a.Send(context.Background(), part(ch)); !errors.As(err, &gone) {
			t.Errorf("code %d is %v", code, err)
		}
	}
	s.Archive("60")
	if _, err := a.Send(context.Background(), part("60")); err != nil {
		t.Errorf("an archived thread: %v", err)
	}
}

func TestPreviewBecomesTheAnswer(t *testing.T) {
	s, _, a := live(t)
	m := chat.Message{ID: "5", Nonce: "answer-to-3", Key: chat.Key{Platform: "discord", Channel: "50"}, Addressed: true}
	id, wait, err := a.Preview(context.Background(), m, "", "Hel")
	if err != nil || id == "" || wait <= 0 {
		t.Fatal(id, wait, err)
	}
	if _, _, err := a.Preview(context.Background(), m, id, "Hello"); err != nil {
		t.Fatal(err)
	}
	// A crash lost the id: the final part has the same nonce and takes it over.
	if _, err := a.Send(context.Background(), chat.Part{Key: m.Key, Text: "Hello there", Nonce: m.Nonce,
		Sending: chat.Sending{At: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(); len(sent) != 1 || sent[0].Content != "Hello there" {
		t.Errorf("sent %+v", sent)
	}
}

// TestNothingIsSaidBeforeReady: what an earlier process left is not posted, nor
// asked for in the history, before we know who we are.
func TestNothingIsSaidBeforeReady(t *testing.T) {
	t.Parallel()
	s := fake(t)
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	p := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "said once", Nonce: "abc",
		Sending: chat.Sending{Unknown: 1, At: time.Now().Add(-time.Hour)}}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var wait *chat.WaitError
	if _, err := a.Send(ctx, p); !errors.As(err, &wait) || errors.Is(err, chat.ErrUnknownOutcome) {
		t.Errorf("before READY: %v", err)
	}
	m := chat.Message{ID: "5", Nonce: "n", Key: p.Key, Addressed: true}
	if id, _, err := a.Preview(ctx, m, "", "Hel"); id != "" || err != nil {
		t.Errorf("a preview before READY: %q, %v", id, err)
	}
	_ = a.Typing(ctx, m)
	if calls := s.Calls("", "/"); len(calls) > 0 {
		t.Errorf("asked before READY: %+v", calls)
	}
}

// TestForgottenNonceAfterARestart: a process that takes up a part whose answer
// was never seen finds it, though Discord has forgotten the nonce.
func TestForgottenNonceAfterARestart(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a, stop := connected(t, in, s)
	p := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "said once", Nonce: "abc", Sending: chat.Sending{At: time.Now()}}
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	stop()
	s.ForgetNonces()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	forward := wound(a)
	forward(time.Hour)
	s.Ahead(time.Hour)
	p.Unknown = 1
	sent := make(chan error, 1)
	go func() { _, err := a.Send(context.Background(), p); sent <- err }()
	running(t, a, in, s)
	if err := <-sent; err != nil || len(s.Sent()) != 1 {
		t.Errorf("%d posts, %v", len(s.Sent()), err)
	}
}

// TestUnquotable: where what is answered may not be replied to, the answer
// replies to nothing; what is refused for another reason stays refused.
func TestUnquotable(t *testing.T) {
	s, _, a := live(t)
	s.Unquotable("123")
	p := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "an answer", Nonce: "abc", ReplyTo: "123",
		Sending: chat.Sending{At: time.Now()}}
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	m := chat.Message{ID: "123", Nonce: "other", Key: p.Key, Addressed: true}
	if id, _, err := a.Preview(context.Background(), m, "", "Hel"); id == "" || err != nil {
		t.Errorf("a preview: %q, %v", id, err)
	}
	if sent := s.Sent(); len(sent) != 2 || sent[0].ReplyTo != "" || sent[0].Nonce != "abc" {
		t.Errorf("sent %+v", sent)
	}
	n := len(s.Calls("POST", "/channels/50/messages"))
	s.Fail(discordtest.Fault{Method: "POST", Path: "/channels/50/messages", Status: 400, Code: 50035, Field: "content"})
	p.Nonce, p.ReplyTo = "third", "124"
	var gone *chat.GoneError
	if _, err := a.Send(context.Background(), p); !errors.As(err, &gone) || len(s.Calls("POST", "/channels/50/messages")) != n+1 {
		t.Errorf("content refused: %v", err)
	}
}

// TestOnlyItselfIsFound: an earlier message that reads the same is not taken
// for a part whose answer was not seen, nor one that is another part's.
func TestOnlyItselfIsFound(t *testing.T) {
	s, _, a := live(t)
	forward := wound(a)
	send := func(p chat.Part) string {
		t.Helper()
		id, err := a.Send(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	old := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "Done.", Nonce: "one", Sending: chat.Sending{At: time.Now()}}
	first := send(old)
	ahead := time.Duration(0)
	later := func(d time.Duration) time.Time {
		ahead += d
		forward(d)
		s.Ahead(ahead)
		s.ForgetNonces()
		return a.now()
	}
	at := later(time.Hour)
	a.nonces = recent.Map[string, string]{Most: maxNonces} // as in another process
	lost := old
	lost.Nonce, lost.Unknown, lost.At = "two", 1, at
	later(3 * time.Minute)
	second := send(lost)
	if second == first || len(s.Sent()) != 2 {
		t.Fatalf("an old post was taken for a new part: %+v", s.Sent())
	}
	later(3 * time.Minute)
	if again := send(lost); again != second || len(s.Sent()) != 2 {
		t.Errorf("not found again: %+v", s.Sent())
	}
	twin := lost
	twin.Nonce = "three"
	if third := send(twin); third == second || len(s.Sent()) != 3 {
		t.Errorf("a part that reads the same was not posted: %+v", s.Sent())
	}
}

// TestSendCallsOnePerson: a part that calls somebody pings them and nobody else, and is
// still shown once.
func TestSendCallsOnePerson(t *testing.T) {
	s, _, a := live(t)
	p := chat.Part{Key: chat.Key{Platform: "discord", Channel: "50"}, Text: "⏰ Ann: @everyone, <@99> too: water",
		To: chat.User{ID: "discord:42", Name: "Ann"}, Ping: true, Nonce: "abc", Sending: chat.Sending{At: time.Now()}}
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	p.Unknown, p.At = 1, time.Now().Add(-time.Hour)
	s.ForgetNonces()
	if _, err := a.Send(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 1 || !strings.HasPrefix(sent[0].Content, "⏰ <@42>: ") || len(sent[0].Pinged) != 1 || sent[0].Pinged[0] != "42" {
		t.Errorf("sent %+v", sent)
	}
}

// TestPreviewIsRemoved: a part without text or files takes its preview away, also where it
// is gone already; so does Withdraw.
func TestPreviewIsRemoved(t *testing.T) {
	s, _, a := live(t)
	m := chat.Message{ID: "5", Nonce: "answer-to-3", Key: chat.Key{Platform: "discord", Channel: "50"}, Addressed: true}
	id, _, err := a.Preview(t.Context(), m, "", "Hel")
	if err != nil || len(s.Sent()) != 1 {
		t.Fatal(err, s.Sent())
	}
	for range 2 {
		if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, Sending: chat.Sending{Preview: id}}); err != nil {
			t.Error(err)
		}
	}
	m.Nonce = "answer-to-4"
	if id, _, err = a.Preview(t.Context(), m, "", "Hel"); err != nil || len(s.Sent()) != 1 {
		t.Error(err, s.Sent())
	}
	if err := a.Withdraw(t.Context(), m.Key, id); err != nil {
		t.Error(err)
	}
	if got := s.Sent(); len(got) > 0 {
		t.Errorf("people see %+v", got)
	}
}
