package routing

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"parley/internal/chat"
)

// book says that telegram:chat:-1005 was -5.
func book(k chat.Key) chat.Address {
	a := chat.Unmoved(k)
	if k.Channel == "-1005" {
		a.Former = []chat.Key{{Platform: k.Platform, Channel: "-5", Thread: k.Thread}}
	}
	return a
}

// rows keeps values as the store does.
type rows map[string]string

func (r rows) Setting(_ context.Context, name string) (string, error) { return r[name], nil }
func (r rows) SetSetting(_ context.Context, name, value string) error {
	r[name] = value
	return nil
}

func open(t *testing.T, kept rows, agents ...Agent) *Roster {
	t.Helper()
	r, err := Open(t.Context(), kept, book, time.Now, agents)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func in(channel, thread, guild string) chat.Message {
	return chat.Message{Key: chat.Key{Platform: "discord", Channel: channel, Thread: thread}, Guild: guild, From: chat.User{ID: "discord:1"}}
}

func alone(user string) chat.Message {
	return chat.Message{Key: chat.Key{Platform: "discord", Channel: "777"}, From: chat.User{ID: user}, Direct: true}
}

// The closest place decides, whoever bound it; at one place the chat wins.
func TestTheClosestPlaceDecides(t *testing.T) {
	kept := rows{}
	r := open(t, kept,
		Agent{Name: "desk", Places: []string{"discord:guild:9", "discord:chat:5/6"}},
		Agent{Name: "lab", Places: []string{"discord:chat:5", "discord:2"}},
		Agent{Name: "home", Places: []string{Everywhere}})
	expect := func(step string, want map[string]string) {
		t.Helper()
		for where, m := range map[string]chat.Message{
			"server": in("4", "", "9"), "channel": in("5", "", "9"), "thread": in("5", "6", "9"), "another thread": in("5", "7", "9"),
			"elsewhere": in("4", "", "8"), "mine": alone("discord:1"), "hers": alone("discord:2"),
			"a channel of that number": in("2", "", ""), "a telegram chat": {Key: chat.Key{Platform: "telegram", Channel: "5"}},
		} {
			if name := r.At(m).Agent; name != want[where] {
				t.Errorf("%s, %s: %q answers, want %q", step, where, name, want[where])
			}
		}
	}
	want := map[string]string{"server": "desk", "channel": "lab", "thread": "desk", "another thread": "lab",
		"elsewhere": "home", "mine": "home",
		"hers": "lab", "a channel of that number": "home", "a telegram chat": "home"}
	expect("as set", want)
	for place, name := range map[string]string{"discord:guild:9": "home", "discord:chat:5": "desk", "discord:1": "lab"} {
		if err := r.Bind(t.Context(), place, name, "discord:1"); err != nil {
			t.Fatal(err)
		}
	}
	want["server"], want["channel"], want["another thread"], want["mine"] = "home", "desk", "desk", "lab"
	expect("bound", want)
	r = open(t, kept, r.all.Load().agents...)
	expect("after a restart", want)
	if a := r.At(in("5", "", "9")); a.Chat == nil || a.Chat.By != "discord:1" || a.Instead != "lab" || a.Place != "discord:chat:5" {
		t.Errorf("it says %+v", a)
	}
	if got := r.Given("desk"); !slices.Equal(got, []string{"discord:chat:5"}) {
		t.Errorf("desk was given %v", got)
	}
	if ok, err := r.Unbind(t.Context(), "discord:chat:5"); !ok || err != nil {
		t.Error(ok, err)
	}
	want["channel"], want["another thread"] = "lab", "lab"
	expect("unbound", want)
	if err := r.Bind(t.Context(), "discord:chat:5", "nobody", "discord:1"); !errors.Is(err, ErrNobody) {
		t.Errorf("bound to nobody: %v", err)
	}
}

// A place bound to an agent that is no more is the settings' again until it is back.
func TestAnAgentThatIsGone(t *testing.T) {
	kept := rows{}
	desk, home := Agent{Name: "desk"}, Agent{Name: "home", Places: []string{Everywhere}}
	r := open(t, kept, desk, home)
	if err := r.Bind(t.Context(), "discord:chat:5", "desk", "discord:1"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		agents []Agent
		want   string
		lost   int
	}{{[]Agent{home}, "home", 1}, {nil, "", 0}, {[]Agent{home, desk}, "desk", 0}} {
		if err := r.Set(t.Context(), step.agents); err != nil {
			t.Fatal(err)
		}
		if got := r.At(in("5", "", "")).Agent; got != step.want || len(r.Lost()) != step.lost {
			t.Errorf("with %v %q answers, and %v are lost", step.agents, got, r.Lost())
		}
	}
}

// Whatever the owner does to the settings, no agent gets the memory of another: it
// is that of a name, and what was there before agents stays with who took it over.
func TestMemoryStaysWithItsAgent(t *testing.T) {
	kept := rows{}
	was := map[string]string{} // memory -> agent
	r := open(t, kept)
	if m := r.Of(in("5", "", "")); m.Agent != (chat.Agent{}) || len(kept) != 0 {
		t.Fatalf("without agents it is %+v, and %v is kept", m.Agent, kept)
	}
	for _, agents := range [][]Agent{
		{{Name: "home", Places: []string{Everywhere}}, {Name: "desk"}},
		{{Name: "home"}, {Name: "desk", Places: []string{Everywhere}}},  // the other answers everywhere now
		{{Name: "house", Places: []string{Everywhere}}, {Name: "desk"}}, // renamed
		{{Name: "home"}, {Name: "desk"}},                                // the bot's own agent answers elsewhere
	} {
		if err := r.Set(t.Context(), agents); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(r.Names(), Nobody) {
			a, err := r.Memory(name)
			if err != nil {
				t.Fatal(err)
			}
			if before, ok := was[a.ID]; ok && before != name {
				t.Errorf("with %v, %q reads what was said to %q", agents, name, before)
			}
			was[a.ID] = name
			if back, ok := r.Name(a.ID); !ok || back != name {
				t.Errorf("the memory of %q is said to be %q's", name, back)
			}
		}
	}
	if was[""] != "home" {
		t.Errorf("what was there before went to %q", was[""])
	}
}

// Facts about people are shared among those that say so, in both directions only.
func TestKin(t *testing.T) {
	r := open(t, rows{}, Agent{Name: "home", Places: []string{Everywhere}, Share: true}, Agent{Name: "desk", Share: true}, Agent{Name: "lab"})
	for name, want := range map[string]string{"home": `["","desk"]`, "desk": `["","desk"]`, "lab": "", Nobody: ""} {
		if a, err := r.Memory(name); err != nil || a.Kin != want {
			t.Errorf("%s shares with %q, want %q (%v)", name, a.Kin, want, err)
		}
	}
}

// TestAPlaceWithAnotherName: a group that became a supergroup is the place that the
// settings and chats named; what was bound in the chat wins, under whichever name.
func TestAPlaceWithAnotherName(t *testing.T) {
	at := func(thread string) chat.Message {
		return chat.Message{Key: chat.Key{Platform: "telegram", Channel: "-1005", Thread: thread}, From: chat.User{ID: "telegram:1"}}
	}
	kept := rows{}
	r := open(t, kept, Agent{Name: "desk", Places: []string{"telegram:chat:-5"}}, Agent{Name: "lab", Places: []string{"telegram:chat:-5/7"}},
		Agent{Name: "other"}, Agent{Name: "home", Places: []string{Everywhere}})
	expect := func(step, channel, thread string) {
		t.Helper()
		if a, b := r.At(at("")).Agent, r.At(at("7")).Agent; a != channel || b != thread {
			t.Errorf("%s: %s and %s answer, want %s and %s", step, a, b, channel, thread)
		}
	}
	expect("by the settings", "desk", "lab")
	for _, place := range []string{"telegram:chat:-5", "telegram:chat:-1005"} {
		if err := r.Bind(t.Context(), place, "other", "telegram:1"); err != nil {
			t.Fatal(err)
		}
		expect("bound to "+place, "other", "lab")
		if ok, err := r.Unbind(t.Context(), place); !ok || err != nil {
			t.Fatal(ok, err)
		}
		expect("left to the settings", "desk", "lab")
	}
}
