package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

var must = waittest.Must

// lines makes an export, line by line.
type lines struct {
	make func(n int) string
	n    int
	left []byte
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.left) == 0 {
		next := l.make(l.n)
		if l.n++; next == "" {
			return 0, io.EOF
		}
		l.left = []byte(next)
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// inFolder opens a scratch file and counts how often.
func inFolder(t testing.TB, opened *int) func() (Scratch, error) {
	return func() (Scratch, error) { *opened++; return os.Create(filepath.Join(t.TempDir(), "scratch")) }
}

// shuffled is a line of an export of some places, where messages stand in no order, many have
// one time, and assistants speak before anybody else and after them.
func shuffled(total int) func(n int) string {
	r, text := rand.New(rand.NewPCG(1, 2)), strings.Repeat("word ", 60)
	return func(n int) string {
		if n == total {
			return ""
		}
		at, role := 1_600_000_000+r.IntN(total), "user"
		place := r.IntN(9)
		if at < 1_600_000_000+total/10*place || r.IntN(4) == 0 { // until then nobody else has spoken
			role = "assistant"
		}
		return fmt.Sprintf(`{"platform":"p","channel":"c%d","user":"u%d","name":"N","text":"%d %s","at":%d,"id":%d,"role":"%s"}`+"\n",
			place, r.IntN(50), n, text, at, n, role)
	}
}

// sortedWhole does the same with all messages at once.
func sortedWhole(list []Message) []Message {
	slices.SortStableFunc(list, func(a, b Message) int { return headOf(a).compare(headOf(b)) })
	for i, m := range list {
		if !m.Bot {
			continue
		}
		whom := ""
		if i > 0 && list[i-1].Key == m.Key {
			whom = list[i-1].User.ID
		}
		for j := i + 1; whom == "" && j < len(list) && list[j].Key == m.Key; j++ {
			if !list[j].Bot {
				whom = list[j].User.ID
			}
		}
		list[i].User = chat.User{ID: whom}
	}
	return list
}

// What is sorted in runs is what sorting all of it at once gives, to the last message of one
// time; so is who an assistant answered.
func TestRunsAreOneOrder(t *testing.T) {
	const total = 60_000
	var want []Message
	must(t, Read(&lines{make: shuffled(total)}, func(m Message) error { want = append(want, m); return nil }))
	want = sortedWhole(want)
	opened := 0
	s, err := Sort(t.Context(), Source{From: &lines{make: shuffled(total)}}, inFolder(t, &opened))
	must(t, err)
	defer func() { must(t, s.Close()) }()
	if s.Count != total || opened != 1 || len(s.runs) < 3 || len(s.held) == 0 {
		t.Fatalf("%d messages, %d files, %d runs and %d held", s.Count, opened, len(s.runs), len(s.held))
	}
	n := 0
	for m, err := range s.Messages() {
		must(t, err)
		w := want[n]
		if !m.At.Equal(w.At) {
			t.Fatalf("message %d is of %v, want %v", n, m.At, w.At)
		}
		if m.At = w.At; m != w {
			t.Fatalf("message %d: %+v\nwant %+v", n, m, w)
		}
		n++
	}
	if n != total {
		t.Errorf("%d of %d messages", n, total)
	}
}

// The memory of an import does not grow with its file: of 200 MB it holds a small part.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	const size, limit = 200 << 20, 64 << 20
	text := strings.Repeat("many words ", 100)
	make := func(n int) string {
		if n*len(text) > size {
			return ""
		}
		return fmt.Sprintf(`{"platform":"p","channel":"c%d","user":"u%d","text":"%s","at":%d}`+"\n", n%7, n, text, 1_700_000_000-n)
	}
	sample, most := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}, uint64(0)
	look := func() { metrics.Read(sample); most = max(most, sample[0].Value.Uint64()) }
	runtime.GC() // what other tests left
	opened, n := 0, int64(0)
	s, err := Sort(t.Context(), Source{From: &lines{make: func(n int) string {
		if n%100 == 0 {
			look()
		}
		return make(n)
	}}}, inFolder(t, &opened))
	must(t, err)
	defer func() { must(t, s.Close()) }()
	for _, err := range s.Messages() {
		must(t, err)
		if n++; n%100 == 0 {
			look()
		}
	}
	t.Logf("%d messages in %d runs: at most %d MB", n, len(s.runs), most>>20)
	if n != s.Count || most > limit {
		t.Errorf("%d of %d messages, %d MB", n, s.Count, most>>20)
	}
}

// small is a disk that is full after some bytes.
type small struct {
	bytes.Buffer
	closed bool
}

var errFull = errors.New("no space left on device")

func (s *small) Write(p []byte) (int, error) {
	if s.Len() > 1<<20 {
		return 0, errFull
	}
	return s.Buffer.Write(p)
}
func (s *small) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (s *small) Close() error                      { s.closed = true; return nil }

