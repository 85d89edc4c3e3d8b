package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// webID begins the ids of messages that were written in a member's browser.
const webID = "web-"

// Feeds follow the direct chats that members have open in a browser. They hold what no
// transcript has: the answer being written, commands and their answers, what was sent
// unasked, buttons, and files of answers. They begin empty with each process.
type Feeds struct {
	now func() time.Time

	mu  sync.Mutex // guards all
	all map[chat.Key]*feed
}

// Limits of a feed: lines, files and bytes of files kept, and answers remembered.
const (
	keepFiles     = 8
	keepFileBytes = 16 << 20
	keepShown     = 100
)

// feed is one direct chat.
type feed struct {
	news *news

	mu      sync.Mutex // guards the rest
	turns   map[*answering]bool
	lines   []line          // beside the transcript, oldest first
	buttons []chat.Button   // under the last answer
	shown   map[string]bool // what answers that are shown already reply to
	files   []chat.File     // of answers, the latest last
	names   []string        // of files, in URLs
	notice  bool            // the part being sent is shown by nothing else
	left    bool            // and answers a message of an earlier process
}

// line is what stands in a member's chat.
type line struct {
	ID      string
	Mine    bool
	Text    string
	Files   []fileLink
	Waiting bool // not answered yet
	At      time.Time
	left    bool // an earlier process was asked; the transcript may have it
}

// fileLink is a file as shown; Path is "" if it cannot be fetched.
type fileLink struct{ Path, Name string }

// answering is one message being answered.
type answering struct {
	feed   *feed
	text   strings.Builder
	status string
	over   bool   // the handler has returned
	lines  []line // of the answer, shown once that is stored
	answer bool   // there is one
	button []chat.Button
}

// follow begins to follow a conversation.
func (fs *Feeds) follow(k chat.Key) *feed {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.all[k]
	if f == nil {
		f = &feed{news: &news{readers: map[*reader]bool{}}, turns: map[*answering]bool{}, shown: map[string]bool{}}
		fs.all[k] = f
	}
	return f
}

// of returns the feed of a conversation, nil if nobody follows it.
func (fs *Feeds) of(k chat.Key) *feed {
	if fs == nil {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.all[k]
}

// only drops every feed but those named, and has who reads the others look again.
func (fs *Feeds) only(keys map[chat.Key]bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for k, f := range fs.all {
		if !keys[k] {
			delete(fs.all, k)
			f.news.tell(true)
		}
	}
}

// Wrap shows, to who follows a direct chat, how answers there grow. The answer to a message
// from a browser quotes it, since the direct chat does not have it.
func (fs *Feeds) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		f := fs.of(m.Key)
		if f == nil || !m.Direct {
			a, err := pass(ctx, m, w)
			return quoting(ctx, m, a), err
		}
		t := &answering{feed: f}
		f.begin(t)
		a, err := pass(ctx, m, &tee{Reply: w, turn: t, disk: sync.OnceValue(func() error { return chat.OnDisk(ctx) })})
		t.end(m, a, err, fs.now())
		return quoting(ctx, m, a), err
	})
}

// maxQuoted is how much of a message the direct chat shows, in runes.
const maxQuoted = 200

// quoting returns an answer with what was asked in a browser.
func quoting(ctx context.Context, m chat.Message, a chat.Answer) chat.Answer {
	if !strings.HasPrefix(m.ID, webID) || m.Kind == chat.KindButton || a.Text == "" || a.Private && !m.Direct {
		return a
	}
	said := text.Clip(strings.Join(strings.Fields(m.Text), " "), maxQuoted)
	if said == "" && len(m.Files) > 0 {
		said = m.Files[0].Name
	}
	a.Text = "> " + catalog.Say(ctx, "You, in the browser: %s", plainly(said)) + "\n\n" + a.Text
	return a
}

// plainly returns words in which nothing is Markdown.
func plainly(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_~|<>[]()#\\", r) {
			return -1
		}
		return r
	}, s)
}

func (f *feed) with(do func()) {
	f.mu.Lock()
	do()
	f.mu.Unlock()
	f.news.tell(true)
}

func (f *feed) begin(t *answering) {
	f.with(func() { f.turns[t], f.buttons = true, nil })
}

// repliesTo returns what the first part of the answer to m replies to.
func repliesTo(m chat.Message) string {
	switch m.Kind {
	case chat.KindButton, chat.KindEdit, chat.KindAdded:
		return m.ReplyTo
	}
	return m.ID
}

