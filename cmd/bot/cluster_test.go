package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/cluster"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// fleet is several processes on one database, between the fakes.
type fleet struct {
	*world
	url   string // of the database
	rows  *sql.DB
	own   [][]string // what stands only in the environment of the first, the second, …
	nodes []*member

	mu    sync.Mutex           // guards the rest
	lives map[string]*lifetime // by number
	// flying are the parts that were on their way when the server failed. With those that
	// were on their way from a process when its lease was over they are the only ones that
	// may be seen twice.
	flying []string
}

// lifetime is how long a lease lasted, by the server's clock.
type lifetime struct {
	pid   string
	began time.Time
	until time.Time
}

// member is one process. It reaches Telegram by a way of its own, which notes when it
// sends.
type member struct {
	*exec.Cmd
	said *safeBuffer

	mu   sync.Mutex // guards sent
	sent []outgoing
}

// outgoing is that something began to be sent.
type outgoing struct {
	chat, text string
	at         time.Time
}

func newFleet(t *testing.T, n int) *fleet {
	t.Helper()
	return newFleetBy(t, n, func(url string) string { return url })
}

// newFleetBy starts processes that reach the database each by a way of its own.
func newFleetBy(t *testing.T, n int, way func(url string) string) *fleet {
	t.Helper()
	waittest.Alone(t)
	w := newWorld(t)
	w.llm.Quiet()
	return newFleetOf(t, w, n, way)
}

// newFleetOf starts them in a world.
func newFleetOf(t *testing.T, w *world, n int, way func(url string) string) *fleet {
	t.Helper()
	f := &fleet{world: w, url: memorytest.URL(t), lives: map[string]*lifetime{}}
	f.rows = postgrestest.Raw(t, f.url)
	for range n {
		f.join(t, way(f.url))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { f.follow(ctx) })
	t.Cleanup(func() { cancel(); done.Wait() })
	eventually(t, "all live and one polls", func() bool { return f.alive() == n && len(f.tg.Calls("getUpdates")) > 0 })
	f.owning(t)
	return f
}

// join starts a process, which reaches the database by this address.
func (f *fleet) join(t *testing.T, database string) *member {
	t.Helper()
	apart(t)
	m := &member{said: &safeBuffer{}}
	to, err := url.Parse(f.tg.URL())
	must(t, err)
	way := httputil.NewSingleHostReverseProxy(to)
	way.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/sendMessage") {
			m.posts(r)
		}
		way.ServeHTTP(w, r)
	}))
	m.Cmd = exec.Command(os.Args[0])
	m.Env = append(append(append(os.Environ(), childEnv+"=1"), f.env...), "BOT_TELEGRAM_API_URL="+server.URL,
		"BOT_DATABASE_URL="+database, "BOT_DATA_DIR="+filepath.Join(f.dir, fmt.Sprint(len(f.nodes))), "BOT_LOG_LEVEL="+logged())
	m.Stderr = m.said
	must(t, m.Start())
	f.nodes = append(f.nodes, m)
	t.Cleanup(func() {
		kill(m.Cmd)
		server.CloseClientConnections()
		server.Close()
		if t.Failed() || testing.Verbose() {
			t.Logf("process %d said:\n%s", m.Process.Pid, m.said)
		}
	})
	return m
}

// posts notes that something begins to be sent.
func (m *member) posts(r *http.Request) {
	at := time.Now()
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var to struct {
		Chat json.Number `json:"chat_id"`
		Text string      `json:"text"`
	}
	_ = json.Unmarshal(body, &to)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, outgoing{to.Chat.String(), to.Text, at})
}

// alive counts the leases.
func (f *fleet) alive() (n int) {
	_ = f.rows.QueryRow("SELECT count(*) FROM node_leases WHERE until > clock_timestamp()").Scan(&n)
	return n
}

// receiver returns the process that polls.
func (f *fleet) receiver(t *testing.T) *member {
	t.Helper()
	return f.nodes[f.has(t, "receive telegram")]
}

// follow notes how long each lease lasts.
func (f *fleet) follow(ctx context.Context) {
	for ctx.Err() == nil {
		f.note(ctx)
		waittest.Take(ctx, 10*time.Millisecond)
	}
}

