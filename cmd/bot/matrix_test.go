package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/matrix/matrixtest"
	"parley/internal/text/waittest"
)

// onMatrix gives the bot a homeserver instead of Telegram.
func (w *world) onMatrix(t testing.TB) *matrixtest.Server {
	t.Helper()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	w.matrixAt(s.URL(), matrixtest.Token)
	return s
}

func (w *world) matrixAt(url, token string) {
	w.env = append(slices.DeleteFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "BOT_TELEGRAM_") }),
		"BOT_MATRIX_TOKEN="+token, "BOT_MATRIX_SERVER="+url, "BOT_LIMITS_QUEUE_PER_CHANNEL=10000")
}

// onMatrixDM starts a bot on Matrix and returns what says something in a direct chat.
func onMatrixDM(t *testing.T, w *world) func(string) string {
	const anna = "@anna:example.org"
	w.env = append(w.env, "BOT_ACCESS_OWNERS=matrix:"+anna)
	s := w.onMatrix(t)
	room := s.Direct(anna)
	w.run(t)
	w.synced(t, s)
	return w.sayer(t, func(text string) { s.Say(room, anna, text, nil) }, s.Texts)
}

// synced waits until the bot follows what is said from now on.
func (w *world) synced(t testing.TB, s *matrixtest.Server) {
	t.Helper()
	eventually(t, "the bot follows", func() bool { return len(s.Calls("GET", "since=")) > 0 })
}

// shown is a message of the bot where it stands.
type shown struct{ room, text string }

// reckon joins what was asked, by room and in order, with what was said.
func reckon(want map[string][]string, sent []shown) (l ledger) {
	for room, tokens := range want {
		seen, last := map[string]int{}, -1
		for _, m := range sent {
			for i, token := range tokens {
				if !strings.Contains(m.text, token) {
					continue
				}
				if m.room != room {
					l.misrouted++
				}
				if seen[token]++; seen[token] == 1 {
					if i < last {
						l.misordered++
					}
					last = i
				}
			}
		}
		for _, token := range tokens {
			switch n := seen[token]; {
			case n == 0:
				l.lost++
			case n > 1:
				l.doubled++
			}
		}
	}
	return l
}

func sentOn(s *matrixtest.Server) (list []shown) {
	for _, m := range s.Sent() {
		list = append(list, shown{m.Room, m.Text})
	}
	return list
}

// TestKilledOnMatrix kills the process at each named point and starts it again, also on a
// server that has forgotten what was sent: nothing is lost, nothing is seen twice.
func TestKilledOnMatrix(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit", "after_model", "before_finish", "after_finish", "before_send", "after_send"} {
		for _, nth := range []string{"1", "4"} {
			t.Run(point+"/"+nth, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.llm.Quiet()
				s := w.onMatrix(t)
				rooms := map[string]string{}
				for c := range 3 {
					who := fmt.Sprintf("@p%d:example.org", c)
					rooms[s.Direct(who)] = who
				}
				child := w.start(t, "BOT_FAILPOINT="+point+":"+nth)
				w.synced(t, s)
				want := map[string][]string{}
				for i := range 3 {
					for room, who := range rooms {
						want[room] = append(want[room], fmt.Sprintf("tok-%s-%d.", who, i))
						s.Say(room, who, want[room][i], nil)
					}
				}
				w.dieOrRest(t, child, func() bool { return reckon(want, sentOn(s)).lost == 0 })
				s.ForgetTransactions()
				w.start(t)
				waittest.Within(time.Minute, func() bool { return reckon(want, sentOn(s)).lost == 0 })
				w.settled(t)
				if l := reckon(want, sentOn(s)); l != (ledger{}) {
					t.Errorf("%+v", l)
				}
			})
		}
	}
}

// TestRoughMatrix does at random whatever homeservers are known to do while people talk.
func TestRoughMatrix(t *testing.T) {
	t.Parallel()
	for seed := range 2 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.llm.Quiet()
			x := &roughMatrix{w: w, s: w.onMatrix(t), r: rand.New(rand.NewPCG(uint64(seed), 33)), want: map[string][]string{},
				who: map[string]string{}}
			x.play(t, 100)
		})
	}
}

type roughMatrix struct {
	w     *world
	s     *matrixtest.Server
	r     *rand.Rand
	child *exec.Cmd
	rooms []string
	who   map[string]string
	want  map[string][]string
	last  string
}

func (x *roughMatrix) play(t *testing.T, n int) {
	for c := range 5 {
		who := fmt.Sprintf("@p%d:example.org", c)
		room := x.s.Direct(who)
		x.rooms, x.who[room] = append(x.rooms, room), who
	}
	x.child = x.w.start(t)
	x.w.synced(t, x.s)
	for said := 0; said < n; {
		for range min(1+x.r.IntN(12), n-said) {
			room := x.rooms[x.r.IntN(len(x.rooms))]
			token := fmt.Sprintf("tok-%s-%d.", x.who[room], said)
			x.want[room] = append(x.want[room], token)
			x.last = x.s.Say(room, x.who[room], token, nil)
			said++
		}
		x.happen(t)
		some := len(x.s.Sent()) + x.r.IntN(6)
		waittest.Within(300*time.Millisecond, func() bool { return len(x.s.Sent()) >= some })
	}
	x.s.Heal()
	waittest.Within(2*time.Minute, func() bool { return reckon(x.want, sentOn(x.s)).lost == 0 })
	x.w.settled(t)
	if l := reckon(x.want, sentOn(x.s)); l != (ledger{}) {
		t.Errorf("%+v", l)
	}
}

// happen lets one thing happen.
func (x *roughMatrix) happen(t *testing.T) {
	path := []string{"/send/", "/sync", "/messages", "/event/", ""}[x.r.IntN(5)]
	f := matrixtest.Fault{Path: path, Times: 1 + x.r.IntN(3)}
	switch x.r.IntN(9) {
	case 0:
		x.s.Limit(1 + x.r.IntN(3))
	case 1:
		x.s.Again(x.last)
	case 2:
		f.Status, f.Code, f.Wait = 429, "M_LIMIT_EXCEEDED", 300*time.Millisecond
		x.s.Fail(f)
	case 3:
		f.Status, f.Code, f.After = 500, "M_UNKNOWN", x.r.IntN(2) == 0
		x.s.Fail(f)
	case 4:
		f.Status, f.Page, f.After = 502, true, x.r.IntN(2) == 0
		x.s.Fail(f)
	case 5:
		f.Cut, f.After = true, x.r.IntN(2) == 0
		x.s.Fail(f)
	case 6:
		x.s.ForgetTransactions()
	case 7, 8:
		kill(x.child)
		x.child = x.w.start(t)
	}
}
