package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/cluster"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/memory/previews"
	"parley/internal/text/waittest"
)

// watched is where people watch answers grow, in groups of both platforms.
type watched struct {
	*world
	n int // groups on each
}

// watchedGroup and watchedChannel are the places of the i-th.
func watchedGroup(i int) int64    { return -100 - int64(i) }
func watchedChannel(i int) string { return fmt.Sprint(50 + i) }

// watch makes n groups on each platform. The first answer to each question grows for long;
// whoever asks the model again has it at once.
func watch(t *testing.T, n int) watched {
	t.Helper()
	w := watched{newWorld(t).onDiscord(), n}
	for i := range n {
		w.tg.AddChat(watchedGroup(i))
	}
	asked := map[string]bool{}
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		said := r.Last("user")
		at := strings.Index(said, "tok-")
		if at < 0 {
			return llmtest.Turn{}
		}
		token := strings.Fields(said[at:])[0]
		if asked[token] {
			return llmtest.Turn{Text: "The answer to " + token}
		}
		asked[token] = true
		return llmtest.Turn{Text: strings.Repeat("growing ", 400), Chunks: 400, ChunkWait: 300 * time.Millisecond}
	})
	return w
}

// ask asks something in each group of one platform, or of both for "".
func (w watched) ask(platform string) {
	for i := range w.n {
		if platform != "discord" {
			w.tg.Push(telegramtest.Text(watchedGroup(i), 5, fmt.Sprintf("@parley_bot tok-t%d.", i)))
		}
		if platform != "telegram" {
			w.dc.Message("77", watchedChannel(i), "42", fmt.Sprintf("<@%s> tok-d%d.", discordtest.App, i))
		}
	}
}

// sees lists what people see.
func (w watched) sees() (texts []string) {
	for _, m := range w.tg.Sent() {
		if !m.Deleted {
			texts = append(texts, m.Text)
		}
	}
	for _, m := range w.dc.Sent() {
		if !m.Deleted {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// counts returns how many previews and answers people see.
func (w watched) counts() (growing, answers int) {
	for _, text := range w.sees() {
		if strings.HasPrefix(text, "The answer to") {
			answers++
		} else {
			growing++
		}
	}
	return growing, answers
}

// onlyAnswers waits until so many answers are seen, and nothing beside them.
func (w watched) onlyAnswers(t *testing.T, n int) {
	t.Helper()
	if !waittest.Within(patience, func() bool { growing, answers := w.counts(); return growing == 0 && answers == n }) {
		t.Errorf("people see %q", w.sees())
	}
}

// TestKilledAroundTheNoteOfAPreview: a process is killed when the platform has just said how
// a preview is called, before or after that is noted beside the database, which does not know
// of it. Only where Telegram's word was lost with the process it stays.
func TestKilledAroundTheNoteOfAPreview(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		platform, point string
		stays           int
	}{{"telegram", "before", 1}, {"telegram", "after", 0}, {"discord", "before", 0}, {"discord", "after", 0}} {
		t.Run(tt.platform+" "+tt.point, func(t *testing.T) {
			t.Parallel()
			w := watch(t, 1)
			child := w.start(t, "BOT_FAILPOINT="+tt.point+"_preview_noted:1")
			w.connected(t)
			w.ask(tt.platform)
			dies(t, child)
			w.start(t)
			if !waittest.Within(patience, func() bool { growing, answers := w.counts(); return growing == tt.stays && answers == 1 }) {
				t.Errorf("people see %q", w.sees())
			}
			w.settled(t)
			if growing, answers := w.counts(); growing != tt.stays || answers != 1 {
				t.Errorf("in the end people see %q", w.sees())
			}
		})
	}
}

// outage is what happens while the database does not know of a preview: the process that
// shows it holds still until release.
type outage func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func())

// previewOutages are those in which a preview could be left.
var previewOutages = map[string]outage{
	"the database is away": func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func()) {
		for _, w := range wires {
			w.Cut()
		}
		release()
		waittest.Take(t.Context(), 2*cluster.Lease)
		for _, w := range wires {
			w.Mend()
		}
	},
	"it is away, and the process is killed": func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func()) {
		for _, w := range wires {
			w.Cut()
		}
		kill(f.nodes[0].Cmd)
		for _, w := range wires {
			w.Mend()
		}
		f.again(t, 0)
	},
	"another one answers, then the first begins again": func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func()) {
		kill(f.nodes[0].Cmd)
		f.join(t, wires[1].URL)
		eventually(t, "it has answered", func() bool { return f.open() == 0 })
		f.again(t, 0)
	},
	"the process is cut off, and another one answers": func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func()) {
		f.join(t, wires[1].URL)
		wires[0].Stall()
		release()
		eventually(t, "it has answered", func() bool { return f.open() == 0 })
		wires[0].Mend()
	},
	"the process is cut off, another one answers, the first is killed": func(t *testing.T, f *fleet, wires []*nodetest.Wire, release func()) {
		f.join(t, wires[1].URL)
		wires[0].Stall()
		release()
		eventually(t, "it has answered", func() bool { return f.open() == 0 })
		kill(f.nodes[0].Cmd)
		wires[0].Mend()
		f.again(t, 0)
	},
}

