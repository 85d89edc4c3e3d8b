package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

const group = -1000000000007

// outcomes maps what the wire does to what Send must say.
func TestSendOutcomes(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault telegramtest.Fault
		want  func(error) bool
		sent  int // messages that people see
	}{
		{"sent", telegramtest.Fault{Method: "none"}, func(err error) bool { return err == nil }, 1},
		{"slow", telegramtest.Fault{Delay: 10 * time.Millisecond}, func(err error) bool { return err == nil }, 1},
		{"wait", telegramtest.Fault{Status: 429, RetryAfter: 35}, isWait(35 * time.Second), 0},
		{"wait long", telegramtest.Fault{Status: 429, RetryAfter: 13938}, isWait(13938 * time.Second), 0},
		{"blocked", telegramtest.Fault{Status: 403, Description: "Forbidden: bot was blocked by the user"}, isGone, 0},
		{"kicked", telegramtest.Fault{Status: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}, isGone, 0},
		{"deactivated", telegramtest.Fault{Status: 403, Description: "Forbidden: user is deactivated"}, isGone, 0},
		{"no chat", telegramtest.Fault{Status: 400, Description: "Bad Request: chat not found"}, isGone, 0},
		{"topic closed", telegramtest.Fault{Status: 400, Description: "Bad Request: TOPIC_CLOSED"}, isGone, 0},
		{"moved", telegramtest.Fault{Status: 400, Description: "Bad Request: group chat was upgraded to a supergroup chat",
			MigrateTo: -100200}, isMoved("-100200"), 0},
		{"misdirected", telegramtest.Fault{Status: 421, Description: "Misdirected Request"}, isPlain, 0},
		{"proxy refuses", telegramtest.Fault{Status: 407, Body: "<html>who are you</html>"}, isPlain, 0},
		{"restart", telegramtest.Fault{Status: 500}, isPlain, 0}, // it says itself that it is not done
		{"overloaded", telegramtest.Fault{Status: 503, Body: "<html>Service Unavailable</html>"}, isPlain, 0},
		{"bad gateway", telegramtest.Fault{Status: 502, Body: "<html>Bad Gateway</html>"}, isUnknown, 0},
		{"bad gateway after the effect", telegramtest.Fault{Status: 502, Body: "<html>Bad Gateway</html>", After: true}, isUnknown, 1},
		{"empty answer", telegramtest.Fault{Status: 200, Empty: true, After: true}, isUnknown, 1},
		{"cut after the effect", telegramtest.Fault{Drop: true, After: true}, isUnknown, 1},
		{"no answer", telegramtest.Fault{Hang: true, After: true}, isUnknown, 1},
		{"redirected", telegramtest.Fault{Status: 302, Body: "<html>"}, isUnknown, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t)
			s.AddChat(42)
			if c.fault.Method == "" {
				c.fault.Method = "sendMessage"
			}
			c.fault.Times = 1
			s.Fail(c.fault)
			a := adapter(t, s, func(o *Options) {
				if o.Timing.Send = 20 * time.Second; c.fault.Hang {
					o.Timing.Send = time.Second
				}
			})
			_, err := a.Send(t.Context(), chat.Part{Key: place(42, 0), Text: "**hello**"})
			if !c.want(err) {
				t.Errorf("Send: %v", err)
			}
			if err != nil && strings.Contains(err.Error(), s.Token()) {
				t.Errorf("the token is in %v", err)
			}
			if n := len(s.Sent()); n != c.sent {
				t.Errorf("%d messages visible, want %d", n, c.sent)
			}
			if n := len(s.Calls("sendMessage")); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

func isGone(err error) bool { var e *chat.GoneError; return errors.As(err, &e) }

func isUnknown(err error) bool { return errors.Is(err, chat.ErrUnknownOutcome) }

func isPlain(err error) bool {
	var w *chat.WaitError
	var m *chat.MovedError
	return err != nil && !isGone(err) && !isUnknown(err) && !errors.As(err, &w) && !errors.As(err, &m)
}

func isWait(d time.Duration) func(error) bool {
	return func(err error) bool { var e *chat.WaitError; return errors.As(err, &e) && e.After == d }
}

func isMoved(to string) func(error) bool {
	return func(err error) bool { var e *chat.MovedError; return errors.As(err, &e) && e.To.Channel == to }
}

// A server that is not there never got the request.
func TestSendNotWritten(t *testing.T) {
	a, err := New(Options{Token: telegramtest.DefaultToken, APIURL: "http://" + waittest.Address(t), Timing: quick})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Send(t.Context(), chat.Part{Key: place(42, 0), Text: "hello"})
	if !isPlain(err) || strings.Contains(err.Error(), telegramtest.DefaultToken) {
		t.Errorf("Send: %v", err)
	}
}

// While a retry_after runs nothing is sent to that chat, and everything to the
// others.
func TestSilence(t *testing.T) {
	var skew atomic.Int64
	now := func() time.Time { return time.Unix(1_700_000_000+skew.Load(), 0) }
	s := server(t, telegramtest.Options{Now: now})
	s.AddChat(42)
	s.AddChat(43)
	a := adapter(t, s, func(o *Options) { o.Now = now })
	s.Fail(telegramtest.Fault{Method: "sendMessageDraft", Chat: 42, Status: 429, RetryAfter: 60, Times: 1})
	m := chat.Message{ID: "1", Key: place(42, 0), Row: 5, Direct: true}
	if _, _, err := a.Preview(t.Context(), m, "", "hel"); !isWait(time.Minute)(err) {
		t.Errorf("Preview: %v", err)
	}
	skew.Store(20)
	if err := a.Typing(t.Context(), m); err != nil {
		t.Error(err)
	}
	if _, wait, err := a.Preview(t.Context(), m, "", "hello"); err != nil || wait != 40*time.Second {
		t.Errorf("Preview: wait %s, %v", wait, err)
	}
	if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, Text: "final"}); !isWait(40 * time.Second)(err) {
		t.Errorf("Send: %v", err)
	}
	if _, err := a.Send(t.Context(), chat.Part{Key: place(43, 0), Text: "other"}); err != nil {
		t.Error(err)
	}
	skew.Store(60)
	if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, Text: "final"}); err != nil {
		t.Error(err)
	}
	if n := s.Wasted(); n != 0 || len(s.Sent()) != 2 {
		t.Errorf("%d calls inside retry_after, %d messages", n, len(s.Sent()))
	}
}

