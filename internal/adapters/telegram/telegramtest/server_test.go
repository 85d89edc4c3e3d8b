package telegramtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is what a call got.
type reply struct {
	status int
	body   string
	OK     bool
	Result json.RawMessage

	Description string
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	}
}

// call makes one call with name, value pairs as a form.
func call(t *testing.T, s *Server, method string, pairs ...string) reply {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return post(t, ctx, s.URL()+"/bot"+s.Token()+"/"+method, form)
}

func post(t *testing.T, ctx context.Context, to string, form url.Values) (r reply) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	_ = json.Unmarshal(data, &r)
	r.status, r.body = resp.StatusCode, string(data)
	return r
}

func fake(t *testing.T, o Options) *Server {
	s := Start(o)
	t.Cleanup(func() { s.Close(); http.DefaultClient.CloseIdleConnections() })
	return s
}

// polled returns the update ids a poll gives.
func polled(t *testing.T, s *Server, pairs ...string) (ids []int64) {
	t.Helper()
	var list []Update
	if err := json.Unmarshal(call(t, s, "getUpdates", pairs...).Result, &list); err != nil {
		t.Fatal(err)
	}
	for _, u := range list {
		ids = append(ids, u.ID)
	}
	return ids
}

// An update is confirmed by a higher offset and by nothing else; a negative
// one drops all before it (A3).
func TestOffsets(t *testing.T) {
	s := fake(t, Options{})
	for range 150 {
		s.Push(Text(42, 42, "x"))
	}
	for _, c := range []struct {
		offset      string
		first, last int64
		waiting     int
	}{{"0", 1, 100, 150}, {"101", 101, 150, 50}, {"1", 101, 150, 50}, {"150", 150, 150, 1}, {"-1", 150, 150, 1}} {
		ids := polled(t, s, "offset", c.offset)
		if len(ids) == 0 || ids[0] != c.first || ids[len(ids)-1] != c.last || s.Waiting() != c.waiting {
			t.Errorf("offset %s: %v, %d waiting; want %+v", c.offset, ids, s.Waiting(), c)
		}
	}
	if ids := polled(t, s, "offset", "151"); len(ids) != 0 || s.Waiting() != 0 {
		t.Errorf("after all were confirmed: %v", ids)
	}
}

// The same offset soon again gives one update.
func TestSameOffset(t *testing.T) {
	s := fake(t, Options{})
	s.Push(Text(42, 42, "x"), Text(42, 42, "y"))
	if a, b := polled(t, s, "offset", "1"), polled(t, s, "offset", "1"); len(a) != 2 || len(b) != 1 {
		t.Errorf("%v then %v", a, b)
	}
}

func TestTwoPollers(t *testing.T) {
	s := fake(t, Options{})
	first := make(chan reply, 1)
	go func() { first <- call(t, s, "getUpdates", "offset", "1", "timeout", "9") }()
	if err := s.Wait(t.Context(), s.Polling); err != nil {
		t.Fatal(err)
	}
	second := make(chan reply, 1)
	go func() { second <- call(t, s, "getUpdates", "offset", "2", "timeout", "9") }()
	if r := <-first; r.status != 409 || !strings.Contains(r.Description, "terminated by other getUpdates") {
		t.Errorf("the poll that was taken over: %+v", r)
	}
	s.Push(Text(42, 42, "x"), Text(42, 42, "y"))
	if r := <-second; r.status != 200 || !strings.Contains(r.body, `"y"`) {
		t.Errorf("the poll that took over: %+v", r)
	}
}

func TestWebhookExcludesPolling(t *testing.T) {
	s := fake(t, Options{})
	if r := call(t, s, "setWebhook", "url", "http://example.org/"); r.status != 400 {
		t.Errorf("plain http: %+v", r)
	}
	if r := call(t, s, "setWebhook", "url", "http://127.0.0.1:1/"); !r.OK {
		t.Errorf("setWebhook: %+v", r)
	}
	s.Push(Text(42, 42, "x"))
	if r := call(t, s, "getUpdates"); r.status != 409 || !strings.Contains(r.Description, "webhook is active") {
		t.Errorf("getUpdates: %+v", r)
	}
	call(t, s, "deleteWebhook")
	if ids := polled(t, s); len(ids) != 1 {
		t.Errorf("kept %v", ids)
	}
}