// note notes how long each lease lasts that there is.
func (f *fleet) note(ctx context.Context) {
	rows, err := f.rows.QueryContext(ctx, "SELECT id, name, began, until FROM node_leases")
	if err != nil {
		return
	}
	defer func() { _ = rows.Close() }()
	f.mu.Lock()
	defer f.mu.Unlock()
	for rows.Next() {
		var id, name string
		var began, until time.Time
		if rows.Scan(&id, &name, &began, &until) == nil {
			f.lives[id] = &lifetime{pid: name[strings.LastIndexByte(name, ':')+1:], began: began, until: until}
		}
	}
}

// owning notes whose each conversation was, and what was on its way there when a lease was
// over, from now on.
func (f *fleet) owning(t *testing.T) {
	t.Helper()
	_, err := f.rows.Exec(`CREATE TABLE owned (channel text, owner text, at timestamptz DEFAULT clock_timestamp());
		INSERT INTO owned SELECT channel, owner, '-infinity' FROM node_lanes;
		CREATE FUNCTION owned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO owned (channel, owner) VALUES (coalesce(new.channel, old.channel), coalesce(new.owner, ''));
			RETURN NULL;
		END $$;
		CREATE TRIGGER owned AFTER INSERT OR DELETE OR UPDATE OF owner ON node_lanes FOR EACH ROW EXECUTE FUNCTION owned();
		CREATE TABLE flew (body text);
		CREATE FUNCTION flew() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO flew SELECT o.body FROM outbox AS o JOIN node_lanes AS l USING (platform, channel, thread) WHERE o.state = 'started' AND l.owner = old.id;
			RETURN old;
		END $$;
		CREATE TRIGGER flew BEFORE DELETE ON node_leases FOR EACH ROW EXECUTE FUNCTION flew()`)
	must(t, err)
}

// flew returns what may be seen twice.
func (f *fleet) flew(t *testing.T) (list []string) {
	t.Helper()
	rows, err := f.rows.Query("SELECT body FROM flew")
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var body string
		must(t, rows.Scan(&body))
		list = append(list, body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return append(list, f.flying...)
}

// tenure is a time in which a conversation was one life's of a process.
type tenure struct {
	owner    string // a lease's id
	from, to time.Time
}

// tenures returns whose each conversation was.
func (f *fleet) tenures(t *testing.T) map[string][]tenure {
	t.Helper()
	all := map[string][]tenure{}
	rows, err := f.rows.Query("SELECT channel, owner, CASE WHEN isfinite(at) THEN at ELSE 'epoch' END AS since FROM owned ORDER BY since")
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var channel, owner string
		var at time.Time
		must(t, rows.Scan(&channel, &owner, &at))
		list := all[channel]
		if n := len(list); n > 0 {
			list[n-1].to = at
		}
		all[channel] = append(list, tenure{owner, at, time.Now().Add(time.Hour)})
	}
	return all
}

// late counts the sends of a process that began while their conversation was not that of a
// life of it, or while that life had no lease any more. What was on its way when the lease
// was over does not count: a process can be stopped between its last look and the first byte.
func (f *fleet) late(m *member, owned map[string][]tenure, flying []string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sent {
		if !slices.Contains(flying, s.text) && !slices.ContainsFunc(owned[s.chat], func(o tenure) bool {
			l := f.lives[o.owner]
			return l != nil && l.pid == fmt.Sprint(m.Process.Pid) && s.at.After(o.from) && s.at.Before(o.to) &&
				s.at.Before(l.until.Add(20*time.Millisecond)) // the pace of follow
		}) {
			n++
		}
	}
	return n
}

// unexcused returns which answers came again more often than they were among what was on
// its way when something happened.
func unexcused(want map[int64][]string, sent []telegramtest.SentMessage, flying []string) (list []string) {
	for chat, tokens := range want {
		for _, token := range tokens {
			n := 0
			for _, m := range sent {
				if m.Chat == chat && strings.Contains(m.Text, token) {
					n++
				}
			}
			for _, body := range flying {
				if strings.Contains(body, token) {
					n--
				}
			}
			if n > 1 {
				list = append(list, token)
			}
		}
	}
	return list
}

// open counts what is not answered or not sent.
func (f *fleet) open() (n int) {
	if f.rows.QueryRow("SELECT (SELECT count(*) FROM inbox WHERE state = 'new') + (SELECT count(*) FROM outbox WHERE "+
		"state IN ('ready', 'started'))").Scan(&n) != nil {
		return -1
	}
	return n
}

func atoi(s string) (n int64) {
	_, _ = fmt.Sscan(s, &n)
	return n
}

