package telegram

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
)

// nothing is confirmed before it is stored, and what could not be stored comes
// again.
func TestPollStoresBeforeItConfirms(t *testing.T) {
	s := server(t)
	for i := range 5 {
		s.Push(telegramtest.Text(42, 42, fmt.Sprint("message ", i)))
	}
	in := newIntake()
	in.refuse = 3
	r := run(t, s, in, nil)
	eventually(t, "red while nothing can be stored", func() bool { return errors.Is(r.Health(), errDiskFull) })
	if n := s.Waiting(); n != 5 {
		t.Errorf("%d of 5 unstored updates wait at telegram", n)
	}
	for i, m := range in.wait(t, 5) {
		if want := fmt.Sprint("message ", i); m.Text != want {
			t.Errorf("message %d is %q, want %q", i, m.Text, want)
		}
	}
	eventually(t, "all confirmed", func() bool { return s.Waiting() == 0 })
	eventually(t, "green again", func() bool { return r.Health() == nil })
	if err := r.stop(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestPollMalformedInABatch(t *testing.T) {
	s := server(t)
	for i := range 100 {
		if i == 37 {
			s.Push(telegramtest.Raw(`{"update_id":0,"message":{"message_id":"oops","chat":7}}`))
			continue
		}
		s.Push(telegramtest.Text(42, 42, fmt.Sprint("message ", i)))
	}
	r := run(t, s, newIntake(), nil)
	got := r.in.wait(t, 99)
	if d := r.in.letters(); len(d) != 1 || !strings.Contains(string(d[0].Raw), "oops") {
		t.Errorf("put aside: %v", d)
	}
	if n := len(slices.DeleteFunc(got, func(m chat.Message) bool { return m.Kind == chat.KindSkipped })); n != 99 {
		t.Errorf("%d good messages, want 99", n)
	}
	s.Push(telegramtest.Text(42, 42, "and on"))
	r.in.wait(t, 100)
}

func TestPollUnknownKinds(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.Raw(`{"update_id":0,"something_new":{"x":1}}`),
		telegramtest.Raw(`{"update_id":0,"my_chat_member":{"chat":{"id":-5,"type":"group"},"from":{"id":1},"date":1,"old_chat_member":{"status":"member"},"new_chat_member":{"status":"administrator"}}}`),
		telegramtest.Text(42, 42, "hello"))
	got := run(t, s, newIntake(), nil).in.wait(t, 3)
	if got[0].Kind != chat.KindSkipped || got[1].Kind != chat.KindSkipped || got[1].Key.Channel != "-5" || got[2].Text != "hello" {
		t.Errorf("got %+v", got)
	}
}

func TestPollWaitsForRoom(t *testing.T) {
	s := server(t)
	in := newIntake()
	in.gate = make(chan struct{})
	r := run(t, s, in, nil)
	s.Push(telegramtest.Text(42, 42, "hello"))
	if _, err := s.WaitCalls(soon(t), "getMe", 1); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Calls("getUpdates")); n != 0 {
		t.Errorf("%d polls without room", n)
	}
	close(in.gate)
	r.in.wait(t, 1)
}

