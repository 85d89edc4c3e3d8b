package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/llm/llmtest"
)

// onDiscord adds Discord to what the bot serves.
func (w *world) onDiscord() *world {
	w.env = append(w.env, "BOT_DISCORD_TOKEN="+discordtest.Token, "BOT_DISCORD_API_URL="+w.dc.URL())
	return w
}

// connected waits until the bot is past READY: what is said on Discord before its
// first session nobody repeats.
func (w *world) connected(t testing.TB) {
	t.Helper()
	if !w.dc.Wait(time.Minute, func() bool { return w.dc.Connected() > 0 }) {
		t.Fatal("the bot did not connect to Discord")
	}
}

// serve starts the bot in this process and waits until Discord is connected.
func (w *world) serve(t testing.TB) {
	t.Helper()
	w.run(t)
	w.connected(t)
}

func (w *world) discordSent(t *testing.T, n int) []discordtest.Message {
	t.Helper()
	if !w.dc.Wait(time.Minute, func() bool { return len(w.dc.Sent()) >= n }) {
		t.Fatalf("%d of %d messages were sent", len(w.dc.Sent()), n)
	}
	return w.dc.Sent()
}

// responded waits for the first answer to an interaction.
func (w *world) responded(t *testing.T, id string) discordtest.Response {
	t.Helper()
	if !w.dc.Wait(time.Minute, func() bool { _, ok := w.dc.Responded(id); return ok }) {
		t.Fatal("the interaction was not answered")
	}
	r, _ := w.dc.Responded(id)
	return r
}

// TestDiscordCommands: what is registered, what is completed for whom, and
// whose eyes an answer is for.
func TestDiscordCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=discord:1", "BOT_HANDOFF_DESK=discord:50").onDiscord()
	w.serve(t)
	w.say(t, 42, "/handoff")
	w.posted(t, "50", "telegram:42")
	if !w.dc.Wait(time.Minute, func() bool { return len(w.dc.Commands()) > 0 }) {
		t.Fatal("no commands were registered") // or Discord would refuse them
	}
	suggests := map[string]bool{}
	for _, c := range w.dc.Commands() {
		for _, v := range c.Options {
			suggests[c.Name+" "+v.Name] = v.Suggests || len(v.Options) > 0 && v.Options[0].Suggests
		}
	}
	if !suggests["tools enable"] || !suggests["help command"] || !suggests["pair revoke"] || suggests["session info"] {
		t.Errorf("completed are %v", suggests)
	}
	type use struct{ user, command, option, typed, want string }
	for _, u := range []use{
		{"1", "tools enable", "name", "web_f", "web_fetch"},
		{"1", "tools enable", "name", "nothing", ""},
		{"42", "tools enable", "name", "web_f", ""}, // not for them
		{"9", "handoff take", "number", "", "1 – User 42"},
		{"1", "tools enable", "nothing", "web_f", ""},
		{"1", "nothing", "name", "web_f", ""},
	} {
		r := w.responded(t, w.dc.Typing(discordtest.Use{Guild: "77", Channel: "50", User: u.user, Command: u.command,
			Options: [][2]string{{u.option, u.typed}}}))
		if got := strings.Join(r.Names(), " "); r.Type != 8 || got != u.want {
			t.Errorf("%+v: offered %q", u, got)
		}
	}
	for command, private := range map[string]bool{
		"status": false, "session info": false, "facts list": true,
		"session list": true, "session end": true, "tools list": true, // the last two are denied
	} {
		r := w.responded(t, w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: command}))
		if r.Type != 5 || r.Private() != private {
			t.Errorf("/%s by a member: private %v", command, r.Private())
		}
	}
	if r := w.responded(t, w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "1", Command: "tools list"})); r.Private() {
		t.Error("/tools list by the owner is private")
	}
	sent := w.discordSent(t, 8)
	denied := 0
	for _, m := range sent {
		if strings.Contains(m.Content, "for the administrators") || strings.Contains(m.Content, "for my owner") {
			denied++
		}
	}
	if denied != 2 {
		t.Errorf("%d denials in %+v", denied, sent)
	}
}

