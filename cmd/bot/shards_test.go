package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/memory/cluster"
	"parley/internal/text/waittest"
)

// guildOf is the id of a server that a shard hears of, if there are more than that.
func guildOf(shard int) string { return fmt.Sprint(uint64(shard)<<22 + 7) }

// TestDiscordShards: a bot in many servers has as many connections as Discord recommends,
// answers everywhere, and tells how each of them does.
func TestDiscordShards(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.dc.Recommend(2, 2)
	w.dc.Pace(2, 5*time.Second)
	at := waittest.Address(t)
	w.env = append(w.env, "BOT_HTTP_LISTEN="+at)
	w.run(t)
	eventually(t, "both receive", func() bool { return len(w.dc.Shards()) == 2 })
	for i := range 2 {
		w.dc.Message(guildOf(i), fmt.Sprint(50+i), "42", "<@9000> hello")
	}
	w.dc.Message("", "10", "42", "hello")
	var where []string
	for _, m := range w.discordSent(t, 3) {
		where = append(where, m.Channel)
	}
	slices.Sort(where)
	if !slices.Equal(where, []string{"10", "50", "51"}) {
		t.Errorf("answered in %v", where)
	}
	up := func(what string) bool {
		return strings.Contains(fetched(t, "http://"+at+"/metrics"), `parley_shard_up{platform="discord",shard="1/2"} `+what)
	}
	eventually(t, "both are up", func() bool { return up("1") })
	if got := w.saying(t, 1, 1, "/status"); !strings.Contains(got, "discord 0/2: receiving") || !strings.Contains(got,
		"discord 1/2: receiving") {
		t.Errorf("/status says:\n%s", got)
	}
	w.dc.Silent(true)
	w.dc.LoseShard(1)
	eventually(t, "one is down", func() bool { return up("0") })
	if got := fetched(t, "http://"+at+"/healthz"); !strings.Contains(got, `"discord 1/2"`) || !strings.Contains(got, `"degraded"`) {
		t.Errorf("healthz says %s", got)
	}
	for _, one := range w.dc.Starts() {
		if one.Early {
			t.Errorf("%v was begun too early", one.Shard)
		}
	}
}

// TestDoctorShards: doctor says what Discord recommends, and where the owner's number falls
// short of it.
func TestDoctorShards(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.dc.Recommend(5, 1)
	for env, want := range map[string]string{
		"BOT_DISCORD_SHARDS=auto": "Discord recommends 5 connections",
		"BOT_DISCORD_SHARDS=2":    "discord.shards is 2, and Discord recommends 5",
		"BOT_DISCORD_SHARDS=nine": "auto, or a number",
	} {
		if out, _ := w.examined(t, env); !strings.Contains(out, want) {
			t.Errorf("with %s doctor says:\n%s", env, out)
		}
	}
}

// shardsOf counts the connections of each process.
func (f *fleet) shardsOf(t *testing.T, of int) (held []int) {
	t.Helper()
	rows, err := f.rows.Query(
		"SELECT count(*) FROM node_roles AS r JOIN node_leases AS l ON l.id = r.owner WHERE r.name LIKE $1 GROUP BY l.id",
		fmt.Sprintf("receive discord of %d:%%", of))
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n int
		must(t, rows.Scan(&n))
		held = append(held, n)
	}
	slices.Sort(held)
	return held
}

// noted reports whether whoever has a connection next would resume these sessions. What is
// said to one that is not noted is lost when it changes hands.
func (f *fleet) noted(t *testing.T, sessions []string) bool {
	t.Helper()
	for _, id := range sessions {
		var n int
		must(t, f.rows.QueryRow("SELECT count(*) FROM cursors WHERE platform = 'discord' AND name LIKE 'gateway%' AND value LIKE $1",
			fmt.Sprintf("%%%q%%", id)).Scan(&n))
		if n == 0 {
			return false
		}
	}
	return true
}

