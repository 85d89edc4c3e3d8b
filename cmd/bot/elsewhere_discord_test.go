package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// nonces returns the nonces with which a text was posted in a channel, one for each time.
func (f *fleet) nonces(channel, text string) (list []string) {
	for _, c := range f.dc.Calls("POST", "/channels/"+channel+"/messages") {
		var body struct{ Content, Nonce string }
		if json.Unmarshal(c.Body, &body) == nil && strings.Contains(body.Content, text) {
			list = append(list, body.Nonce)
		}
	}
	return list
}

// newDiscord starts a process that dies at a point of failure and has Discord's connection,
// and another one beside it.
func newDiscord(t *testing.T, point string) *fleet {
	t.Helper()
	waittest.Alone(t)
	w := newWorld(t).onDiscord()
	env := w.env
	w.env = append(slices.Clone(env), "BOT_FAILPOINT="+point)
	f := newFleetOf(t, w, 1, func(url string) string { return url })
	w.connected(t)
	eventually(t, "the session is noted", func() bool { return len(w.dc.Sessions()) == 1 && f.noted(t, w.dc.Sessions()) })
	w.env = env
	f.join(t, f.url)
	eventually(t, "both live", func() bool { return f.alive() == 2 })
	return f
}

// TestClusterDiscordRepeats: a process ends between sending something and noting so. The
// next one sends it again under the same nonce, and it shows once.
func TestClusterDiscordRepeats(t *testing.T) {
	t.Parallel()
	f := newDiscord(t, "after_send:1")
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> tok-1.")
	dies(t, f.nodes[0].Cmd)
	eventually(t, "it is sent again", func() bool { return len(f.nonces("50", "tok-1.")) == 2 && f.open() == 0 })
	list := f.nonces("50", "tok-1.")
	if n := len(f.dc.Sent()); n != 1 || list[0] != list[1] || list[0] == "" {
		t.Errorf("%d messages, sent under %q", n, list)
	}
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> tok-2.")
	f.posted(t, "50", "tok-2.")
}

// TestClusterDiscordPreview: a process is killed while Discord was about to say how the
// preview of an answer is called. What it showed becomes the answer.
func TestClusterDiscordPreview(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newDiscord(t, "")
	late := make(chan struct{})
	defer close(late)
	f.dc.Fail(discordtest.Fault{Method: "POST", Path: "/channels/50/messages", Late: late})
	f.llm.Queue(llmtest.Turn{Text: strings.Repeat("growing ", 50), Chunks: 50, ChunkWait: 300 * time.Millisecond},
		llmtest.Turn{Text: "The answer."})
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> tell me")
	f.posted(t, "50", "growing")
	kill(f.nodes[0].Cmd)
	f.posted(t, "50", "The answer.")
	eventually(t, "nothing is left to send", func() bool { return f.open() == 0 })
	if list := f.dc.Sent(); len(list) != 1 {
		t.Errorf("people see %+v", list)
	}
}

// TestClusterDiscordRolling: each of three processes in turn is asked to end, and another
// begins. All is answered once, in order, and no session begins anew.
func TestClusterDiscordRolling(t *testing.T) {
	t.Parallel()
	thorough(t)
	const of, lanes = 2, 6
	w := newWorld(t).onDiscord()
	w.llm.Quiet()
	w.dc.Recommend(of, of)
	w.env = append(w.env, "BOT_LIMITS_QUEUE_PER_CHANNEL=100")
	f := newFleetOf(t, w, 3, func(url string) string { return url })
	t.Cleanup(func() { f.tellShards(t) })
	eventually(t, "they have the connections", func() bool { return len(w.dc.Shards()) == of && f.noted(t, w.dc.Sessions()) })
	begun, said := w.dc.Identifies(), 0
	say := func(n int) {
		for range n {
			shard, channel := said%of, fmt.Sprint(50+said%lanes)
			w.dc.Message(guildOf(shard), channel, "42", fmt.Sprintf("<@%s> tok-%s-%d.", discordtest.App, channel, said))
			said++
		}
	}
	say(2 * lanes)
	for _, m := range slices.Clone(f.nodes) {
		f.join(t, f.url)
		eventually(t, "the next lives", func() bool { return f.alive() == 4 })
		say(lanes)
		end(t, m.Cmd)
		say(lanes)
	}
	eventually(t, "all is answered", func() bool { return len(w.dc.Sent()) >= said && f.open() == 0 })
	last := map[string]int{}
	for _, m := range w.dc.Sent() {
		var channel string
		n := -1
		if at := strings.Index(m.Content, "tok-"); at >= 0 {
			_, _ = fmt.Sscanf(strings.ReplaceAll(m.Content[at:], "-", " "), "tok %s %d.", &channel, &n)
		}
		if channel != m.Channel || n < last[channel] {
			t.Errorf("in %s after %d: %q", m.Channel, last[m.Channel], m.Content)
		}
		last[channel] = n + 1
	}
	if n := len(w.dc.Sent()); n != said || w.dc.Identifies() != begun {
		t.Errorf("%d answers to %d messages, %d sessions begun anew", n, said, w.dc.Identifies()-begun)
	}
}