// TestDiscordMenu: a long list is a menu, and what is chosen runs as whoever
// chose it.
func TestDiscordMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=discord:1").onDiscord()
	w.serve(t)
	w.dc.Message("77", "50", "1", "<@9000> /tools disable")
	list := w.discordSent(t, 1)[0]
	if !slices.Contains(list.Menu, "/tools disable add_task") || len(list.Buttons) > 0 {
		t.Fatalf("offered %+v", list)
	}
	here := discordtest.Use{Guild: "77", Channel: "50", User: "42"}
	w.dc.Choose(here, list.ID, "/tools disable add_task")
	if got := w.discordSent(t, 2)[1].Content; !strings.Contains(got, "for my owner") {
		t.Errorf("a member chose: %q", got)
	}
	here.User = "1"
	w.dc.Choose(here, list.ID, "/tools disable add_task")
	if got := w.discordSent(t, 3)[2].Content; !strings.Contains(got, "I will not use add_task") {
		t.Errorf("the owner chose: %q", got)
	}
	w.dc.Message("77", "50", "1", "<@9000> /debug")
	if short := w.discordSent(t, 4)[3]; !slices.Equal(short.Buttons, []string{"/debug on", "/debug off"}) || len(short.Menu) > 0 {
		t.Errorf("a short list: %+v", short)
	}
}

// TestDiscordSlowCommand: a command that takes its time is
// acknowledged first and answered in the same place later.
func TestDiscordSlowCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_SESSION_CONTROL=everyone").onDiscord()
	held := make(chan struct{})
	w.llm.Structured(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Held: held, Text: `{"summary":"They talked of tea.","title":"Tea","decisions":[],"facts":[]}`}
	})
	w.serve(t)
	w.dc.Message("77", "50", "42", "<@9000> I like tea")
	w.discordSent(t, 1)
	id := w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "summarize"})
	w.responded(t, id)
	close(held)
	answer := w.discordSent(t, 2)[1]
	if !strings.Contains(answer.Content, "tea") || answer.Interaction != "tok"+id {
		t.Errorf("answered %+v", answer)
	}
}

// TestDiscordChannelForAdmins: whom the channel's policy leaves out reads so
// alone, each time, and is completed nothing.
func TestDiscordChannelForAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=discord:1").onDiscord()
	w.serve(t)
	use := discordtest.Use{Guild: "77", Channel: "50", User: "1", Command: "config who", Options: [][2]string{{"people", "admins"}}}
	w.dc.Interaction(use)
	w.discordSent(t, 1)
	use.User, use.Command, use.Options = "42", "status", nil
	for i := range 2 {
		r := w.responded(t, w.dc.Interaction(use))
		if got := w.discordSent(t, 2+i)[1+i].Content; !r.Private() || !strings.Contains(got, "only answer its administrators") {
			t.Errorf("a member reads %q, private %v", got, r.Private())
		}
	}
	w.dc.Message("77", "50", "42", "<@9000> hi") // in the channel, where everybody reads
	typed := use
	typed.Command, typed.Options = "help", [][2]string{{"command", "st"}}
	if names := w.responded(t, w.dc.Typing(typed)).Names(); len(names) != 0 {
		t.Errorf("a member is completed %v", names)
	}
	use.Permissions = 8
	if r := w.responded(t, w.dc.Interaction(use)); r.Private() {
		t.Error("an administrator's answer is private")
	}
	w.dc.Guild("77", "43", nil)
	w.dc.Dispatch("GUILD_UPDATE", map[string]any{"id": "77"})
	w.dc.Message("77", "50", "43", "<@9000> hello from the server's owner")
	eventually(t, "an administrator's message is answered", func() bool {
		return slices.ContainsFunc(w.dc.Sent(), func(m discordtest.Message) bool { return strings.Contains(m.Content, "server's owner") })
	})
}

// TestCompanyIsNotPrivate: outside of servers there are chats
// with others in them, too, to which somebody can bring the bot along.
func TestCompanyIsNotPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.serve(t)
	for _, company := range []bool{false, true} {
		n := len(w.llm.Requests())
		w.dc.Interaction(discordtest.Use{Channel: "60", User: "42", Command: "ask", Options: [][2]string{{"question", "who am I?"}},
			Company: company})
		eventually(t, "the question", func() bool { return len(w.llm.Requests()) > n })
		if alone := strings.Contains(string(w.llm.Requests()[n].Raw), "talking privately"); alone == company {
			t.Errorf("with others %v: talking privately %v", company, alone)
		}
	}
}