// What stops a reading leaves nothing open, and says why: a full disk, the caller, a mistake in
// the last line.
func TestReadingStops(t *testing.T) {
	disk := &small{}
	if s, err := Sort(t.Context(), Source{From: &lines{make: shuffled(40_000)}}, func() (Scratch, error) { return disk, nil }); s != nil ||
		!errors.Is(err, errFull) || !disk.closed {
		t.Errorf("full: %v, %v, closed %v", s, err, disk.closed)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	cut := errors.New("cut short")
	stop(cut)
	if _, err := Sort(ctx, Source{From: &lines{make: shuffled(40_000)}}, nil); !errors.Is(err, cut) {
		t.Errorf("cut short: %v", err)
	}
	good, opened := shuffled(50_000), 0
	_, err := Sort(t.Context(), Source{From: &lines{make: func(n int) string {
		if n == 49_999 {
			return `{"platform":"p"`
		}
		return good(n)
	}}}, inFolder(t, &opened))
	if err == nil || !strings.HasPrefix(err.Error(), "line 50000: ") || opened != 1 {
		t.Errorf("the last line: %v; %d files", err, opened)
	}
}

const oneMessageOfAnn = `{"id": 7, "type": "message", "date": "2023-05-01T10:00:00", "from": "Ann", "from_id": "user42", "text": "hello"}`

// An export of all chats is read piece by piece: what is no chat is passed over whatever it is,
// and what the bot said in its own chat is an assistant's.
func TestTelegramPieceByPiece(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	big := `"contacts": {"list": [` + strings.Repeat(`{"first_name": "`+long+`", "more": [[], {"a": null}]},`, 20) + `1]},`
	list, err := readAll("{\n \"about\": \"all\",\n" + big + `"chats": {"about": [], "list": [{"name": null, "type": "bot_chat", "id": 9, "messages": [` +
		oneMessageOfAnn + `, {"id": 8, "type": "message", "date": "2023-05-01T10:00:01", "from": "Bot", "from_id": "user9", "text": "hi"}]},
		{"type": "personal_chat", "id": 42, "messages": []}, {"type": "personal_chat", "id": 42, "messages": null},
		{"id": 43, "messages": [` + oneMessageOfAnn + "]}]}}\n")
	must(t, err)
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprint(m.Key.Channel, m.ID, m.User.ID, m.Bot))
	}
	if want := []string{"97telegram:42false", "98telegram:9true", "437telegram:42false"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTelegramMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"id\": 1, \"messages\": [" + oneMessageOfAnn:                                                   "after message 7: unexpected EOF",
		"{\n\"id\": 1, \"messages\": [" + oneMessageOfAnn + "]} {}":                                         "something follows its end",
		"{\n\"id\": 1, \"messages\": [" + oneMessageOfAnn + ", 5]}":                                         "after message 7: json",
		"{\n\"messages\": [" + oneMessageOfAnn + "], \"id\": 1}":                                            "message 7: its chat has no id",
		"{\n\"id\": 1, \"messages\": [" + oneMessageOfAnn + "], \"type\": \"bot_chat\"}":                    `"type" of a chat must stand before`,
		"{\n\"id\": 1, \"messages\": 5}":                                                                    "5 where [ is expected",
		"{\n\"about\": \"" + strings.Repeat("x", 2*maxLine) + "\"}":                                         "longer than 8 MiB",
		"{\n\"id\": 1, \"messages\": [" + strings.Replace(oneMessageOfAnn, "2023-", "never", 1) + "]}":      "message 7: date",
		"{\n\"id\": 1, \"type\": \"x\", \"messages\": [{\"id\": 1, \"text\": \"" + strings.Repeat("x", 100): "unexpected EOF",
	} {
		if _, err := readAll(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}

// A record is read as it was written; one that was cut off is an error, not an end.
func TestRecords(t *testing.T) {
	s := &Sorted{open: func() (Scratch, error) { return nil, errors.New("none") }}
	s.held = []Message{{Key: chat.Key{Platform: "p", Channel: "c"}, User: chat.User{ID: "p:1"}, ID: "1", Text: "x",
		At: time.Unix(-5, 999_999_999)}}
	if err := s.spill(); err == nil {
		t.Error("there was no file")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "scratch"))
	must(t, err)
	s.open = func() (Scratch, error) { return file, nil }
	want := s.held[0]
	must(t, s.spill())
	defer func() { must(t, s.Close()) }()
	for m, err := range s.Messages() {
		if must(t, err); m.Key != want.Key || m.ID != "1" || !m.At.Equal(want.At) {
			t.Errorf("%+v", m)
		}
	}
	must(t, file.Truncate(s.size-1))
	var last error
	for _, err := range s.Messages() {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("cut off: %v", last)
	}
}
