package matrix

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/matrix/matrixtest"
	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// intake keeps what an adapter delivers.
type intake struct {
	mu      sync.Mutex // guards the rest
	list    []chat.Message
	moved   []chat.Move
	present []chat.Presence
	dead    []chat.DeadLetter
	notes   map[string]string
}

func (in *intake) Room(context.Context) error { return nil }

func (in *intake) Deliver(_ context.Context, b chat.Batch) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, m := range b.Messages {
		if !slices.ContainsFunc(in.list, func(one chat.Message) bool { return one.ID == m.ID }) {
			in.list = append(in.list, m)
		}
	}
	in.moved, in.present, in.dead = append(in.moved, b.Moved...), append(in.present, b.Present...), append(in.dead, b.Dead...)
	if in.notes == nil {
		in.notes = map[string]string{}
	}
	for name, note := range b.Cursors {
		in.notes[name] = note
	}
	return nil
}

func (in *intake) Cursors(context.Context, string) (map[string]string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	notes := map[string]string{}
	for name, note := range in.notes {
		notes[name] = note
	}
	return notes, nil
}

func (in *intake) messages() []chat.Message {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.list)
}

// waits until so many messages came, and returns them.
func (in *intake) waits(t *testing.T, n int) []chat.Message {
	t.Helper()
	waittest.Until(t, "messages", func() bool { return len(in.messages()) >= n })
	return in.messages()
}

// begin runs an adapter until the test ends, or until it is stopped.
func begin(t *testing.T, a *Adapter, in *intake) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, in) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	waittest.Until(t, "receiving", func() bool { return a.Health() == nil })
	return stop
}

