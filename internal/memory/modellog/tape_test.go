package modellog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text"
)

var bg = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wired is a model whose wire is overheard.
type wired struct{ sent, got string }

func (w wired) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	if ear := llm.Ear(ctx); ear != nil {
		ear(llm.Exchange{Sent: []byte(w.sent), Got: []byte(w.got)})
	}
	return llm.Response{}, nil
}

// opened returns a tape. settled reopens it, so that waiting calls are stored.
func opened(t *testing.T, o Options) (tp *Tape, settled func() *Tape) {
	t.Helper()
	if o.File == "" {
		o.File = filepath.Join(t.TempDir(), "traces.db")
	}
	if o.Keep == 0 {
		o.Keep, o.MaxSize = time.Hour, 100<<20
	}
	open := func() *Tape {
		tp, err := Open(bg, o)
		must(t, err)
		t.Cleanup(func() { must(t, tp.Close()) })
		return tp
	}
	tp = open()
	return tp, func() *Tape {
		must(t, tp.Close())
		tp = open()
		return tp
	}
}

// request returns a request on the wire, with a long beginning and some messages.
func request(beginning string, said ...string) string {
	s := `{"model":"m","tools":[{"type":"function","function":{"name":"now","description":"` + beginning +
		`"}}],"messages":[{"role":"system","content":"` + beginning + `"}`
	for _, one := range said {
		s += `,{"role":"user","content":"` + one + `"}`
	}
	return s + `]}`
}

// noise returns text that does not compress.
func noise(seed string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%x ", []byte(fmt.Sprintf("%s%d", seed, i*7919%104729)))
	}
	return b.String()[:n]
}