// tellShards logs, where a test failed, who has what and what Discord knows of it.
func (f *fleet) tellShards(t *testing.T) {
	if !t.Failed() {
		return
	}
	for _, query := range []string{"SELECT name || ' has ' || id FROM node_leases", "SELECT name || ' is ' || owner FROM node_roles",
		"SELECT share || ' takes ' || node FROM node_takers",
		"SELECT name || ' notes ' || value FROM cursors WHERE platform = 'discord'", "SELECT channel || ' belongs to ' || owner FROM node_lanes",
		"SELECT 'posted: ' || channel || ' ' || inbox_id FROM node_mail", "SELECT 'unsent: ' || body FROM outbox WHERE state <> 'sent'",
		"SELECT 'inbox ' || id || ' of ' || channel || ' at ' || at || ' is ' || state FROM inbox WHERE state <> 'done' ORDER BY id"} {
		rows, err := f.rows.Query(query)
		must(t, err)
		for rows.Next() {
			var s string
			must(t, rows.Scan(&s))
			t.Log(s)
		}
		_ = rows.Close()
	}
	t.Logf("connected: %v %v; begun: %v; resumed: %v", f.dc.Shards(), f.dc.Sessions(), f.dc.Starts(), f.dc.Resumed())
}

// TestClusterShards: three processes divide the connections to Discord. When one is killed,
// and while one is stopped, the others resume its sessions: all is answered once, in order,
// and no session is begun anew.
func TestClusterShards(t *testing.T) {
	t.Parallel()
	const of = 4
	waittest.Alone(t)
	w := newWorld(t).onDiscord()
	w.llm.Quiet()
	w.dc.Recommend(of, of)
	w.dc.Pace(of, 5*time.Second)
	w.env = append(w.env, "BOT_LIMITS_QUEUE_PER_CHANNEL=100") // everything said meanwhile comes at once
	f := newFleetOf(t, w, 3, func(url string) string { return url })
	t.Cleanup(func() { f.tellShards(t) })
	eventually(t, "they divide the connections", func() bool {
		return len(w.dc.Shards()) == of && slices.Equal(f.shardsOf(t, of), []int{1, 1, 2}) && f.noted(t, w.dc.Sessions())
	})
	want := map[string]int{}
	say := func(n int) {
		for i := range n {
			shard := i % of
			channel := fmt.Sprint(50 + shard)
			want[channel]++
			w.dc.Message(guildOf(shard), channel, "42", fmt.Sprintf("<@%s> tok-%s-%d.", discordtest.App, channel, want[channel]))
			waittest.Take(t.Context(), 10*time.Millisecond)
		}
	}
	answered := func(what string) {
		t.Helper()
		eventually(t, what, func() bool {
			got := map[string]int{}
			for _, m := range w.dc.Sent() {
				if strings.Contains(m.Content, fmt.Sprintf("tok-%s-%d.", m.Channel, got[m.Channel]+1)) {
					got[m.Channel]++
				}
			}
			for channel, n := range want {
				if got[channel] != n {
					return false
				}
			}
			return true
		})
	}
	say(20)
	answered("all at first")
	begun := w.dc.Identifies()
	kill(f.nodes[0].Cmd)
	say(40)
	answered("after one was killed")
	eventually(t, "two have two each", func() bool { return slices.Equal(f.shardsOf(t, of), []int{2, 2}) })
	must(t, f.nodes[1].Process.Signal(syscall.SIGSTOP))
	say(40)
	waittest.Take(t.Context(), 2*cluster.Lease)
	must(t, f.nodes[1].Process.Signal(syscall.SIGCONT))
	say(40)
	answered("after one was stopped")
	if total := len(w.dc.Sent()); total != 140 {
		t.Errorf("%d answers to 140 messages", total)
	}
	if n := w.dc.Identifies() - begun; n > 0 {
		t.Errorf("%d sessions were begun anew", n)
	}
	t.Logf("resumed: %v", w.dc.Resumed())
}
