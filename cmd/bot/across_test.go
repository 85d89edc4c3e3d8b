package main

import (
	"database/sql"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// posted is several processes to which Telegram posts, each message to the one whose turn
// it is.
type posted struct {
	*fleet
	turn    atomic.Int32
	presses int
}

// newPosted starts n processes behind a balancer in a world. own is what stands only in the
// environment of the first, the second, …
func newPosted(t *testing.T, w *world, n int, own ...[]string) *posted {
	t.Helper()
	f := &posted{fleet: &fleet{world: w, url: memorytest.URL(t), lives: map[string]*lifetime{}, own: own}}
	var ports []string
	balancer := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: ports[f.turn.Load()]})
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
		f.turn.Store((f.turn.Load() + 1) % int32(n)) // the next time, another: a node that others took for dead ends
		w.WriteHeader(http.StatusBadGateway)
	}, ErrorLog: log.New(io.Discard, "", 0)})
	t.Cleanup(balancer.Close)
	w.url = f.url // where look looks
	f.listen(t, n, balancer.URL, &ports)
	return f
}

// listen starts n processes that Telegram posts to, all by way of a balancer, which finds
// them at ports.
func (f *fleet) listen(t *testing.T, n int, balancer string, ports *[]string) {
	t.Helper()
	f.rows = postgrestest.Raw(t, f.url)
	shared := append(f.env, "BOT_TELEGRAM_MODE=webhook", "BOT_TELEGRAM_WEBHOOK_URL="+balancer, "BOT_TELEGRAM_WEBHOOK_SECRET=s")
	for i := range n {
		port := waittest.Address(t)
		*ports = append(*ports, port)
		f.env = append(slices.Clone(shared), "BOT_TELEGRAM_WEBHOOK_LISTEN="+port)
		if i < len(f.own) {
			f.env = append(f.env, f.own[i]...)
		}
		f.join(t, f.url)
	}
	eventually(t, "all listen", func() bool { return len(f.tg.Calls("setWebhook")) == n && f.alive() == n })
}

// count reads a number from the database.
func (f *fleet) count(t *testing.T, query string) (n int) {
	t.Helper()
	must(t, f.rows.QueryRow(query).Scan(&n))
	return n
}

// loose makes the conversations nobody's, as when they rest and their process ends: the
// next message makes one that of the process which takes it.
func (f *posted) loose(t *testing.T) {
	t.Helper()
	f.settled(t)
	_, err := f.rows.Exec("DELETE FROM node_lanes")
	must(t, err)
}

// gives makes a conversation a process's, as when the one that had it has left it.
func (f *fleet) gives(t *testing.T, channel any, to int) {
	t.Helper()
	eventually(t, "all is answered", func() bool { return f.open() == 0 })
	_, err := f.rows.Exec("UPDATE node_lanes SET epoch = epoch + 1, owner = (SELECT id FROM node_leases WHERE name LIKE $1) WHERE channel = $2",
		fmt.Sprint("%:", f.nodes[to].Process.Pid), fmt.Sprint(channel))
	must(t, err)
}

// has returns the number of the process that has a role.
func (f *fleet) has(t *testing.T, role string) int {
	t.Helper()
	var name string
	eventually(t, "somebody has the role", func() bool {
		return f.rows.QueryRow("SELECT l.name FROM node_roles AS r JOIN node_leases AS l ON l.id = r.owner WHERE r.name LIKE $1",
			role).Scan(&name) == nil
	})
	return slices.IndexFunc(f.nodes, func(m *member) bool { return strings.HasSuffix(name, fmt.Sprint(":", m.Process.Pid)) })
}

// dies waits until a process is gone that a point of failure killed. Who posts turns to
// another one then.
func (f *posted) dies(t *testing.T, who, then int) {
	t.Helper()
	dies(t, f.nodes[who].Cmd)
	f.turn.Store(int32(then))
}

// says has somebody say something to the process with this number, and returns the answer.
func (f *posted) says(t *testing.T, who int64, to int, text string) string {
	t.Helper()
	f.turn.Store(int32(to))
	return f.answered(t, who, who, text)
}

