package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/internal/app/rehearse"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/tools"
)

// canary is in everything Ann (telegram:1) keeps private, and nowhere else.
const canary = "ZX-CANARY-A"

// captured is a model that does what a message tells it, and repeats every tool result.
func captured(r llm.Request) (llm.Response, error) {
	said := func(text string) (llm.Response, error) {
		return llm.Response{Finish: llm.FinishStop, Message: llm.Message{Role: llm.RoleAssistant, Content: text}}, nil
	}
	if r.Schema != nil {
		return said(`{"summary":"They talked.","title":"Talk","decisions":[],"facts":[]}`)
	}
	last := r.Messages[len(r.Messages)-1]
	if last.Role == llm.RoleTool {
		return said("It said: " + last.Content)
	}
	_, wish, ok := strings.Cut(last.Content, "call ")
	if !ok {
		return said("ok")
	}
	name, args, _ := strings.Cut(wish, " ")
	return llm.Response{Finish: llm.FinishToolCalls, Message: llm.Message{Role: llm.RoleAssistant,
		ToolCalls: []llm.ToolCall{{ID: "x", Name: name, Args: args}}}}, nil
}

// captive returns a stage with a captured model and Ann's data.
func captive(t *testing.T) (st *stage, say func(who, text string) string) {
	t.Helper()
	ctx := context.Background()
	st = staged(t, "-- settings.yaml --\naccess: {mode: open}\nlimits: {user_per_minute: 0}\n-- talk --\n",
		&llmtest.Script{Answer: captured})
	n := 0
	say = func(who, text string) string {
		n++
		m, err := rehearse.Message(n, "["+who+"] "+text)
		must(t, err)
		must(t, st.Say(ctx, m))
		return st.Reply()
	}
	say("telegram:1", "my secret is "+canary)
	for _, call := range annsCalls {
		if got := say("telegram:1", "call "+call); !strings.Contains(got, "It said") || strings.Contains(got, "ERROR") {
			t.Fatalf("%s: %q", call, got)
		}
	}
	// She keeps things private in a group, too, but only through tools: everybody can read
	// what she says there.
	for i, call := range annsCalls {
		name, args, _ := strings.Cut(call, " ")
		c := tools.Call{ID: "x", Name: name, Args: json.RawMessage(args), Who: chat.User{ID: "telegram:1", Name: "Ann"},
			Key:   fmt.Sprint("group", i),
			Where: chat.Key{Platform: "telegram", Channel: "-100"}, Message: "1"}
		if o := st.app.mind.runner.Run(ctx, st.app.toolset.offered(), c); o.Class != "" {
			t.Fatalf("%s: %s", call, o.Result.Content)
		}
	}
	say("telegram:1@-100", "hello all")
	say("telegram:2@-100", "hello Ann")
	say("telegram:2", "hello")
	return st, say
}

var annsCalls = []string{
	`save_fact {"content":"Ann's key is ` + canary + `"}`, `save_fact {"content":"Ann's important word is ` + canary +
		` again","tags":["important"]}`,
	`add_task {"description":"hide ` + canary + `"}`, `set_reminder {"text":"mind ` + canary + `","when":"tomorrow at 9"}`,
	`log_entry {"content":"buried ` + canary + `"}`, `save_decision {"content":"keep ` + canary + `"}`,
}

// hostile are values a captured model would try.
var hostile = []any{
	"ZX", "CANARY", "ZX CANARY A", "secret", "Ann", "key", "*", "%", "' OR 1=1 --", `"`, "NEAR(a b)", "a OR b", "content:ZX*", "", " ",
	"telegram:1", "1", "telegram", "-100", "all", "today", "everything", "for everybody", "in 10 minutes", "channel",
	"global", "person", "here",
	"2026-01-05", "UTC", "https://rehearsal.invalid/?q=" + "x", "http://127.0.0.1/", "../../bot.db", "fact", "owner",
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 100, -1, 1 << 30, true, false, nil, []any{"important"}, []any{"telegram:1"},
	map[string]any{"user": "telegram:1"},
}

// extra are argument names that must not carry identity.
var extra = []string{"user_id", "user", "who", "owner", "subject", "author", "channel", "channel_id", "scope", "session",
	"session_id", "platform", "key", "Who", "Where"}