// TestGap: of what was said while nobody listened nothing is lost and nothing turned round,
// however little a sync brings.
func TestGap(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	stop := begin(t, adapter(t, s, nil), in)
	s.Say(room, ann, "before", nil)
	in.waits(t, 1)
	stop()
	s.Limit(2)
	want := []string{"before"}
	for i := range 250 {
		want = append(want, strings.Repeat("x", i%7)+string(rune('a'+i%26)))
		s.Say(room, ann, want[i+1], nil)
	}
	begin(t, adapter(t, s, nil), in)
	var got []string
	for _, m := range in.waits(t, len(want)) {
		got = append(got, m.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestRoomsAndThreads: who is addressed where, what is quoted, and which conversation it is.
func TestRoomsAndThreads(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Room("Kitchen", ann, "@bob:example.org", matrixtest.Bot)
	a := adapter(t, s, func(o *Options) { o.Command = func(name string) bool { return name == "help" } })
	begin(t, a, in)
	root := s.Say(room, ann, "just talking", nil)
	s.Say(room, ann, "Parley: how are you?", nil)
	s.Say(room, ann, "well, you?", map[string]any{"m.mentions": map[string]any{"user_ids": []string{matrixtest.Bot}}})
	s.Say(room, "@bob:example.org", "in here", map[string]any{"m.relates_to": map[string]any{"rel_type": "m.thread", "event_id": root}})
	s.Say(room, "@bob:example.org", "about that",
		map[string]any{"m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": root}}})
	s.Say(room, ann, "a notice", map[string]any{"msgtype": "m.notice"})
	s.Say(room, ann, "!Help", nil)
	s.Say(room, ann, "!wow", nil)
	s.Say(room, ann, "/help", nil)
	got := in.waits(t, 8)
	for i, m := range got {
		if m.Direct || m.Title != "Kitchen" || m.Key.Channel != room {
			t.Errorf("%d: %+v", i, m)
		}
	}
	if got[0].Addressed || got[0].From.Name != "ann" || !got[1].Named || got[1].Text != "how are you?" || !got[2].Addressed {
		t.Errorf("addressed: %+v", got[:3])
	}
	if got[3].Key.Thread != root || got[4].ReplyTo != root || got[4].Quote != "just talking" || !got[4].Relayed || got[4].Addressed {
		t.Errorf("threads and replies: %+v", got[3:5])
	}
	if got[5].Kind != chat.KindCommand || got[5].Text != "/Help" || got[6].Kind == chat.KindCommand ||
		got[7].Kind != chat.KindCommand || !got[7].Addressed {
		t.Errorf("commands: %+v", got[5:])
	}
	if _, err := a.Send(t.Context(), chat.Part{Key: got[3].Key, Text: "there", Nonce: "n1"}); err != nil {
		t.Fatal(err)
	}
	rel, _ := s.Sent()[0].Content["m.relates_to"].(map[string]any)
	if rel["rel_type"] != "m.thread" || rel["event_id"] != root {
		t.Errorf("the answer went to %v", rel)
	}
	waittest.Until(t, "a receipt", func() bool { return s.Read(room) == got[7].ID })
}

// TestSecondPersonMakesAGroup: a room that somebody else enters is another conversation.
func TestSecondPersonMakesAGroup(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	a := adapter(t, s, nil)
	begin(t, a, in)
	s.Say(room, ann, "secret", nil)
	in.waits(t, 1)
	s.Member(room, "@bob:example.org", "join")
	s.Say(room, ann, "hello", nil)
	got := in.waits(t, 2)
	if !got[0].Direct || got[0].Key.Channel != ann || got[1].Direct || got[1].Addressed || got[1].Key.Channel != room {
		t.Errorf("%+v", got)
	}
	if _, err := a.Send(t.Context(), chat.Part{Key: got[0].Key, Text: "for you", Nonce: "n1"}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(); sent[0].Room == room {
		t.Error("a private answer went to the group")
	}
}

// TestButtons: a reaction and a typed number press a choice, before and after a restart.
func TestButtons(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	a := adapter(t, s, nil)
	stop := begin(t, a, in)
	s.Say(room, ann, "go", nil)
	m := in.waits(t, 1)[0]
	id, err := a.Send(t.Context(), chat.Part{Key: m.Key, Text: "Sure?", Nonce: "n1", Buttons: [][]chat.Button{
		{{Label: "Yes", Data: "confirm:1"}, {Label: "No", Data: "drop:1"}, {Label: "More", URL: "https://example.org"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Reactions(id); !slices.Equal(got, []string{"1️⃣", "2️⃣"}) {
		t.Errorf("offered %q", got)
	}
	s.React(room, ann, id, "1️⃣")
	s.Say(room, ann, "no", nil)
	in.waits(t, 3)
	stop()
	begin(t, adapter(t, s, nil), in)
	s.React(room, ann, id, "2️⃣")
	s.React(room, ann, id, "👍")
	s.Say(room, ann, "2", nil)
	for i, want := range []string{"confirm:1", "drop:1", "drop:1", "drop:1"} {
		if got := in.waits(t, i+2)[i+1]; got.Kind != chat.KindButton || got.Text != want || got.ReplyTo != id || got.From.ID != "matrix:"+ann {
			t.Errorf("press %d: %+v", i, got)
		}
	}
	if err := a.Amend(t.Context(), m.Key, id, "Done."); err != nil || s.Texts()[0] != "Done." {
		t.Errorf("%v, %q", err, s.Texts())
	}
}

// TestPreview: the answer grows in one message, also when the process that began it was killed.
func TestPreview(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	a := adapter(t, s, nil)
	stop := begin(t, a, in)
	s.Say(room, ann, "go", nil)
	m := in.waits(t, 1)[0]
	m.Nonce = "n1"
	id, _, err := a.Preview(t.Context(), m, "", "grow")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Preview(t.Context(), m, id, "growing"); err != nil || !slices.Equal(s.Texts(), []string{"growing"}) {
		t.Errorf("%v, %q", err, s.Texts())
	}
	stop()
	s.ForgetTransactions()
	b := adapter(t, s, nil)
	begin(t, b, in)
	part := chat.Part{Key: m.Key, Text: "**grown** <b>", Nonce: "n1", Sending: chat.Sending{At: time.Now()}}
	for range 2 {
		if got, err := b.Send(t.Context(), part); err != nil || got != id {
			t.Errorf("%q, %v, want %q", got, err, id)
		}
		s.ForgetTransactions()
		part.Unknown++
	}
	if got := s.Sent(); len(got) != 1 || got[0].HTML != "<p><strong>grown</strong> &lt;b&gt;</p>" {
		t.Errorf("%+v", got)
	}
}

// TestFiles: up and down, and what is too large for either side.
func TestFiles(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	a := adapter(t, s, nil)
	begin(t, a, in)
	uri := s.AddMedia("m1", []byte("hello"))
	s.Say(room, ann, "a.txt", map[string]any{"msgtype": "m.file", "url": uri, "info": map[string]any{"mimetype": "text/plain", "size": 5}})
	m := in.waits(t, 1)[0]
	if len(m.Files) != 1 || m.Text != "" || m.Files[0].Name != "a.txt" || m.Files[0].Size != 5 {
		t.Fatalf("%+v", m)
	}
	if data, err := a.Fetch(t.Context(), m.Files[0], 10); string(data) != "hello" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	m.Files[0].Size = 0
	if _, err := a.Fetch(t.Context(), m.Files[0], 4); err != chat.ErrFileTooLarge {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := a.Fetch(t.Context(), chat.File{Ref: "mxc://example.org/none"}, 4); err != chat.ErrFileGone {
		t.Errorf("gone: %v", err)
	}
	part := chat.Part{Key: m.Key, Text: "here", Nonce: "n1", Files: []chat.File{{Name: "b.txt", Data: []byte("back")}}}
	if _, err := a.Send(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 2 || sent[1].Content["msgtype"] != "m.file" || string(s.Media(sent[1].Content["url"].(string))) != "back" {
		t.Errorf("%+v", sent)
	}
	part.Nonce, part.Files[0].Data = "n2", make([]byte, 2<<20)
	if _, err := a.Send(t.Context(), part); err == nil || !strings.Contains(err.Error(), "more than the server takes") {
		t.Errorf("too large: %v", err)
	}
}

// TestInvitations: whoever was let in may invite; what was said since then is read.
func TestInvitations(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	begin(t, adapter(t, s, func(o *Options) {
		o.Welcome = func(_ context.Context, m chat.Message) bool { return m.From.ID == "matrix:"+ann }
	}), in)
	before := s.Room("Kitchen", ann, "@bob:example.org")
	s.Say(before, ann, "Parley: not for the bot", nil)
	s.Invite(before, ann, false)
	s.Say(before, ann, "Parley: welcome", nil)
	strange := s.Room("Elsewhere", "@eve:example.org", "@bob:example.org")
	s.Invite(strange, "@eve:example.org", false)
	got := in.waits(t, 2)
	added := slices.IndexFunc(got, func(m chat.Message) bool { return m.Kind == chat.KindAdded })
	said := slices.IndexFunc(got, func(m chat.Message) bool { return m.Text == "welcome" })
	if added < 0 || said < 0 || got[added].From.ID != "matrix:"+ann || got[added].Title != "Kitchen" || len(got) > 2 {
		t.Errorf("%+v", got)
	}
	waittest.Until(t, "the stranger's is declined", func() bool { return s.Membership(strange, matrixtest.Bot) == "leave" })
}

// TestUpgrade: a room that both sides call an upgrade goes on; one that is only named does not.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	old := s.Room("Kitchen", ann, "@bob:example.org", matrixtest.Bot)
	next := s.Room("Kitchen", ann, "@bob:example.org")
	trap := s.Room("Trap", "@eve:example.org", "@bob:example.org", matrixtest.Bot)
	s.State(next, "m.room.create", map[string]any{"predecessor": map[string]any{"room_id": old}})
	s.State(next, "m.room.join_rules", map[string]any{"join_rule": "public"})
	a := adapter(t, s, nil)
	begin(t, a, in)
	s.State(trap, "m.room.tombstone", map[string]any{"replacement_room": old})
	s.State(old, "m.room.tombstone", map[string]any{"replacement_room": next})
	want := chat.Move{From: place(old, ""), To: place(next, "")}
	moved := func() []chat.Move { in.mu.Lock(); defer in.mu.Unlock(); return slices.Clone(in.moved) }
	waittest.Until(t, "the move", func() bool { return len(moved()) > 0 })
	if got := moved(); !slices.Equal(got, []chat.Move{want}) {
		t.Errorf("%+v", got)
	}
	_, err := a.Send(t.Context(), chat.Part{Key: want.From, Text: "late", Nonce: "n1"})
	if to, ok := err.(*chat.MovedError); !ok || to.To != want.To {
		t.Errorf("%v", err)
	}
}

// TestEncrypted: an encrypted room is told once that nothing in it is read.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	room := s.Direct(ann)
	unread := func(o *Options) {
		o.Unread = func(_ context.Context, member string) string { return "not read, " + member }
	}
	stop := begin(t, adapter(t, s, unread), in)
	s.State(room, "m.room.encryption", map[string]any{"algorithm": "m.megolm.v1.aes-sha2"})
	waittest.Until(t, "it is told", func() bool { return len(s.Sent()) > 0 })
	s.Post(matrixtest.Event{Room: room, Type: "m.room.encrypted", Sender: ann, Content: map[string]any{"ciphertext": "…"}})
	s.Say(room, ann, "in clear", nil)
	in.waits(t, 1)
	stop()
	s.ForgetTransactions()
	begin(t, adapter(t, s, unread), in)
	s.Say(room, ann, "again", nil)
	in.waits(t, 2)
	if got := s.Texts(); !slices.Equal(got, []string{"not read, matrix:" + ann}) {
		t.Errorf("%q", got)
	}
}

// TestRefusedToken: Run ends, and Health says what to do.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	a := adapter(t, s, nil)
	done := make(chan error, 1)
	go func() { done <- a.Run(t.Context(), in) }()
	waittest.Until(t, "receiving", func() bool { return a.Health() == nil })
	s.Refuse(true)
	if err := <-done; err == nil || a.Health() == nil {
		t.Errorf("%v, %v", err, a.Health())
	}
}

// TestRender: what Matrix shows; nothing that others wrote becomes HTML or calls anybody.
func TestRender(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain words":                     "",
		"a < b & **c**":                   "<p>a &lt; b &amp; <strong>c</strong></p>",
		"```go\nx<y\n```":                 "<pre><code class=\"language-go\">x&lt;y\n</code></pre>",
		"||hidden||":                      "<p><span data-mx-spoiler>hidden</span></p>",
		"3. a\n4. b":                      `<ol start="3"><li>a</li><li>b</li></ol>`,
		"[x](javascript:alert(1))":        "<p>x (javascript:alert(1))</p>",
		"[x](https://matrix.to/#/@a:b.c)": "<p>x (https://matrix.to/#/@a:b.c)</p>",
		"<script>x</script>":              "<p>&lt;script&gt;x&lt;/script&gt;</p>",
	} {
		if got := render(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestStartAfterInvitation: a server that describes our rooms as they were before somebody
// invited us does not make a group of their direct chat.
func TestStartAfterInvitation(t *testing.T) {
	t.Parallel()
	s, in := server(t), &intake{}
	stop := begin(t, adapter(t, s, nil), in)
	room := s.Room("", ann)
	s.Invite(room, ann, true)
	waittest.Until(t, "we are in", func() bool { return s.Membership(room, matrixtest.Bot) == "join" })
	s.Say(room, ann, "one", nil)
	in.waits(t, 1)
	stop()
	begin(t, adapter(t, s, nil), in)
	s.Say(room, ann, "two", nil)
	if got := in.waits(t, 2); !got[0].Direct || !got[1].Direct || got[1].Key.Channel != ann {
		t.Errorf("%+v", got)
	}
}