func TestCallsAreKeptExactly(t *testing.T) {
	tp, settled := opened(t, Options{Hide: text.NewRedactor([]string{"sk-secret-123"}, 8)})
	beginning := noise("prompt", 20_000)
	var sent []string
	who := chat.Message{Row: 7, Key: chat.Key{Platform: "x", Channel: "1"}, From: chat.User{ID: "x:a"}}
	for i := range 40 {
		sent = append(sent, request(beginning, fmt.Sprintf("question %d \\\"{[quoted]}\\\" %s", i, noise("q", i*40))))
		_, _ = Model{Model: wired{sent[i], fmt.Sprintf(`{"answer":%d}`, i)}, Tape: tp, Name: "main",
			Purpose: "answer"}.Complete(chat.PaidBy(bg, who), llm.Request{}, nil)
	}
	picture := `{"messages":[{"role":"user","content":[{"url":"data:image/png;base64,` + strings.Repeat("A", 4000) +
		`"}]}],"key":"sk-secret-123"}`
	_, _ = Model{Model: wired{picture, `{"said":"sk-secret-123"}`}, Tape: tp}.Complete(bg, llm.Request{}, nil)
	tp = settled()
	list, err := tp.List(bg, Query{Row: 7, Key: who.Key, To: time.Now()})
	if must(t, err); len(list) != len(sent) {
		t.Fatalf("%d calls are kept", len(list))
	}
	for i, c := range list {
		whole, err := tp.Read(bg, c.ID)
		must(t, err)
		if whole.Request != sent[i] || whole.Answer != fmt.Sprintf(`{"answer":%d}`, i) || whole.User != "x:a" || whole.Model != "main" {
			t.Errorf("call %d is %+v, want %s", i, whole, sent[i])
		}
	}
	if n, err := tp.Size(bg); err != nil || n > 200_000 { // 40 × 40 KB, of which 20 KB differ
		t.Errorf("the file has %d bytes, %v", n, err)
	}
	list, err = tp.List(bg, Query{To: time.Now()})
	must(t, err)
	c, err := tp.Read(bg, list[0].ID)
	if must(t, err); strings.Contains(c.Request+c.Answer, "sk-secret") || strings.Contains(c.Request, "AAAA") ||
		!strings.Contains(c.Request, "image/png;base64,(3000 bytes are not kept)") {
		t.Errorf("kept: %s %s", c.Request, c.Answer)
	}
	if info, err := os.Stat(tp.o.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// For a model without a wire, request and response themselves are stored.
func TestCallsWithoutWire(t *testing.T) {
	tp, settled := opened(t, Options{})
	failing := failing{&llm.Error{Class: llm.ErrRateLimited, Detail: "slow down"}}
	r := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello there"}},
		Tools: []llm.ToolSpec{{Name: "now", Parameters: []byte(`{"type":"object"}`)}}}
	if _, err := (Model{Model: failing, Tape: tp}).Complete(bg, r, nil); err == nil {
		t.Error("the error is lost")
	}
	tp = settled()
	list, err := tp.List(bg, Query{To: time.Now()})
	if must(t, err); len(list) != 1 || !strings.Contains(list[0].Error, "slow down") {
		t.Fatalf("kept: %+v", list)
	}
	c, err := tp.Read(bg, list[0].ID)
	if must(t, err); !strings.Contains(c.Request, `"hello there"`) || !strings.Contains(c.Request, `"now"`) {
		t.Errorf("the request is %s", c.Request)
	}
}

type failing struct{ err error }

func (f failing) Complete(context.Context, llm.Request, func(string)) (llm.Response, error) {
	return llm.Response{}, f.err
}

// No call waits for the disk. Calls beyond the bounds are dropped and counted.
func TestKeepingNeverBlocks(t *testing.T) {
	tp, _ := opened(t, Options{})
	tp.writing.Lock()
	for range maxQueue + 100 {
		tp.keep(take{sent: []byte("x")})
	}
	if n := tp.Dropped(); n < 90 || n > 100 { // one batch, at most, is out of the queue
		if n < 100-maxBatch {
			t.Errorf("%d calls were dropped", n)
		}
	}
	before := tp.Dropped()
	tp.keep(take{sent: make([]byte, maxWaiting+1)})
	if tp.Dropped() != before+1 {
		t.Error("a call beyond the bound is waiting")
	}
	tp.writing.Unlock()
}

func TestOldAndExcessCallsAreDeleted(t *testing.T) {
	now := time.Now()
	tp, _ := opened(t, Options{Keep: 24 * time.Hour, MaxSize: 300_000, Now: func() time.Time { return now }})
	put := func(began time.Time, n int) {
		must(t, tp.write(bg, []*take{{Call: Call{Began: began}, sent: []byte(request(noise(fmt.Sprint(began.UnixNano()), n), "x"))}}))
	}
	put(now.Add(-25*time.Hour), 100)
	put(now, 100)
	must(t, tp.Prune(bg))
	if list, err := tp.List(bg, Query{To: now.Add(time.Hour)}); err != nil || len(list) != 1 {
		t.Errorf("%d are left, %v", len(list), err)
	}
	for i := range 60 {
		put(now.Add(time.Duration(i)*time.Second), 20_000)
	}
	n, err := tp.Size(bg)
	list, _ := tp.List(bg, Query{To: now.Add(time.Hour)})
	if err != nil || n > 300_000 || len(list) < 5 || !list[len(list)-1].Began.After(now.Add(58*time.Second)) {
		t.Errorf("%d bytes, %d calls, %v", n, len(list), err)
	}
	var loose int
	must(t, tp.db.QueryRow("SELECT count(*) FROM pieces WHERE id NOT IN (SELECT piece_id FROM uses)").Scan(&loose))
	if loose != 0 {
		t.Errorf("%d pieces belong to no call", loose)
	}
}

// A file of another version, or a damaged one, is replaced.
func TestDamageIsReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "traces.db")
	must(t, os.WriteFile(file, []byte(strings.Repeat("not a database ", 1000)), 0o600))
	tp, settled := opened(t, Options{File: file})
	_, _ = Model{Model: wired{request("a"), "{}"}, Tape: tp}.Complete(bg, llm.Request{}, nil)
	tp = settled()
	if list, err := tp.List(bg, Query{To: time.Now()}); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestNilTapeKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tp *Tape
		_, err := Model{Model: wired{}, Tape: tp}.Complete(bg, llm.Request{}, nil)
		must(t, err)
		over, err := tp.ForgetPerson(bg, "x:a")
		must(t, err)
		over()
		must(t, tp.Prune(bg))
		must(t, tp.Close())
	})
}

// The memory of stored pieces forgets those that were deleted, so a later request stores them
// again.
func TestPiecesComeBack(t *testing.T) {
	now := time.Now()
	tp, _ := opened(t, Options{Now: func() time.Time { return now }})
	beginning := noise("prompt", 5000)
	keep := func() {
		t.Helper()
		sent := request(beginning, fmt.Sprint("at ", now.UnixNano()))
		_, _ = Model{Model: wired{sent, "{}"}, Tape: tp}.Complete(bg, llm.Request{}, nil)
		list, err := tp.List(bg, Query{To: now})
		must(t, err)
		if len(list) == 0 {
			t.Fatal("it is not kept")
		}
		c, err := tp.Read(bg, list[len(list)-1].ID)
		must(t, err)
		if c.Request != sent {
			t.Errorf("read %q", c.Request)
		}
	}
	keep()
	now = now.Add(time.Minute)
	keep()
	now = now.Add(2 * time.Hour) // the others are too old
	must(t, tp.Prune(bg))
	if n, err := tp.List(bg, Query{To: now}); err != nil || len(n) > 0 {
		t.Fatalf("%d calls are left, %v", len(n), err)
	}
	keep()
}