// end takes what a handler returned. It is shown once it is stored (stored).
func (t *answering) end(m chat.Message, a chat.Answer, err error, now time.Time) {
	f := t.feed
	f.with(func() {
		t.over = true
		if errors.Is(err, chat.ErrDraining) { // the next process answers
			delete(f.turns, t)
			return
		}
		said, told := inTranscript(a)
		if !said && (m.Kind == chat.KindText || m.Kind == chat.KindCommand) {
			t.lines = append(t.lines, line{ID: m.ID, Mine: true, Text: m.Text, At: m.At})
		}
		if err != nil { // the hub says so
			return
		}
		if a.Text != "" && !told || len(a.Files) > 0 {
			l := line{ID: "a" + rand.Text(), At: now, Files: f.keep(a.Files)}
			if !told {
				l.Text = a.Text
			}
			t.lines = append(t.lines, l)
		}
		t.answer = a.Text != "" || len(a.Buttons) > 0
		t.button = slices.Concat(a.Buttons...)
		if len(f.shown) >= keepShown {
			clear(f.shown)
		}
		f.shown[repliesTo(m)] = true
	})
}

// inTranscript reports whether the transcript has what was said, and what was told.
func inTranscript(a chat.Answer) (said, told bool) {
	turn, ok := a.Record.(*memory.Turn)
	if !ok || turn.Session == nil {
		return false, false
	}
	for _, e := range turn.Entries {
		said = said || e.Role == llm.RoleUser
		told = told || e.Role == llm.RoleAssistant && e.Content != "" && strings.Contains(a.Text, e.Content)
	}
	return said, told
}

// keep holds files of an answer for who follows the chat. The caller holds mu.
func (f *feed) keep(list []chat.File) (links []fileLink) {
	for _, file := range list {
		id := rand.Text()
		f.files, f.names = append(f.files, file), append(f.names, id)
		links = append(links, fileLink{"me/files/" + id, file.Name})
	}
	size := 0
	for i := len(f.files) - 1; i >= 0; i-- {
		if size += len(f.files[i].Data); size > keepFileBytes || len(f.files)-i > keepFiles {
			f.files, f.names = slices.Clone(f.files[i+1:]), slices.Clone(f.names[i+1:])
			break
		}
	}
	return links
}

// file returns a file of an answer.
func (f *feed) file(id string) (file chat.File, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(f.names, id)
	if i < 0 {
		return file, false
	}
	return f.files[i], true
}

// Stored shows what handlers have returned in a conversation: it is stored by now.
func (fs *Feeds) Stored(k chat.Key) {
	f := fs.of(k)
	if f == nil {
		return
	}
	f.with(func() {
		for t := range f.turns {
			if !t.over {
				continue
			}
			delete(f.turns, t)
			f.add(t.lines...)
			if t.answer {
				f.buttons = t.button
			}
		}
	})
}

// Sent shows a part that answers nothing that is shown.
func (fs *Feeds) Sent(p chat.Part) {
	f := fs.of(p.Key)
	if f == nil {
		return
	}
	f.with(func() {
		if p.Index == 0 {
			f.notice, f.left = !f.shown[p.ReplyTo], p.ReplyTo != ""
			delete(f.shown, p.ReplyTo)
		}
		if !f.notice || p.Text == "" && len(p.Files) == 0 {
			return
		}
		f.add(line{ID: "a" + rand.Text(), Text: p.Text, Files: f.keep(p.Files), At: fs.now(), left: f.left})
		if len(p.Buttons) > 0 {
			f.buttons = slices.Concat(p.Buttons...)
		}
	})
}

// add appends lines. The caller holds mu.
func (f *feed) add(list ...line) {
	f.lines = append(f.lines, list...)
	f.lines = slices.Clone(f.lines[max(0, len(f.lines)-keep):])
}

// glimpse is what a feed adds to a transcript.
type glimpse struct {
	lines   []line
	growing string
	buttons []chat.Button
}

func (f *feed) glimpse() (p glimpse) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.lines, p.buttons = slices.Clone(f.lines), slices.Clone(f.buttons)
	for t := range f.turns {
		p.growing = cmp.Or(p.growing, t.text.String(), t.status)
	}
	return p
}

// tee passes on what is shown of a growing answer, and shows it in browsers, too.
type tee struct {
	chat.Reply
	turn *answering
	disk func() error // returns when the message is on the disk
}

// Await implements chat.Awaiter.
func (t *tee) Await() { chat.Await(t.Reply) }

var _ chat.Worker = (*tee)(nil)

// Work implements chat.Worker.
func (t *tee) Work(tool string, begins bool) {
	if w, ok := t.Reply.(chat.Worker); ok {
		w.Work(tool, begins)
	}
}

// Text implements chat.Reply.
func (t *tee) Text(delta string) {
	t.Reply.Text(delta)
	t.grow(func() { t.turn.text.WriteString(delta) })
}

// Status implements chat.Reply.
func (t *tee) Status(note string) {
	t.Reply.Status(note)
	t.grow(func() { t.turn.status = note })
}

// Reset implements chat.Reply.
func (t *tee) Reset() {
	t.Reply.Reset()
	t.grow(t.turn.text.Reset)
}

func (t *tee) grow(do func()) {
	if t.disk() == nil {
		t.turn.feed.with(do)
	}
}