func TestSendWhole(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.TopicText(group, 9, 42, "hi"))
	a := adapter(t, s, nil)
	id, err := a.Send(t.Context(), chat.Part{
		Key: place(group, 9), ReplyTo: "1", Text: "**Yes** or `no`?",
		Buttons: [][]chat.Button{{{Label: "Yes", Data: "y"}, {Label: "No", Data: "n"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := s.Sent()[0]
	if m.Thread != 9 || m.ReplyTo != 1 || m.Text != "Yes or no?" || len(m.Entities) != 2 || len(m.Buttons[0]) != 2 || fmt.Sprint(m.ID) != id {
		t.Errorf("sent %+v as %s", m, id)
	}
	if p := s.Calls("sendMessage")[0].Fields["link_preview_options"]; p != `{"is_disabled":true}` {
		t.Errorf("link previews: %s", p)
	}
}

func TestSendFallsBack(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.TopicText(group, 9, 42, "hi"))
	a := adapter(t, s, nil)
	s.Fail(telegramtest.Fault{Method: "sendMessage", Status: 400, Description: "Bad Request: can't parse entities: byte offset 3", Times: 1})
	if _, err := a.Send(t.Context(), chat.Part{Key: place(group, 9), Text: "**bold**"}); err != nil {
		t.Error("entities refused:", err)
	}
	s.DropTopic(group, 9)
	if _, err := a.Send(t.Context(), chat.Part{Key: place(group, 9), ReplyTo: "1", Text: "to General"}); err != nil {
		t.Error("topic gone:", err)
	}
	got := s.Sent()
	if len(got) != 2 || got[0].Text != "bold" || got[0].Entities != nil || got[1].Thread != 0 {
		t.Errorf("sent %+v", got)
	}
	if n := len(s.Calls("sendMessage")); n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
}

func TestSendInvisible(t *testing.T) {
	s := server(t)
	s.AddChat(42)
	if _, err := adapter(t, s, nil).Send(t.Context(), chat.Part{Key: place(42, 0), Text: " \n "}); !isGone(err) {
		t.Errorf("Send: %v", err)
	}
}

func TestSendPrivate(t *testing.T) {
	s, a := fresh(t, 42, group)
	preview, _, err := a.Preview(t.Context(), chat.Message{Key: place(group, 0)}, "", "let me see")
	if err != nil {
		t.Fatal(err)
	}
	p := chat.Part{Key: place(group, 0), Private: true, To: chat.User{ID: "telegram:42"}, Text: "secret",
		Sending: chat.Sending{Preview: preview}}
	if _, err := a.Send(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := s.Sent(); len(got) != 2 || !got[0].Deleted || got[1].Chat != 42 {
		t.Errorf("sent %+v", got)
	}
	s.Block(42, "Forbidden: bot can't initiate conversation with a user")
	if _, err := a.Send(t.Context(), p); !isGone(err) {
		t.Errorf("never met: %v", err)
	}
	p.To.ID = "telegram:chat:-100"
	if _, err := a.Send(t.Context(), p); !isGone(err) {
		t.Errorf("to nobody: %v", err)
	}
}

func TestPreviewInGroup(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.Text(group, 42, "hi"))
	a := adapter(t, s, nil)
	m := chat.Message{ID: "1", Key: place(group, 0)}
	id, wait, err := a.Preview(t.Context(), m, "", "one")
	if err != nil || id == "" || wait != 3*time.Second {
		t.Fatalf("first: %q %s %v", id, wait, err)
	}
	for _, text := range []string{"one **two", "one **two", "one two " + strings.Repeat("word ", 3000)} {
		if again, _, err := a.Preview(t.Context(), m, id, text); err != nil || again != id {
			t.Errorf("edit: %q %v", again, err)
		}
	}
	p := chat.Part{Key: m.Key, Text: "one **two** three", Sending: chat.Sending{Preview: id}}
	for range 2 { // an edit may be repeated
		if got, err := a.Send(t.Context(), p); err != nil || got != id {
			t.Errorf("final: %q %v", got, err)
		}
	}
	s.Fail(telegramtest.Fault{Method: "editMessageText", Drop: true, After: true, Times: 1})
	if _, err := a.Send(t.Context(), p); !isPlain(err) {
		t.Errorf("an edit with its answer lost: %v", err)
	}
	got := s.Sent()
	if len(got) != 1 || got[0].Text != "one two three" || got[0].ReplyTo != 1 {
		t.Errorf("visible %+v", got)
	}
	s.DropMessage(group, got[0].ID)
	if again, err := a.Send(t.Context(), p); err != nil || again == id {
		t.Errorf("after the preview was deleted: %q %v", again, err)
	}
}

func TestPreviewInPrivate(t *testing.T) {
	s, a := fresh(t, 42)
	for _, row := range []int64{0, 17} {
		id, wait, err := a.Preview(t.Context(), chat.Message{ID: "1", Key: place(42, 0), Row: row}, "", "**thin")
		if err != nil || id != "" || wait <= 0 {
			t.Errorf("Preview: %q %s %v", id, wait, err)
		}
	}
	if d := s.Drafts(); len(d) != 2 || d[0].ID == 0 || d[1].ID != 17 || len(s.Sent()) != 0 {
		t.Errorf("drafts %+v", d)
	}
	if id, wait, err := a.Preview(t.Context(), chat.Message{Key: place(42, 0)}, "", " "); id != "" || wait != 0 || err != nil {
		t.Errorf("nothing yet: %q %s %v", id, wait, err)
	}
}

func TestSendFiles(t *testing.T) {
	s, a := fresh(t, 42)
	two := []chat.File{{Name: "a.txt", Data: []byte("A")}, {Name: "dir/b.txt", Data: []byte("B")}}
	p := chat.Part{Key: place(42, 0), Text: "**two** files", Files: two}
	if _, err := a.Send(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.Text = strings.Repeat("long ", 300)
	if _, err := a.Send(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	got := s.Sent()
	if len(got) != 5 || got[0].Text != "two files" || got[0].File.Name != "a.txt" || got[1].File.Name != "b.txt" ||
		got[2].File != nil || string(got[4].File.Data) != "B" {
		t.Errorf("sent %+v", got)
	}
	s.Fail(telegramtest.Fault{Method: "sendDocument", Skip: 1, Times: 1, Status: 403})
	if _, err := a.Send(t.Context(), p); !isUnknown(err) || isGone(err) {
		t.Errorf("half of it sent: %v", err)
	}
}

func TestTyping(t *testing.T) {
	s := server(t)
	s.Push(telegramtest.TopicText(group, 9, 42, "hi"))
	if err := adapter(t, s, nil).Typing(t.Context(), chat.Message{Key: place(group, 9)}); err != nil {
		t.Fatal(err)
	}
	if got := s.Actions(); len(got) != 1 || got[0] != (telegramtest.Action{Chat: group, Thread: 9, Action: "typing"}) {
		t.Errorf("actions %+v", got)
	}
}

func TestAccountCalls(t *testing.T) {
	s := server(t)
	s.AddChat(group)
	s.SetAdmin(group, 42)
	s.AddFile("f1", telegramtest.File{Data: []byte("content")})
	a := adapter(t, s, nil)
	s.AddChat(42)
	help, forget := command{"help", "what I can do"}, command{"forget-me", "forget"}
	menus := []menu{{where: menuEverywhere, commands: []command{help, forget}}, {where: menuGroups}, {where: menuAdmins,
		commands: []command{help}}, {where: "telegram:42", commands: []command{forget}}, {where: "telegram:99", commands: []command{help}}}
	for range 2 { // the second time all is as it should be
		if _, err := a.showMenus(t.Context(), menus); err != nil {
			t.Error(err)
		}
	}
	if s.Menu("default")[1].Command != "forget_me" || len(s.Menu("all_group_chats")) != 0 ||
		s.Menu("all_chat_administrators")[0].Command != "help" || s.Menu("42")[0].Command != "forget_me" {
		t.Errorf("menus: %v %v %v", s.Menu("default"), s.Menu("all_chat_administrators"), s.Menu("42"))
	}
	if n := len(s.Calls("setMyCommands")); n != 3 {
		t.Errorf("%d menus were set", n)
	}
	lift := s.Fail(telegramtest.Fault{Method: "setMyCommands", Status: 400, Times: 1})
	if _, err := a.showMenus(t.Context(), []menu{{where: menuEverywhere}, {where: menuGroups, commands: []command{help}}}); err == nil ||
		len(s.Menu("all_group_chats")) != 1 {
		t.Errorf("one menu refused: %v, %v", err, s.Menu("all_group_chats"))
	}
	lift()
	s.Fail(telegramtest.Fault{Method: "getMyCommands", Status: 500})
	if _, err := a.showMenus(t.Context(), menus); err == nil {
		t.Error("a failure is silent")
	}
	for id, want := range map[string]bool{"telegram:42": true, "telegram:43": false, "telegram:chat:-100": false} {
		if got, err := a.IsAdmin(t.Context(), place(group, 0), id); got != want || err != nil {
			t.Errorf("IsAdmin(%s) = %v, %v", id, got, err)
		}
	}
}

func TestFetch(t *testing.T) {
	s := server(t)
	s.AddFile("f1", telegramtest.File{Data: []byte("content")})
	s.AddFile("huge", telegramtest.File{Data: make([]byte, 20<<20+1)})
	s.AddFile("lost", telegramtest.File{})
	a := adapter(t, s, nil)
	if data, err := a.Fetch(t.Context(), chat.File{Ref: "f1"}, 7); string(data) != "content" || err != nil {
		t.Errorf("fetched %q, %v", data, err)
	}
	for _, c := range []struct {
		file  chat.File
		limit int64
		want  error
	}{
		{chat.File{Ref: "f1"}, 6, chat.ErrFileTooLarge},
		{chat.File{Ref: "f1", Size: 21 << 20}, 1 << 30, chat.ErrFileTooLarge},
		{chat.File{Ref: "huge"}, 1 << 30, chat.ErrFileTooLarge},
		{chat.File{Ref: "none"}, 100, chat.ErrFileGone},
		{chat.File{Ref: "lost"}, 100, chat.ErrFileGone},
	} {
		if _, err := a.Fetch(t.Context(), c.file, c.limit); !errors.Is(err, c.want) || strings.Contains(err.Error(), s.Token()) {
			t.Errorf("Fetch(%+v): %v", c.file, err)
		}
	}
	there, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(there)
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/file/") {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer cut.Close()
	a = adapter(t, s, func(o *Options) { o.APIURL = cut.URL })
	if _, err := a.Fetch(t.Context(), chat.File{Ref: "f1"}, 100); err == nil || strings.Contains(err.Error(), s.Token()) {
		t.Errorf("a download that is cut off: %v", err)
	}
	cut.Close()
	if _, err := a.Fetch(t.Context(), chat.File{Ref: "f1"}, 100); err == nil || strings.Contains(err.Error(), s.Token()) {
		t.Errorf("without a server: %v", err)
	}
}

// TestSendCallsAPerson: the name in a part that calls somebody is one that Telegram
// tells them of, wherever it stands; a name in a link stays a link.
func TestSendCallsAPerson(t *testing.T) {
	ann := chat.User{ID: "telegram:42", Name: "Ann 🦊"}
	for _, c := range []struct {
		name, text string
		to         chat.User
		ping       bool
		offset     int
	}{
		{"behind an emoji", "⏰ Ann 🦊: **water** the plants", ann, true, 2},
		{"not asked for", "⏰ Ann 🦊: water", ann, false, -1},
		{"in a link", "[Ann 🦊](https://example.com) has to water", ann, true, -1},
		{"nobody certain", "⏰ Group: water", chat.User{ID: "telegram:1087968824", Name: "Group"}, true, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, a := fresh(t, group)
			if _, err := a.Send(t.Context(), chat.Part{Key: place(group, 0), Text: c.text, To: c.to, Ping: c.ping}); err != nil {
				t.Fatal(err)
			}
			offset := -1
			for _, e := range s.Sent()[0].Entities {
				if e.Type == "text_mention" && e.User.ID == 42 && e.Length == 6 {
					offset = e.Offset
				}
			}
			if offset != c.offset {
				t.Errorf("entities %+v", s.Sent()[0].Entities)
			}
		})
	}
}

// TestPreviewIsRemoved: a part without text or files takes its preview away, also where it
// is gone already.
func TestPreviewIsRemoved(t *testing.T) {
	s, a := fresh(t, group)
	m := chat.Message{Key: place(group, 0)}
	id, _, err := a.Preview(t.Context(), m, "", "let me see")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, Sending: chat.Sending{Preview: id}}); err != nil {
			t.Error(err)
		}
	}
	if got := s.Sent(); len(got) != 1 || !got[0].Deleted {
		t.Errorf("people see %+v", got)
	}
}