func TestRefusals(t *testing.T) {
	s := fake(t, Options{})
	s.Push(Text(42, 42, "hi"), TopicText(-1000000000007, 9, 42, "hi"))
	long := strings.Repeat("😀", 2048)
	for _, c := range []struct {
		name, method string
		want         string // "" is accepted
		fields       []string
	}{
		{"full message", "sendMessage", "", []string{"chat_id", "42", "text", long}},
		{"one unit more", "sendMessage", "message is too long", []string{"chat_id", "42", "text", long + "x"}},
		{"too many bytes", "sendMessage", "text is too long", []string{"chat_id", "42", "text", strings.Repeat(" ", 32769)}},
		{"blank", "sendMessage", "message text is empty", []string{"chat_id", "42", "text", " \n"}},
		{"not UTF-8", "sendMessage", "UTF-8", []string{"chat_id", "42", "text", "a\xff"}},
		{"no chat", "sendMessage", "chat_id is empty", []string{"text", "x"}},
		{"unknown chat", "sendMessage", "chat not found", []string{"chat_id", "77", "text", "x"}},
		{"topic", "sendMessage", "", []string{"chat_id", "-1000000000007", "message_thread_id", "9", "text", "x"}},
		{"no topic", "sendMessage", "message thread not found", []string{"chat_id", "-1000000000007", "message_thread_id", "8", "text", "x"}},
		{"reply to nothing", "sendMessage", "message to be replied not found", []string{"chat_id", "42", "text", "x",
			"reply_parameters", `{"message_id":99}`}},
		{"reply to nothing, allowed", "sendMessage", "", []string{"chat_id", "42", "text", "x", "reply_parameters",
			`{"message_id":99,"allow_sending_without_reply":true}`}},
		{"entity", "sendMessage", "", []string{"chat_id", "42", "text", "😀b", "entities", `[{"type":"bold","offset":2,"length":1}]`}},
		{"entity past the end", "sendMessage", "ends after the end", []string{"chat_id", "42", "text", "😀b", "entities",
			`[{"type":"bold","offset":2,"length":2}]`}},
		{"entity inside a character", "sendMessage", "middle of a UTF-16", []string{"chat_id", "42", "text", "😀b", "entities",
			`[{"type":"bold","offset":1,"length":2}]`}},
		{"entity of nothing", "sendMessage", "incorrect", []string{"chat_id", "42", "text", "b", "entities",
			`[{"type":"bold","offset":0,"length":0}]`}},
		{"entities not JSON", "sendMessage", "can't parse entities", []string{"chat_id", "42", "text", "b", "entities", `nope`}},
		{"long button", "sendMessage", "BUTTON_DATA_INVALID", []string{"chat_id", "42", "text", "b", "reply_markup",
			`{"inline_keyboard":[[{"text":"x","callback_data":"` + strings.Repeat("d", 65) + `"}]]}`}},
		{"edit nothing", "editMessageText", "message to edit not found", []string{"chat_id", "42", "message_id", "1", "text", "x"}},
		{"draft", "sendMessageDraft", "", []string{"chat_id", "42", "draft_id", "1", "text", ""}},
		{"draft without id", "sendMessageDraft", "TEXTDRAFT_ID_INVALID", []string{"chat_id", "42", "draft_id", "0", "text", "x"}},
		{"draft in a group", "sendMessageDraft", "TEXTDRAFT_PEER_INVALID", []string{"chat_id", "-1000000000007", "draft_id", "1", "text", "x"}},
		{"action", "sendChatAction", "", []string{"chat_id", "42", "action", "typing"}},
		{"no such action", "sendChatAction", "wrong parameter action", []string{"chat_id", "42", "action", "dancing"}},
		{"old query", "answerCallbackQuery", "query is too old", []string{"callback_query_id", "x"}},
		{"command", "setMyCommands", "", []string{"commands", `[{"command":"a_b","description":"d"}]`}},
		{"bad command", "setMyCommands", "BOT_COMMAND_INVALID", []string{"commands", `[{"command":"a-b","description":"d"}]`}},
		{"no file", "sendDocument", "file must be non-empty", []string{"chat_id", "42"}},
		{"no such method", "sendCake", "Not Found", nil},
	} {
		r := call(t, s, c.method, c.fields...)
		if r.OK != (c.want == "") || !strings.Contains(r.Description, c.want) {
			t.Errorf("%s: %s", c.name, r.body)
		}
	}
}