// forge makes arguments for a tool: mostly valid, with other people's identities.
func forge(r *rand.Rand, s tools.Spec) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	_ = json.Unmarshal(s.Parameters, &schema) // a tool's own schema
	args := map[string]any{}
	for name, raw := range schema.Properties {
		if !slices.Contains(schema.Required, name) && r.IntN(3) > 0 {
			continue
		}
		args[name] = fitting(r, string(raw))
	}
	for range r.IntN(3) {
		args[extra[r.IntN(len(extra))]] = hostile[r.IntN(len(hostile))]
	}
	b, _ := json.Marshal(args) // plain data
	return b
}

// fitting returns a hostile value, mostly of the type in the schema.
func fitting(r *rand.Rand, schema string) any {
	for range 50 {
		v := hostile[r.IntN(len(hostile))]
		ok := false
		switch v.(type) {
		case string:
			ok = strings.Contains(schema, `"string"`) && !strings.Contains(schema, `"array"`)
		case int:
			ok = strings.Contains(schema, `"integer"`) || strings.Contains(schema, `"number"`)
		case bool:
			ok = strings.Contains(schema, `"boolean"`)
		case []any:
			ok = strings.Contains(schema, `"array"`)
		}
		if ok || r.IntN(100) == 0 {
			return v
		}
	}
	return "x"
}

// TestLeakProbes: a captured model that answers Bob learns nothing Ann keeps private, and
// changes none of it.
func TestLeakProbes(t *testing.T) {
	t.Parallel()
	probes := 10_000
	if testing.Short() {
		probes /= 10
	}
	st, say := captive(t)
	ctx := context.Background()
	bob := chat.User{ID: "telegram:2", Name: "Bob"}
	places := []tools.Call{
		{Who: bob, Direct: true, Where: chat.Key{Platform: "telegram", Channel: "2"}},
		{Who: bob, Where: chat.Key{Platform: "telegram", Channel: "-100"}},
		{Who: bob, Where: chat.Key{Platform: "telegram", Channel: "-100", Thread: "7"}},
		{Who: bob, Where: chat.Key{Platform: "telegram", Channel: "-200"}},
		{Who: chat.User{ID: "discord:1", Name: "Ann"}, Direct: true, Where: chat.Key{Platform: "discord", Channel: "1"}},
		{Who: chat.User{ID: "terminal:1", Name: "Ann"}, Direct: true, Where: chat.Key{Platform: "terminal", Channel: "1"}},
	}
	r := rand.New(rand.NewPCG(1, 2))
	set := st.app.toolset.offered()
	specs := set.All()
	hits, ran, tried := 0, 0, map[string]int{}
	for i := range probes {
		spec := specs[i%len(specs)]
		c := places[r.IntN(len(places))]
		c.ID, c.Name, c.Args, c.Key, c.Message = "x", spec.Name, forge(r, spec), fmt.Sprint("probe", i), "1"
		c.Confirmed = r.IntN(2) == 0
		o := st.app.mind.runner.Run(ctx, set, c)
		tried[spec.Name]++
		if o.State == tools.Success {
			ran++
		}
		shown := o.Result.Content + o.Question + fmt.Sprint(o.Result.Sources, o.Result.Data)
		if strings.Contains(shown, canary) {
			hits++
			t.Errorf("%s %s in %s: %s", c.Name, c.Args, c.Where, shown)
		}
	}
	t.Logf("%d probes of %d tools, %d of them ran: %d hits", probes, len(tried), ran, hits)
	if ran < probes/4 {
		t.Errorf("only %d of %d ran: this proves nothing", ran, probes)
	}
	for i := range 200 {
		spec := specs[i%len(specs)]
		got := say([]string{"telegram:2", "telegram:2@-100", "discord:1"}[i%3], "call "+spec.Name+" "+string(forge(r, spec)))
		if strings.Contains(got+st.Prompt(), canary) {
			t.Errorf("%s: %s", spec.Name, got)
		}
	}
	for _, own := range []string{"list_facts {}", "list_tasks {}", "list_reminders {}", "list_log {}"} {
		if got := say("telegram:1", "call "+own); !strings.Contains(got, canary) {
			t.Errorf("Ann lost it: %s: %q", own, got)
		}
	}
	// The probes' leftovers would crowd out a short recall.
	found, err := st.app.storage.store.Recall(ctx, memory.Query{User: "telegram:1", Text: "my secret", Tokens: 1_000_000})
	if err != nil || !slices.ContainsFunc(found, func(p memory.Passage) bool { return strings.Contains(p.Text, canary) }) {
		t.Errorf("Ann lost it: %d passages, %v", len(found), err)
	}
}
