package telegram

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-telegram/bot/models"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// echoes returns what a server may say of a message that it took, and that the
// library cannot decode.
func echoes() []string {
	list := []string{`"date":"soon"`, `"text":7`, `"chat":5`, `"date":999999999999999999999`}
	for _, field := range unknown {
		list = append(list, field)
	}
	return list
}

// A message that Telegram took is sent, whatever Telegram says of it.
func TestOnlyOKAndIDCountOfASend(t *testing.T) {
	const topic = 9
	for _, echo := range echoes() {
		s := server(t)
		s.Push(telegramtest.TopicText(group, topic, 42, "hi"))
		s.AddChat(42)
		s.Fail(telegramtest.Fault{Echo: echo})
		a := adapter(t, s, nil)
		for _, to := range []chat.Key{place(group, topic), place(42, 0)} {
			id, err := a.Send(t.Context(), chat.Part{Key: to, Text: "hello"})
			if err != nil || id != fmt.Sprint(s.Sent()[len(s.Sent())-1].ID) {
				t.Errorf("%s: send: %q, %v", echo, id, err)
			}
			if again, err := a.Send(t.Context(), chat.Part{Key: to, Text: "hello there", Sending: chat.Sending{Preview: id}}); err != nil ||
				again != id {
				t.Errorf("%s: edit: %q, %v", echo, again, err)
			}
			two := []chat.File{{Name: "a.txt", Data: []byte("A")}, {Name: "b.txt", Data: []byte("B")}}
			if _, err := a.Send(t.Context(), chat.Part{Key: to, Text: "files", Files: two}); err != nil {
				t.Errorf("%s: files: %v", echo, err)
			}
			m := chat.Message{ID: "1", Key: to, Row: 5}
			if _, _, err := a.Preview(t.Context(), m, "", "growing"); err != nil {
				t.Errorf("%s: preview: %v", echo, err)
			}
		}
		if n := len(s.Sent()); n != 7 {
			t.Errorf("%s: %d messages", echo, n)
		}
	}
}

// The same for calls that are answered with no more than true.
func TestOddResultsOfOtherCalls(t *testing.T) {
	for _, echo := range []string{`{"ok":1}`, `[]`, `"yes"`, `null`, `{"message_id":{}}`} {
		s, a := fresh(t, 42)
		a.me.Store(nil)
		for _, method := range []string{"sendChatAction", "sendMessageDraft", "answerCallbackQuery", "setMyCommands", "sendMessage"} {
			s.Fail(telegramtest.Fault{Method: method, Echo: echo})
		}
		m := chat.Message{ID: "1", Key: place(42, 0), Row: 5}
		if err := a.Typing(t.Context(), m); err != nil {
			t.Errorf("%s: typing: %v", echo, err)
		}
		if _, _, err := a.Preview(t.Context(), m, "", "growing"); err != nil || len(s.Drafts()) != 1 {
			t.Errorf("%s: draft: %v", echo, err)
		}
		if _, err := a.showMenus(t.Context(), []menu{{where: menuEverywhere, commands: []command{{"help", "h"}}}}); err != nil {
			t.Errorf("%s: menus: %v", echo, err)
		}
		if id, err := a.Send(t.Context(), chat.Part{Key: m.Key, Text: "x"}); err != nil || id == "" || len(s.Sent()) != 1 {
			t.Errorf("%s: send: %q %v", echo, id, err)
		}
	}
	s := server(t)
	s.AddChat(group)
	s.Fail(telegramtest.Fault{Method: "getChatMember", Echo: `{"status":"hologram"}`})
	if is, err := adapter(t, s, nil).IsAdmin(t.Context(), place(group, 0), "telegram:42"); is || err != nil {
		t.Errorf("IsAdmin: %v, %v", is, err)
	}
}