// TestClusterDiscordUses: commands, forms and buttons come to the process that has Discord's
// connection, and are answered where they were used by another one, which has the
// conversation; and by the one that takes the connection over.
func TestClusterDiscordUses(t *testing.T) {
	t.Parallel()
	thorough(t)
	f := newDiscord(t, "")
	use := func(user, command string) discordtest.Use {
		return discordtest.Use{Guild: "77", Channel: "50", User: user, Command: command}
	}
	tasks := func() int { return f.count(t, "SELECT count(*) FROM tasks") }
	eventually(t, "commands are registered", func() bool { return len(f.dc.Commands()) > 0 })
	f.llm.Queue(callTool("add_task", `{"description":"milk"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`),
		llmtest.Turn{Text: "The milk is gone."})
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> put milk on my list")
	f.posted(t, "50", "It is on it.")
	f.gives(t, 50, 1)
	id := f.dc.Interaction(use("42", "status"))
	eventually(t, "/status is answered in its place", func() bool {
		return slices.ContainsFunc(f.dc.Sent(), func(m discordtest.Message) bool { return m.Interaction == "tok"+id })
	})
	id = f.dc.Interaction(use("42", "facts list"))
	if !f.responded(t, id).Private() {
		t.Error("facts are shown to everybody")
	}
	f.dc.Message("77", "50", "42", "<@"+discordtest.App+"> delete it")
	asked := f.posted(t, "50", `Delete the task "milk"?`)
	f.dc.Press("77", "50", "43", asked.ID, asked.Buttons[0])
	form := f.dc.Interaction(use("42", "facts add"))
	f.responded(t, form)
	eventually(t, "nothing is under way", func() bool { return f.open() == 0 })
	if tasks() != 1 {
		t.Fatal("somebody else's yes counts")
	}
	kill(f.nodes[0].Cmd)
	eventually(t, "the other has the connection", func() bool { return f.has(t, "receive discord%") == 1 && f.dc.Connected() == 1 })
	f.dc.Press("77", "50", "42", asked.ID, asked.Buttons[0])
	f.posted(t, "50", "The milk is gone.")
	f.dc.Press("77", "50", "42", asked.ID, asked.Buttons[0])
	if _, sent := f.dc.Fill(use("42", ""), form, "My cat is called Moritz"); !sent {
		t.Error("no form was shown")
	}
	eventually(t, "the fact is there", func() bool { return f.open() == 0 && f.count(t, "SELECT count(*) FROM key_facts") == 1 })
	if n := f.count(t, "SELECT count(*) FROM tool_calls WHERE name = 'delete_task' AND status = 'success'"); n != 1 || tasks() != 0 {
		t.Errorf("deleted %d times", n)
	}
	id = f.dc.Interaction(use("42", "facts add"))
	f.responded(t, id)
	if _, sent := f.dc.Fill(use("42", ""), id, "My dog is called Max"); !sent {
		t.Error("no form was shown by the next process")
	}
	eventually(t, "the second fact is there", func() bool { return f.count(t, "SELECT count(*) FROM key_facts") == 2 })
}