// TestClusterConversations: each message of a conversation may be answered by another
// process than the one before, and people notice nothing.
func TestClusterConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newPosted(t, w, 2)
	n := 0
	w.converse(t, func(text string) string {
		f.loose(t)
		f.turn.Store(1 - f.turn.Load())
		w.tg.Push(telegramtest.Text(1, 1, text))
		n++
		return w.sent(t, n)[n-1]
	})
}

// kept counts the model calls that a process keeps of somebody; -1 while its file is not
// made.
func (f *posted) kept(t *testing.T, of int, user string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(f.dir, fmt.Sprint(of), "traces.db")+"?mode=ro")
	must(t, err)
	defer func() { must(t, db.Close()) }()
	if db.QueryRow("SELECT count(*) FROM calls WHERE user_id = ?", user).Scan(&n) != nil {
		return -1
	}
	return n
}

// keeps has somebody say something until it is this process that has answered: where two
// are quick, one takes up what the other has just stored.
func (f *posted) keeps(t *testing.T, of int, who int64, text string) {
	t.Helper()
	mine := func() bool { return f.kept(t, of, fmt.Sprint("telegram:", who)) > 0 }
	eventually(t, fmt.Sprintf("process %d answers %d", of, who), func() bool {
		if mine() {
			return true
		}
		f.says(t, who, of, text)
		f.loose(t)
		return waittest.Within(time.Second, mine) // it is written a moment later
	})
}

// TestClusterForgets: what another process keeps of somebody's model calls goes with the
// rest, also where that one was not running just then; others' calls stay.
func TestClusterForgets(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	f := newPosted(t, newWorld(t), 3) // the owner's conversation may be a process's from the start
	others := make([]int, 3)
	for to := range others {
		f.keeps(t, to, 3, "My parrot is called Coco")
		f.keeps(t, to, 2, "Good morning")
	}
	for of := range others {
		others[of] = f.kept(t, of, "telegram:2")
	}
	kill(f.nodes[2].Cmd)
	eventually(t, "it is gone", func() bool { return f.alive() == 2 })
	f.says(t, 3, 0, "/forget-me")
	f.says(t, 3, 0, "yes")
	f.settled(t)
	for of := range 2 {
		if mine, theirs := f.kept(t, of, "telegram:3"), f.kept(t, of, "telegram:2"); mine != 0 || theirs != others[of] {
			t.Errorf("process %d keeps %d calls of who was forgotten, and %d of %d of somebody else", of, mine, theirs, others[of])
		}
	}
	var named int
	must(t, f.rows.QueryRow("SELECT count(*) FROM node_forget WHERE user_id <> ''").Scan(&named))
	if named > 0 {
		t.Errorf("%d rows still name who was forgotten", named)
	}
	again := exec.Command(os.Args[0])
	var said safeBuffer
	again.Env, again.Stderr = f.nodes[2].Env, &said
	must(t, again.Start())
	t.Cleanup(func() {
		if kill(again); t.Failed() {
			t.Logf("the process that was away said:\n%s", &said)
		}
	})
	eventually(t, "what was away has forgotten", func() bool { return f.kept(t, 2, "telegram:3") == 0 })
}

// TestClusterAtOnce: who is allowed or denied where one process answers is so where another
// does, with the next message.
func TestClusterAtOnce(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	w := newWorld(t, "BOT_ACCESS_MODE=allowlist", "BOT_ACCESS_ALLOW=telegram:6")
	f := newPosted(t, w, 2)
	say := func(who int64, to int, text string) string {
		f.turn.Store(int32(to))
		return w.answered(t, who, who, text)
	}
	say(1, 0, "/config allow telegram:5")
	say(5, 1, "hello") // has the conversation from now on
	for i := range 3 {
		say(1, 0, "/config deny telegram:5")
		f.turn.Store(1)
		n := len(w.in(5))
		w.tg.Push(telegramtest.Text(5, 5, fmt.Sprint("denied ", i)))
		say(6, 1, "is answered after it")
		f.settled(t)
		if list := w.in(5)[n:]; slices.ContainsFunc(list, func(m telegramtest.SentMessage) bool { return strings.Contains(m.Text, "denied") }) {
			t.Errorf("round %d: who was just denied is answered: %v", i, list)
		}
		say(1, 0, "/config allow telegram:5")
		if got := say(5, 1, fmt.Sprint("allowed ", i)); !strings.Contains(got, "allowed") {
			t.Errorf("round %d: who was just allowed is told: %s", i, got)
		}
	}
}