// Refusals are understood although they are not written as they should be.
func TestOddRefusals(t *testing.T) {
	for body, want := range map[string]func(error) bool{
		`{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":"35"}}`:           isWait(35 * time.Second),
		`{"ok":false,"error_code":"429","description":7,"parameters":{"retry_after":35.0,"x":[]}}`:    isWait(35 * time.Second),
		`{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":-4}}`:             isWait(time.Second),
		`{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":9e15}}`:           isWait(24 * time.Hour),
		`{"ok":false,"error_code":400,"description":"x","parameters":{"migrate_to_chat_id":"-1005"}}`: isMoved("-1005"),
	} {
		s := server(t)
		s.AddChat(42)
		status := http.StatusTooManyRequests
		if strings.Contains(body, "migrate") {
			status = http.StatusBadRequest
		}
		s.Fail(telegramtest.Fault{Method: "sendMessage", Status: status, Body: body})
		if _, err := adapter(t, s, nil).Send(t.Context(), chat.Part{Key: place(42, 0), Text: "x"}); !want(err) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// canned answers every request in one way and counts them.
type canned struct {
	status int
	body   string
	header http.Header
	calls  atomic.Int64
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: c.status, Header: c.header, Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
}

const page = "<html><body>Bad Gateway</body></html>"

// pages are answers that are not the Bot API's.
var pages = map[string]*canned{
	"502": {status: 502, body: page}, "429": {status: 429, body: page}, "403": {status: 403, body: page},
	"200": {status: 200, body: page}, "503": {status: 503, body: page}, "empty": {status: 200}, "404": {status: 404, body: page},
	"empty 502": {status: 502}, "half": {status: 200, body: `{"ok":true,"result":{"mess`}, "a number": {status: 200, body: "7"},
}

// A server that answers with pages is asked at most 60 times in ten minutes,
// however many want to speak to it, and by polling too.
func TestPagesAreAskedSlowly(t *testing.T) {
	for name, c := range pages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &canned{status: c.status, body: c.body, header: http.Header{}}
				a, err := New(Options{Token: telegramtest.DefaultToken})
				if err != nil {
					t.Fatal(err)
				}
				a.wire.send.Transport, a.wire.poll.Transport = c, c
				r := start(t, a, newIntake())
				end := time.Now().Add(10 * time.Minute)
				for _, speak := range []func(k chat.Key) error{
					func(k chat.Key) error { _, err := a.Send(t.Context(), chat.Part{Key: k, Text: "x"}); return err },
					func(k chat.Key) error { return a.Typing(t.Context(), chat.Message{Key: k}) },
					func(k chat.Key) error {
						_, _, err := a.Preview(t.Context(), chat.Message{Key: k, Row: 3}, "", "x")
						return err
					},
				} {
					for lane := range 5 {
						go func() {
							for wait := 500 * time.Millisecond; time.Now().Before(end); { // as the hub does
								err := speak(place(int64(lane+1), 0))
								var silence *chat.WaitError
								if wait = min(2*wait, 30*time.Second); errors.As(err, &silence) {
									wait = silence.After
								}
								waittest.Take(t.Context(), wait)
							}
						}()
					}
				}
				waittest.Pass(10*time.Minute + time.Second)
				if n := c.calls.Load(); n > 60 || n < 10 {
					t.Errorf("%d requests in ten minutes", n)
				}
				_ = r.stop()
				synctest.Wait()
			})
		})
	}
}

// Polls that come back empty at once are made more and more slowly, and a
// message behind them is received all the same; no poll waits after updates.
func TestEmptyPollsAtOnce(t *testing.T) {
	for _, body := range []string{`{"ok":true,"result":[]}`, `{"ok":true,"result":null}`, `{"ok":true}`, `{"ok":true,"result":{}}`,
		`{"ok":true,"result":[7]}`, `{"ok":false,"error_code":500}`} {
		synctest.Test(t, func(t *testing.T) {
			c := &canned{status: 200, body: body, header: http.Header{}}
			a, err := New(Options{Token: telegramtest.DefaultToken})
			if err != nil {
				t.Fatal(err)
			}
			a.me.Store(&models.User{ID: 1})
			a.wire.send.Transport, a.wire.poll.Transport = &canned{status: 200, body: `{"ok":true,"result":{"id":1}}`}, c
			r := start(t, a, newIntake())
			waittest.Pass(10 * time.Minute)
			if n := c.calls.Load(); n > 60 || n < 10 {
				t.Errorf("%s: %d polls in ten minutes", body, n)
			}
			_ = r.stop()
			synctest.Wait()
		})
	}
}