func TestEditing(t *testing.T) {
	s := fake(t, Options{})
	s.AddChat(42)
	var m Message
	_ = json.Unmarshal(call(t, s, "sendMessage", "chat_id", "42", "text", "one").Result, &m)
	edit := func(text string) reply {
		return call(t, s, "editMessageText", "chat_id", "42", "message_id", "1", "text", text)
	}
	if r := edit("one"); !strings.Contains(r.Description, "message is not modified") {
		t.Errorf("same text: %+v", r)
	}
	if r := edit("two"); !r.OK || m.ID != 1 || s.Sent()[0].Text != "two" || s.Sent()[0].Edits[0] != "one" {
		t.Errorf("edit: %+v %+v", r, s.Sent())
	}
	s.DropMessage(42, 1)
	if r := edit("three"); !strings.Contains(r.Description, "message to edit not found") {
		t.Errorf("deleted: %+v", r)
	}
}

func TestAuthority(t *testing.T) {
	s := fake(t, Options{})
	for path, want := range map[string]int{
		"/bot" + s.Token() + "/getMe":                         200,
		"/bot99:AAtestTESTtestTESTtestTESTtestTEST0/getMe":    401,
		"/botnonsense/getMe":                                  404,
		"/file/bot99:AAtestTESTtestTESTtestTEST/documents/f1": 404,
	} {
		if r := post(t, t.Context(), s.URL()+path, nil); r.status != want {
			t.Errorf("%s: %d, want %d", path, r.status, want)
		}
	}
	s.Revoke(true)
	if r := call(t, s, "getMe"); r.status != 401 {
		t.Errorf("revoked: %+v", r)
	}
}

func TestFaultsAndLedger(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := fake(t, Options{Now: func() time.Time { return now }})
	s.AddChat(42)
	s.AddChat(43)
	send := func(chat string) reply { return call(t, s, "sendMessage", "chat_id", chat, "text", "x") }
	s.Fail(Fault{Method: "sendMessage", Chat: 42, Skip: 1, Times: 1, Status: 429, RetryAfter: 5})
	if !send("42").OK || !send("43").OK {
		t.Error("the fault came too soon")
	}
	if r := send("42"); r.status != 429 || r.Parameters.RetryAfter != 5 {
		t.Errorf("429: %+v", r)
	}
	if send("42"); s.Wasted() != 1 {
		t.Errorf("%d wasted, want 1", s.Wasted())
	}
	send("43")
	if now = now.Add(5 * time.Second); !send("42").OK || s.Wasted() != 1 {
		t.Errorf("%d wasted after the wait", s.Wasted())
	}
	lift := s.Fail(Fault{Status: 502, Body: "<html>"})
	if r := send("42"); r.status != 502 || r.body != "<html>" {
		t.Errorf("html: %+v", r)
	}
	lift()
	s.Fail(Fault{Drop: true, After: true, Times: 1})
	before := len(s.Sent())
	if r := send("42"); r.status != 0 || len(s.Sent()) != before+1 {
		t.Errorf("answer lost: %+v", r)
	}
	s.Migrate(-7, -1000000000008)
	if r := send("-7"); r.Parameters.MigrateTo != -1000000000008 {
		t.Errorf("migrated: %+v", r)
	}
	s.Block(43, "Forbidden: bot was blocked by the user")
	if r := send("43"); r.status != 403 {
		t.Errorf("blocked: %+v", r)
	}
	calls := s.Calls("sendMessage")
	if n := len(calls); n != 10 || calls[2].Status != 429 || calls[3].Chat != 42 || !calls[3].Wasted {
		t.Errorf("ledger of %d: %+v", n, calls)
	}
}

func BenchmarkSendMessage(b *testing.B) {
	s := New()
	defer s.Close()
	s.AddChat(42)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	form := url.Values{"chat_id": {"42"}, "text": {"hello"}}.Encode()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := client.Post(s.URL()+"/bot"+s.Token()+"/sendMessage", "application/x-www-form-urlencoded", strings.NewReader(form))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}