// TestClusterKilled: one of three processes is killed, the one that receives.
func TestClusterKilled(t *testing.T) {
	t.Parallel()
	underLoads(t, func(t *testing.T, l saying) {
		f := newFleet(t, 3)
		f.trouble(t, l, func() {
			m := f.receiver(t)
			kill(m.Cmd)
		}).within(t, 3500*time.Millisecond)
	})
}

// TestClusterStopped: one of three is stopped for longer than its lease lasts.
func TestClusterStopped(t *testing.T) {
	t.Parallel()
	underLoads(t, func(t *testing.T, l saying) {
		f := newFleet(t, 3)
		f.trouble(t, l, func() {
			m := f.receiver(t)
			must(t, m.Process.Signal(syscall.SIGSTOP))
			waittest.Take(t.Context(), 2*cluster.Lease)
			must(t, m.Process.Signal(syscall.SIGCONT))
		}).within(t, 3500*time.Millisecond)
	})
}

// TestClusterCutOff: the one that receives loses its way to the database, which swallows
// all, and finds it again.
func TestClusterCutOff(t *testing.T) {
	t.Parallel()
	underLoads(t, func(t *testing.T, l saying) {
		var wires []*nodetest.Wire
		f := newFleetBy(t, 3, func(url string) string {
			w := nodetest.NewWire(t, url)
			wires = append(wires, w)
			return w.URL
		})
		f.trouble(t, l, func() {
			i := slices.Index(f.nodes, f.receiver(t))
			wires[i].Stall()
			waittest.Take(t.Context(), 2*cluster.Lease)
			wires[i].Mend()
		}).within(t, 3500*time.Millisecond)
	})
}

// TestClusterShares: what is set from a chat holds in every process, within moments; and
// a process that needs the database to itself is refused while they live.
func TestClusterShares(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	f.saying(t, 1, 1, "/config set session.idle_timeout 17m")
	first := f.receiver(t)
	end(t, first.Cmd)
	eventually(t, "the other process has it", func() bool { return strings.Contains(f.saying(t, 1, 1, "/config show"), "idle_timeout: 17m") })
	move := exec.Command(os.Args[0], "migrate", "--to", "sqlite")
	move.Env = append(append(append(os.Environ(), childEnv+"=1"), f.env...), "BOT_DATABASE_URL="+f.url, "BOT_DATA_DIR="+t.TempDir())
	if out, err := move.CombinedOutput(); err == nil || !strings.Contains(string(out), "in use by another Parley") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestClusterStop: where Telegram posts to every process, a /stop that one takes stops
// the answer that another makes, within a second.
func TestClusterStop(t *testing.T) {
	t.Parallel()
	var turn atomic.Int32 // the process that the next update goes to
	f, _ := listening(t, 2, func(string) int { return int(turn.Load()) })
	f.llm.Queue(llmtest.Turn{Text: "the long answer", Delay: time.Minute})
	began := time.Now()
	f.tg.Push(telegramtest.Text(1000, 1000, "think long"))
	eventually(t, "the model is asked", func() bool { return f.llm.Most() == 1 })
	usual := time.Since(began)
	turn.Store(1)
	asked := time.Now()
	f.tg.Push(telegramtest.Text(1000, 1000, "/stop"))
	must(t, f.tg.Wait(t.Context(), func() bool { return len(f.tg.Sent()) == 1 }))
	took := time.Since(asked)
	t.Logf("stopped after %v: %q", took, f.tg.Sent()[0].Text)
	outcome{pauses: pauses{slowest: took, usual: usual}}.within(t, time.Second)
	var owners int
	must(t, f.rows.QueryRow("SELECT count(DISTINCT owner) FROM node_lanes").Scan(&owners))
	if owners != 1 || strings.Contains(f.tg.Sent()[0].Text, "long") {
		t.Errorf("%d owners; said %q", owners, f.tg.Sent()[0].Text)
	}
}

// TestClusterRollingRestart: each process in turn is asked to end, and another begins.
func TestClusterRollingRestart(t *testing.T) {
	t.Parallel()
	underLoads(t, func(t *testing.T, l saying) {
		f := newFleet(t, 3)
		f.trouble(t, l, func() {
			for _, m := range slices.Clone(f.nodes) {
				f.join(t, f.url)
				eventually(t, "the next lives", func() bool { return f.alive() == 4 })
				end(t, m.Cmd)
			}
		}).within(t, time.Second)
	})
}

func logged() string {
	if testing.Verbose() {
		return "info"
	}
	return "warn"
}