// TestPollBesideGetMe: a start does not wait for one answer after the other, and nothing
// is read before the bot knows its own name.
func TestPollBesideGetMe(t *testing.T) {
	s := server(t)
	lift := s.Fail(telegramtest.Fault{Method: "getMe", Status: 502})
	s.Push(telegramtest.Text(42, 42, "hello"))
	in := newIntake()
	r := start(t, adapter(t, s, func(o *Options) { o.Timing.RetryMin, o.Timing.RetryMax = 10*time.Millisecond, 10*time.Millisecond }), in)
	for _, method := range []string{"getUpdates", "getMe"} {
		if _, err := s.WaitCalls(soon(t), method, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.WaitCalls(soon(t), "getMe", 5); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Calls("getUpdates")); n != 1 || s.Waiting() != 1 || r.Health() == nil {
		t.Errorf("%d polls, %d updates wait, health %v", n, s.Waiting(), r.Health())
	}
	lift()
	r.in.wait(t, 1)
	eventually(t, "green", func() bool { return r.Health() == nil })
}

// A network that is down at start delays the bot, no more.
func TestStartSurvivesTrouble(t *testing.T) {
	s := server(t)
	s.Fail(telegramtest.Fault{Method: "getMe", Drop: true, Times: 1})
	s.Fail(telegramtest.Fault{Method: "getMe", Status: 502, Body: "<html>Bad Gateway</html>", Times: 1})
	s.Fail(telegramtest.Fault{Method: "getUpdates", Status: 500, Times: 1})
	s.Fail(telegramtest.Fault{Method: "getUpdates", Status: 200, Empty: true, Times: 1})
	s.Push(telegramtest.Text(42, 42, "hello"))
	a := adapter(t, s, nil)
	if err := a.Health(); !errors.Is(err, errConnecting) {
		t.Errorf("before Run: %v", err)
	}
	r := start(t, a, newIntake())
	r.in.wait(t, 1)
	eventually(t, "green", func() bool { return r.Health() == nil })
}

func TestConflict(t *testing.T) {
	s := server(t)
	lift := s.Fail(telegramtest.Fault{Method: "getUpdates", Status: 409})
	a := adapter(t, s, func(o *Options) { o.Timing.RetryMin, o.Timing.RetryMax = 200*time.Millisecond, 400*time.Millisecond })
	r := start(t, a, newIntake())
	calls, err := s.WaitCalls(soon(t), "getUpdates", 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, least := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond} {
		if gap := calls[i+1].At.Sub(calls[i].At); gap < least {
			t.Errorf("wait %d was %s, want %s", i, gap, least)
		}
	}
	eventually(t, "red while deaf", func() bool { return errors.Is(a.Health(), errConflict) })
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = start(t, a, newIntake()) // a mere restart changes nothing
	if err := a.Health(); !errors.Is(err, errConflict) {
		t.Errorf("after a restart: %v", err)
	}
	lift()
	s.Push(telegramtest.Text(42, 42, "hello"))
	r.in.wait(t, 1)
	eventually(t, "green", func() bool { return a.Health() == nil })
}

// The first poll is short so that Health knows soon; a later failure makes
// the next one short again.
func TestPollIsShortUntilSteady(t *testing.T) {
	s := server(t)
	s.Fail(telegramtest.Fault{Method: "getUpdates", Skip: 1, Status: 500, Times: 1})
	s.Push(telegramtest.Text(42, 42, "hello"))
	run(t, s, newIntake(), nil)
	calls, err := s.WaitCalls(soon(t), "getUpdates", 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"0", "2", "0"} {
		if got := calls[i].Fields["timeout"]; got != want {
			t.Errorf("poll %d has timeout %s, want %s", i, got, want)
		}
	}
}

func TestLesserTroubleHidesNoConflict(t *testing.T) {
	a := adapter(t, server(t), nil)
	a.received()
	a.fail(errConflict, true)
	a.fail(errors.New("a blip"), false)
	if err := a.Health(); !errors.Is(err, errConflict) {
		t.Errorf("Health: %v", err)
	}
	a.received()
	a.fail(errors.New("a blip"), false)
	if err := a.Health(); err != nil {
		t.Errorf("a blip soon after a poll: %v", err)
	}
}

func TestWebhookInTheWay(t *testing.T) {
	s := server(t, telegramtest.Options{WebhookRetry: time.Hour})
	s.Push(telegramtest.Text(42, 42, "hello"))
	hook(t, s, "http://127.0.0.1:1/")
	r := run(t, s, newIntake(), nil)
	eventually(t, "red with the fix", func() bool { return errors.Is(r.Health(), errWebhookSet) })
}

func TestUnauthorizedStopsEverything(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.Text(42, 42, "hello"))
	r := run(t, s, newIntake(), nil)
	m := r.in.wait(t, 1)[0]
	s.Revoke(true)
	before := len(s.Calls(""))
	for range 20 {
		_ = r.Typing(t.Context(), m)
		if _, err := r.Send(t.Context(), chat.Part{Key: m.Key, Text: "x"}); err == nil || errors.Is(err, chat.ErrUnknownOutcome) {
			t.Fatalf("Send: %v", err)
		}
	}
	if n := len(s.Calls("")) - before; n > 3 {
		t.Errorf("%d calls after the token was rejected", n)
	}
	if err := r.stop(); !errors.Is(err, errToken) || !errors.Is(r.Health(), errToken) {
		t.Errorf("Run: %v, Health: %v", err, r.Health())
	}
}