// again starts a process again, in its own data folder.
func (f *fleet) again(t *testing.T, i int) {
	t.Helper()
	m := f.nodes[i]
	cmd := exec.Command(os.Args[0])
	cmd.Stderr = m.said
	cmd.Env = slices.DeleteFunc(slices.Clone(m.Env), func(e string) bool { return strings.HasPrefix(e, "BOT_FAILPOINT=") })
	must(t, cmd.Start())
	m.Cmd = cmd // its Cleanup kills it
}

// TestPreviewsOfAnOutage: what is shown of an answer while the database does not learn of it
// does not stay beside the answer, whatever becomes of the process that showed it. A plain run
// plays each outage on one platform: each starts a server and up to three processes.
func TestPreviewsOfAnOutage(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(previewOutages)) {
		happens := previewOutages[name]
		platforms := []string{"telegram", "discord"}
		if !whole {
			platforms = platforms[i%2:][:1]
		}
		for _, platform := range platforms {
			t.Run(name+"/"+platform, func(t *testing.T) {
				t.Parallel()
				w := watch(t, 1)
				hold := filepath.Join(t.TempDir(), "go on")
				env := w.env
				w.env = append(slices.Clone(env), "BOT_FAILPOINT=after_preview_noted:1", "BOT_HOLD="+hold)
				var wires []*nodetest.Wire
				f := newFleetOf(t, w.world, 1, func(url string) string {
					wires = append(wires, nodetest.NewWire(t, url), nodetest.NewWire(t, url))
					return wires[0].URL
				})
				w.env = env
				w.connected(t)
				w.ask(platform)
				eventually(t, "it grows", func() bool { growing, _ := w.counts(); return growing == 1 })
				eventually(t, "that is noted", func() bool { return len(f.noting(t, 0)) == 1 })
				happens(t, f, wires, func() { must(t, os.WriteFile(hold, nil, 0o600)) })
				w.onlyAnswers(t, 1)
				eventually(t, "nothing is noted any more", func() bool { return f.open() == 0 && len(f.noting(t, 0)) == 0 })
				w.onlyAnswers(t, 1)
			})
		}
	}
}

// noting lists the previews that a process has noted in its folder.
func (f *fleet) noting(t *testing.T, i int) []string {
	t.Helper()
	b, err := previews.Open(filepath.Join(f.dir, fmt.Sprint(i), previews.Name))
	must(t, err)
	defer func() { _ = b.Close() }()
	var ids []string
	for _, p := range b.Noted() {
		ids = append(ids, p.ID)
	}
	return ids
}

// TestClusterPreviewsOfAnOutage counts what stays beside answers that grow, in many groups,
// where the database goes away, for as long as it says, before it knows of most of them.
func TestClusterPreviewsOfAnOutage(t *testing.T) {
	thorough(t)
	const groups = 15
	for _, tt := range []struct {
		away            time.Duration
		killed, refuses bool // one of two processes, as they grow; each platform, to remove anything meanwhile
	}{{5 * time.Second, false, false}, {30 * time.Second, false, false}, {5 * time.Second, true, false}, {5 * time.Second, false, true}} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			w := watch(t, groups)
			var proxies []*postgrestest.Proxy
			f := newFleetOf(t, w.world, 2, func(url string) string {
				p, way := postgrestest.NewProxy(t, url)
				proxies = append(proxies, p)
				return way
			})
			w.connected(t)
			if tt.refuses {
				lift := w.tg.Fail(telegramtest.Fault{Method: "deleteMessage", Status: 502, Times: 1 << 20})
				w.dc.Fail(discordtest.Fault{Method: "DELETE", Path: "/channels/", Status: 502, Times: 1 << 20})
				time.AfterFunc(2*tt.away, func() { lift(); w.dc.Heal() })
			}
			w.ask("")
			eventually(t, "all are at the model", func() bool { return w.llm.Most() >= 2*groups })
			for _, p := range proxies {
				p.Down(true)
			}
			began := time.Now()
			shown := 0
			waittest.Within(tt.away, func() bool { shown, _ = w.counts(); return shown >= 2*groups })
			if tt.killed {
				kill(f.nodes[0].Cmd)
			}
			waittest.Take(t.Context(), tt.away-time.Since(began))
			for _, p := range proxies {
				p.Down(false)
			}
			if tt.killed {
				f.again(t, 0)
			}
			eventually(t, "all are answered", func() bool { _, answers := w.counts(); return answers >= 2*groups && f.open() == 0 })
			waittest.Within(2*tt.away+20*time.Second, func() bool { left, _ := w.counts(); return left == 0 })
			left, answers := w.counts()
			t.Logf("%d of %d answers grew as the database went away for %v; %d stand beside %d answers", shown, 2*groups, tt.away, left, answers)
			if left > 0 || answers != 2*groups {
				t.Error("not only the answers are seen")
			}
		})
	}
}
