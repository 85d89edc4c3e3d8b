package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/text/waittest"
)

// rough is Discord at its worst, at random but the same for the same seed.
type rough struct {
	w      *world
	dc     *discordtest.Server
	r      *rand.Rand
	child  *exec.Cmd
	starts []time.Time
	lifts  []func() // of stalled places
	said   []string
	did    map[string]int
}

// roughPlaces are where people talk: channel and server, "" for direct chats.
var roughPlaces = [][2]string{{"101", ""}, {"102", ""}, {"103", ""}, {"104", ""}, {"50", "77"}, {"51", "77"}, {"55", "77"}}

// TestFaultRoughDiscord does at random whatever Discord is known to do
// while people talk: nothing is lost, nothing is seen twice or out of order,
// and nothing is asked again sooner than it may be.
func TestFaultRoughDiscord(t *testing.T) {
	t.Parallel()
	seeds, n := 2, 100
	if os.Getenv("PARLEY_FAULTS") != "" {
		seeds, n = 30, 1000
	}
	first, _ := strconv.Atoi(os.Getenv("PARLEY_SEED"))
	for i := range seeds {
		seed := first + i
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			roughly(t, seed, n)
		})
	}
}

// roughly plays one seed.
func roughly(t *testing.T, seed, n int) {
	w := newWorld(t).onDiscord()
	w.llm.Quiet()
	w.env = append(slices.DeleteFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "BOT_TELEGRAM_") }),
		"BOT_LIMITS_QUEUE_PER_CHANNEL=10000")
	x := &rough{w: w, dc: w.dc, r: rand.New(rand.NewPCG(uint64(seed), 11)), did: map[string]int{}}
	x.dc.Thread("55", "50")
	x.start(t)
	x.dc.Wait(time.Minute, func() bool { return x.dc.Connected() > 0 })
	for _, p := range roughPlaces { // nobody can tell of a chat that begins in a gap
		x.say(p, -1)
	}
	x.answered(len(roughPlaces), 30*time.Second)
	began := time.Now()
	for said := 0; said < n; {
		for range min(1+x.r.IntN(16), n-said) {
			x.say(roughPlaces[x.r.IntN(len(roughPlaces))], said)
			said++
		}
		x.happen(t)
		if x.r.IntN(3) == 0 {
			x.dc.Wait(3*time.Second, func() bool { return x.dc.Connected() > 0 })
		}
		some := len(x.dc.Sent()) + x.r.IntN(8) // not all things happen at one moment
		waittest.Within(300*time.Millisecond, func() bool { return len(x.dc.Sent()) >= some })
	}
	x.calm()
	x.answered(n+len(roughPlaces), 3*time.Minute)
	w.settled(t) // nor is a double under way
	l := x.count(n)
	fast := x.hasty()
	t.Logf("seed %d: %d messages in %v: %+v, asked too soon %d, %d requests, %d sessions, %d resumed; %v",
		seed, n, time.Since(began).Round(time.Second), l, len(fast), len(x.dc.Calls("", "/")), x.dc.Identifies(), x.dc.Resumes(), x.did)
	if l != (ledger{}) || len(fast) > 0 {
		t.Errorf("seed %d: %+v; asked too soon: %v; missing: %v", seed, l, fast, x.missing())
	}
	end(t, x.child)
}

func (x *rough) start(t *testing.T) {
	x.starts = append(x.starts, time.Now())
	x.child = x.w.start(t)
}

// say says one numbered thing. While there is no session it is in the history
// alone.
func (x *rough) say(place [2]string, i int) {
	text := fmt.Sprintf("tok-%s-%d.", place[0], i)
	x.said = append(x.said, text)
	if place[1] != "" {
		text = "<@" + discordtest.App + "> " + text
	}
	x.dc.Message(place[1], place[0], fmt.Sprint(40+x.r.IntN(3)), text)
}

// happen lets one thing happen.
func (x *rough) happen(t *testing.T) {
	place := roughPlaces[x.r.IntN(len(roughPlaces))][0]
	path := []string{"/channels/", "/channels/" + place}[x.r.IntN(2)]
	post := discordtest.Fault{Method: "POST", Path: path, Times: 1 + x.r.IntN(4)}
	things := []struct {
		name string
		do   func()
	}{
		{"gap", func() { x.dc.Lose() }},
		{"drop", func() { x.dc.Drop() }},
		{"op 9", func() { x.dc.Invalidate(); x.dc.Drop() }},
		{"op 9 true", func() { x.dc.Retryable(); x.dc.Drop() }},
		{"op 7", func() { x.dc.Reconnect() }},
		{"close 4000", func() { x.dc.CloseWith(4000) }},
		{"close 4009", func() { x.dc.CloseWith(4009) }},
		{"page", func() { post.Page, post.Status, post.Times = true, []int{403, 429}[x.r.IntN(2)], 1; x.dc.Fail(post) }},
		{"page 502", func() {
			post.Page, post.Status, post.Times, post.After = true, 502, 1, x.r.IntN(2) == 0
			x.dc.Fail(post)
		}},
		{"limit", func() { post.Status, post.RetryAfter = 429, 2; x.dc.Fail(post) }},
		{"500", func() { post.Status = 500; x.dc.Fail(post) }},
		{"answer lost", func() { post.After, post.Cut = true, true; x.dc.Fail(post) }},
		{"edit lost", func() { post.Method, post.After, post.Cut = "PATCH", true, true; x.dc.Fail(post) }},
		{"history fails", func() { x.dc.Fail(discordtest.Fault{Method: "GET", Path: path, Status: 500, Times: 2}) }},
		{"history lost", func() {
			x.dc.Lose()
			x.dc.Fail(discordtest.Fault{Method: "GET", Path: "/channels/" + place, Cut: true})
		}},
		{"stall", func() {
			x.lifts = append(x.lifts, x.dc.Stall([]string{"GET", "POST"}[x.r.IntN(2)], "/channels/"+place))
		}},
		{"lift", func() { x.lift() }},
		{"odd", func() { x.odd(place) }},
		{"unquotable", func() {
			post.Status, post.Code, post.Field, post.Path = 400, 50035, "message_reference", "/channels/"+place+"/messages"
			post.Times = 1
			x.dc.Fail(post)
		}},
		{"kill", func() { kill(x.child); x.start(t) }},
		{"calm", func() { x.lift(); x.dc.Wait(3*time.Second, func() bool { return x.dc.Connected() > 0 }) }},
	}
	if os.Getenv("PARLEY_FAULTS") != "" && x.did["silence"] == 0 && x.r.IntN(60) == 0 { // takes half a minute each
		x.did["silence"]++
		x.dc.Deafen(1 + x.r.IntN(2))
		x.dc.Drop()
		return
	}
	thing := things[x.r.IntN(len(things))]
	x.did[thing.name]++
	thing.do()
}