// The wait is only for polls that came back empty too early.
func TestRestAfterAPoll(t *testing.T) {
	a, err := New(Options{Token: telegramtest.DefaultToken})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		empty       bool
		took, asked time.Duration
		want        time.Duration
	}{
		{true, 50 * time.Second, 50 * time.Second, 0},
		{true, 20 * time.Second, 50 * time.Second, 0}, // what stands between may cut a poll short
		{true, 0, 0, 0}, // a short poll is short
		{true, time.Millisecond, 50 * time.Second, time.Second},
		{true, time.Millisecond, 50 * time.Second, 2 * time.Second},
		{true, time.Millisecond, 50 * time.Second, 4 * time.Second},
		{false, time.Millisecond, 50 * time.Second, 0},
		{true, time.Millisecond, 50 * time.Second, time.Second},
	} {
		if a.rest(c.empty, c.took, c.asked); a.hold != c.want {
			t.Errorf("%+v: rests %s", c, a.hold)
		}
	}
}

// What may have been sent is sent again only once Telegram answers.
func TestNothingIsRepeatedIntoSilence(t *testing.T) {
	s, a := fresh(t, 42)
	p := chat.Part{Key: place(42, 0), Text: "x", Sending: chat.Sending{Unknown: 1}}
	lift := s.Fail(telegramtest.Fault{Status: 502})
	if _, err := a.Send(t.Context(), p); err == nil || isUnknown(err) || isGone(err) || len(s.Calls("sendMessage")) != 0 {
		t.Errorf("Send: %v", err)
	}
	lift()
	if _, err := a.Send(t.Context(), p); err != nil || len(s.Sent()) != 1 {
		t.Errorf("Send: %v", err)
	}
}

// While some method is answered with pages Health says so, and that what is
// received is answered all the same.
func TestPagesAreTold(t *testing.T) {
	s := server(t)
	s.AddChat(42)
	r := run(t, s, newIntake(), nil)
	eventually(t, "green", func() bool { return r.Health() == nil })
	s.Fail(telegramtest.Fault{Method: "sendMessage", Status: 403, Body: page, Times: 1})
	if _, err := r.Send(t.Context(), chat.Part{Key: place(42, 0), Text: "x"}); err == nil || isUnknown(err) || isGone(err) {
		t.Errorf("Send: %v", err)
	}
	var weak *chat.DegradedError
	if err := r.Health(); !errors.As(err, &weak) || !strings.Contains(err.Error(), "sendMessage") {
		t.Errorf("Health: %v", err)
	}
	eventually(t, "sent", func() bool { _, err := r.Send(t.Context(), chat.Part{Key: place(42, 0), Text: "x"}); return err == nil })
	eventually(t, "green again", func() bool { return r.Health() == nil })
}

// Whoever registers menus again learns how long to wait.
func TestMenusTellHowLongToWait(t *testing.T) {
	s := server(t)
	s.Fail(telegramtest.Fault{Method: "getMyCommands", Status: 429, RetryAfter: 40})
	var silence *chat.WaitError
	_, err := adapter(t, s, nil).showMenus(t.Context(), []menu{{where: menuEverywhere}})
	if !errors.As(err, &silence) || silence.After != 40*time.Second {
		t.Errorf("showMenus: %v", err)
	}
}

// A menu that does not arrive is the last one tried; one that is refused is not.
func TestMenusStopWhereNothingArrives(t *testing.T) {
	for status, want := range map[int]int{502: 1, 400: 3} {
		s := server(t)
		s.Fail(telegramtest.Fault{Method: "getMyCommands", Status: status})
		if _, err := adapter(t, s, nil).showMenus(t.Context(), make([]menu, 3)); err == nil || len(s.Calls("getMyCommands")) != want {
			t.Errorf("after %d, %d menus are tried, want %d: %v", status, len(s.Calls("getMyCommands")), want, err)
		}
	}
}