func TestTokenRejectedAtStart(t *testing.T) {
	s := server(t)
	for _, token := range []string{"999:AAtestTESTtestTESTtestTESTtestTEST0", "nonsense"} {
		a := adapter(t, s, func(o *Options) { o.Token = token })
		if err := a.Run(soon(t), newIntake()); !errors.Is(err, errToken) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

func TestPollTooManyRequests(t *testing.T) {
	s := server(t)
	s.Fail(telegramtest.Fault{Method: "getUpdates", Status: 429, RetryAfter: 1, Times: 1})
	s.Push(telegramtest.Text(42, 42, "hello"))
	run(t, s, newIntake(), nil).in.wait(t, 1)
	if n := s.Wasted(); n != 0 {
		t.Errorf("%d polls inside retry_after", n)
	}
}

// A poll that hangs past its time is given up and made again on another
// connection; answers go out meanwhile.
func TestPollHalfOpen(t *testing.T) {
	s := server(t)
	s.AddChat(42)
	s.Fail(telegramtest.Fault{Method: "getUpdates", Skip: 1, Times: 1, Hang: true})
	r := run(t, s, newIntake(), func(o *Options) {
		o.Timing.Poll, o.Timing.Grace = time.Second, 200*time.Millisecond
	})
	if _, err := s.WaitCalls(soon(t), "getUpdates", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Send(soon(t), chat.Part{Key: place(42, 0), Text: "meanwhile"}); err != nil {
		t.Error(err)
	}
	eventually(t, "red past the bound", func() bool { return errors.Is(r.Health(), errSilent) })
	s.Push(telegramtest.Text(42, 42, "hello"))
	r.in.wait(t, 1)
	eventually(t, "green", func() bool { return r.Health() == nil })
}

func TestButtonsAreAcknowledged(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.Press(42, 42, 7, "q1", "yes"))
	r := run(t, s, newIntake(), nil)
	m := r.in.wait(t, 1)[0]
	if m.Kind != chat.KindButton || m.Text != "yes" || m.ReplyTo != "7" || m.ID != "cb:q1" || m.From.ID != "telegram:42" {
		t.Errorf("got %+v", m)
	}
	if err := s.Wait(soon(t), func() bool { return s.Answered("q1") == 1 }); err != nil {
		t.Error(err)
	}
}

func TestMigration(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.Text(-7, 42, "@parley_bot before"))
	s.Migrate(-7, -1000000001001)
	s.Push(telegramtest.Text(-1000000001001, 42, "@parley_bot after"))
	r := run(t, s, newIntake(), nil)
	got := r.in.wait(t, 4)
	want := chat.Move{From: place(-7, 0), To: place(-1000000001001, 0)}
	if !slices.Contains(r.in.moves, want) {
		t.Errorf("moves %v", r.in.moves)
	}
	for _, m := range got {
		if m.Key != want.To {
			t.Errorf("%q stayed in %s", m.Text, m.Key)
		}
	}
	_, err := r.Send(t.Context(), chat.Part{Key: place(-7, 0), Text: "x"})
	var moved *chat.MovedError
	if !errors.As(err, &moved) || moved.To != want.To {
		t.Errorf("Send to the old group: %v", err)
	}
}

func BenchmarkEvent(b *testing.B) {
	a, err := New(Options{Token: telegramtest.DefaultToken})
	if err != nil {
		b.Fatal(err)
	}
	raw := []byte(`{"update_id":1,"message":{"message_id":5,"from":{"id":42,"is_bot":false,"first_name":"Ann"},"chat":{"id":42,"type":"private","first_name":"Ann"},"date":1700000000,"text":"what is the plan for tomorrow?"}}`)
	for b.Loop() {
		if e := a.event(raw); e.message.ID == "" {
			b.Fatal("nothing")
		}
	}
}

// TestOneRefusalIsNotTheToken: a 401 that getMe does not confirm ends the call that it
// answers, and so does one of a proxy, which knows nothing of the token.
func TestOneRefusalIsNotTheToken(t *testing.T) {
	const page = "<html><title>Sign in to the proxy</title></html>"
	for _, fault := range []telegramtest.Fault{
		{Method: "sendChatAction", Status: 401, Times: 1}, {Method: "getUpdates", Status: 401, Times: 2},
		{Method: "sendMessage", Status: 401, Times: 1, Body: page}, {Method: "getUpdates", Status: 401, Times: 2, Body: page},
	} {
		s := server(t)
		s.Push(telegramtest.Text(42, 42, "hello"))
		r := run(t, s, newIntake(), nil)
		m := r.in.wait(t, 1)[0]
		s.Fail(fault)
		_ = r.Typing(t.Context(), m)
		s.Push(telegramtest.Text(42, 42, "again"))
		r.in.wait(t, 2)
		eventually(t, "an answer", func() bool {
			_, err := r.Send(t.Context(), chat.Part{Key: m.Key, Text: "x"})
			return err == nil
		})
		if err := r.Health(); errors.Is(err, errToken) {
			t.Errorf("%+v: %v", fault, err)
		}
		if err := r.stop(); err != nil {
			t.Errorf("%+v: Run: %v", fault, err)
		}
	}
}

// TestTokenTakenAgain: after a token was rejected Run ends, and a later one finds that it is
// taken again.
func TestTokenTakenAgain(t *testing.T) {
	s := server(t)
	var ahead atomic.Int64
	a := adapter(t, s, func(o *Options) { o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } })
	s.Revoke(true)
	var refused *chat.RefusedError
	if err := a.Run(soon(t), newIntake()); !errors.As(err, &refused) {
		t.Fatalf("Run: %v", err)
	}
	s.Revoke(false)
	if err := a.Run(soon(t), newIntake()); !errors.As(err, &refused) { // it is left alone for a while
		t.Errorf("at once: %v", err)
	}
	ahead.Store(int64(3 * time.Minute))
	r := start(t, a, newIntake())
	s.Push(telegramtest.Text(42, 42, "hello"))
	r.in.wait(t, 1)
	if err := r.stop(); err != nil || a.Health() != nil {
		t.Errorf("Run: %v, Health: %v", err, a.Health())
	}
}
