package replay

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/playbook/guard"
)

func guards(t *testing.T, require string) guard.Guards {
	t.Helper()
	g, err := guard.New(guard.Rule{ID: "open_only", Tool: "cancel", Require: require}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Guards{g}
}

const (
	talk = `{"role": "user", "content": "cancel it"},
		{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "get", "arguments": "{\"id\": \"1\"}"}}]},
		{"role": "tool", "tool_call_id": "a", "name": "get", "content": "{\"open\": false}"},
		{"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "cancel", "arguments": "{\"id\": \"1\"}"}}]},
		{"role": "tool", "tool_call_id": "b", "content": "done"}`
	flat = `{"role": "assistant", "content": [{"type": "text", "text": "so"}], "tool_calls": [{"id": "x", "name": "get", "arguments": {"id": "1"}}, {"id": "y", "name": "get", "arguments": {"id": "2"}}]},
		{"role": "tool", "id": "y", "content": "{\"open\": true}", "timestamp": "2026-01-02T03:04:05Z"}, {"role": "tool", "id": "x", "content": "broken", "error": true},
		{"role": "assistant", "tool_calls": [{"id": "z", "name": "cancel", "arguments": {"id": "2"}}]}`
)

// TestReadForms: the forms in which chat logs are kept.
func TestReadForms(t *testing.T) {
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for name, c := range map[string]struct {
		log  string
		want string // conversations: verdicts
	}{
		"messages": {"[" + talk + "]", "1:refused"},
		"request":  {`{"model": "m", "messages": [` + talk + `]}`, "1:refused"},
		"trajectories": {`[{"task_id": 3, "trial": 1, "traj": [` + talk + `]}, {"task_id": 4, "trial": 0, "traj": [` + flat + `]}]`,
			"3.1:refused 4.0:allowed"},
		"lines":       {line(`{"id": "x", "messages": [`+talk+`]}`) + "\n\n" + line(`{"messages": [`+flat+`]}`) + "\n", "x:refused 2:allowed"},
		"simulations": {`{"simulations": [{"id": "s1", "messages": [` + flat + `]}]}`, "s1:allowed"},
		"without ids": {"[" + strings.NewReplacer(`"tool_call_id": "a",`, "", `"tool_call_id": "b",`, "").Replace(talk) + "]", "1:refused"},
		"odd arguments": {`[{"role": "assistant", "tool_calls": [{"id": "b", "function": {"name": "cancel", "arguments": "{oh"}}]}]`,
			"1:refused"},
	} {
		list, err := Read(strings.NewReader(c.log))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		Play(guards(t, `last("get").result.open`), list, time.Now(), func(v Verdict) { got = append(got, v.Conversation+":"+string(v.Ruling)) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
	for _, bad := range []string{"", "[]", "{}", `{"a": 1}`, "hello", `[{"role": "user"`} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestTally: what failed does not count as looked up, and verdicts are counted by call.
func TestTally(t *testing.T) {
	list, err := Read(strings.NewReader("[" + flat + "," + talk + "]"))
	if err != nil {
		t.Fatal(err)
	}
	tally := Play(guards(t, `last("get", {id: args.id}).result.open`), list, time.Now(), func(Verdict) {})
	if tally.Calls != 5 || tally.Guarded != 2 || tally.Allowed != 1 || tally.Refused != 1 || tally.Undecided != 0 {
		t.Errorf("%+v", tally)
	}
	if tally := Play(guards(t, `last("get", {id: "1"}).result.open`), list[:1], time.Now(), func(Verdict) {}); tally.Undecided != 1 {
		t.Errorf("%+v", tally) // the first lookup of 1 failed
	}
}

// TestHistory: the bot's own conversations, each person's for themselves, with results as
// the tools gave them and without what failed.
func TestHistory(t *testing.T) {
	store := memorytest.Open(t, memory.Options{})
	ctx, key := context.Background(), chat.Key{Platform: "telegram", Channel: "-1"}
	se := memory.Session{ID: "s", Key: key, Status: memory.Active, Created: time.Now(), LastActivity: time.Now(),
		Expires: time.Now().Add(time.Hour)}
	say := func(user, id, tool, args, result, status string) {
		in, err := store.Accept(ctx, chat.Batch{Platform: "telegram", Messages: []chat.Message{{ID: id, Key: key,
			From: chat.User{ID: user}, Text: "x", Addressed: true, At: time.Now()}}})
		if err != nil {
			t.Fatal(err)
		}
		turn := &memory.Turn{Session: &se, Entries: []memory.Entry{
			{Role: llm.RoleUser, User: user, Content: "x", At: time.Now()},
			{Role: llm.RoleAssistant, User: user, ToolCalls: []llm.ToolCall{{ID: id, Name: tool, Args: args}}, At: time.Now()},
			{Role: llm.RoleTool, User: user, Name: tool, ToolCallID: id, Content: result, At: time.Now()},
		}, Decision: memory.Decision{Session: "s", End: chat.End{Outcome: chat.Answered}},
			Calls: []memory.CallRecord{{CallID: id, Name: tool, Arguments: args, Result: result, Status: status}}}
		if err := store.Finish(ctx, in[0], nil, turn); err != nil {
			t.Fatal(err)
		}
	}
	say("telegram:7", "1", "get", `{"id": "1"}`,
		`{"open": true}`, "success")
	say("telegram:8", "2", "cancel", `{"id": "1"}`, "done", "success")
	say("telegram:7", "3", "get", `{"id": "2"}`, "FAILED: no", "failed")
	say("telegram:7", "4", "cancel", `{"id": "1"}`, "done", "success")
	list, err := History(ctx, store, time.Now().Add(-time.Hour))
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	said := map[string]string{}
	for _, c := range list {
		Play(guards(t, `last("get").result.open`), []Conversation{c}, time.Now(),
			func(v Verdict) { said[c.Person.ID] = string(v.Ruling) + v.Lacks })
	}
	if said["telegram:7"] != "allowed" || said["telegram:8"] != "refusedthere is no earlier call of get" {
		t.Errorf("%v", said)
	}
	if list, err := History(ctx, store, time.Now().Add(time.Hour)); err != nil || len(list) != 0 {
		t.Errorf("older ones are read: %+v, %v", list, err)
	}
}