func (x *rough) lift() {
	for _, lift := range x.lifts {
		lift()
	}
	x.lifts = nil
}

// odd lets events come that nobody can use, or only in part.
func (x *rough) odd(channel string) {
	junk := []any{nil, "", "x", 7, []any{nil}, map[string]any{"id": []any{}}}
	pick := func() any { return junk[x.r.IntN(len(junk))] }
	x.dc.Dispatch("MESSAGE_CREATE", pick())
	x.dc.Dispatch("MESSAGE_CREATE", map[string]any{"id": "", "channel_id": channel, "content": pick(), "author": map[string]any{"id": "42"}})
	x.dc.Dispatch("MESSAGE_UPDATE", map[string]any{"id": "1", "channel_id": channel, "embeds": pick(), "author": pick()})
	x.dc.Dispatch("GUILD_UPDATE", map[string]any{"id": "77", "roles": pick(), "channels": pick()})
	x.dc.Dispatch("GUILD_ROLE_UPDATE", map[string]any{"guild_id": pick(), "role": pick()})
	x.dc.Dispatch("SOMETHING_NEW", pick())
}

// calm ends what is wrong.
func (x *rough) calm() {
	x.lift()
	x.dc.Heal()
	x.dc.Deafen(0)
}

var tokenMark = regexp.MustCompile(`tok-(\d+)-(-?\d+)\.`)

// answered waits until there are n different answers.
func (x *rough) answered(n int, patience time.Duration) {
	x.dc.Wait(patience, func() bool {
		seen := map[string]bool{}
		for _, m := range x.dc.Sent() {
			for _, t := range tokenMark.FindAllString(m.Content, -1) {
				seen[t] = true
			}
		}
		return len(seen) >= n
	})
}

// count joins what was said with what was answered.
func (x *rough) count(n int) (l ledger) {
	seen, last := map[int]int{}, map[string]int{}
	for _, m := range x.dc.Sent() {
		for _, found := range tokenMark.FindAllStringSubmatch(m.Content, -1) {
			i, _ := strconv.Atoi(found[2])
			if i < 0 || m.Deleted {
				continue
			}
			if found[1] != m.Channel {
				l.misrouted++
			}
			if seen[i]++; seen[i] == 1 {
				if i < last[m.Channel] {
					l.misordered++
				}
				last[m.Channel] = i
			}
		}
	}
	for i := range n {
		switch {
		case seen[i] == 0:
			l.lost++
		case seen[i] > 1:
			l.doubled++
		}
	}
	return l
}

// missing returns the things said that nobody answered.
func (x *rough) missing() (list []string) {
	seen := map[string]bool{}
	for _, m := range x.dc.Sent() {
		for _, t := range tokenMark.FindAllString(m.Content, -1) {
			seen[t] = true
		}
	}
	for _, t := range x.said {
		if !seen[t] {
			list = append(list, t)
		}
	}
	return list
}

// hasty are requests and connections that one process made sooner than it may
// after it was told to wait. What was under way then gets a little time.
func (x *rough) hasty() (list []string) {
	const underWay = 1500 * time.Millisecond // on a machine that has much to do
	restarted := func(from, to time.Time) bool {
		return slices.ContainsFunc(x.starts, func(s time.Time) bool { return s.After(from.Add(-time.Second)) && s.Before(to.Add(time.Second)) })
	}
	channel := func(c discordtest.Call) string { return strings.Split(c.Path+"//", "/")[2] }
	calls := x.dc.Calls("", "/")
	for i, c := range calls {
		until := c.At.Add(1900 * time.Millisecond)
		if c.Status != 429 && !c.Page || restarted(c.At, until) {
			continue
		}
		for _, d := range calls[i+1:] {
			same := c.Page || channel(d) == channel(c)
			if same && d.Came.After(c.At.Add(underWay)) && d.Came.Before(until) {
				list = append(list, fmt.Sprintf("%s %s %v after a %d", d.Method, d.Path, d.Came.Sub(c.At), c.Status))
			}
		}
	}
	dials := x.dc.Dials()
	for i := 1; i < len(dials); i++ {
		if gap := dials[i].Sub(dials[i-1]); gap < 400*time.Millisecond && !restarted(dials[i-1], dials[i]) {
			list = append(list, fmt.Sprintf("connected %v after another", gap))
		}
	}
	return list
}
