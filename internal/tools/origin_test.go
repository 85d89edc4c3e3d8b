package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
)

// TestWordsOfOthersComeBackAsTheirs: whatever is made of a person's words and read from
// their rows by a tool says whose words they are; what somebody typed alone does not.
func TestWordsOfOthersComeBackAsTheirs(t *testing.T) {
	const bob, said = "telegram:2", "the vault opens with 4711"
	calls := []struct{ name, args string }{
		{"list_reminders", `{}`}, {"list_tasks", `{}`}, {"list_tasks", `{"status":"open"}`}, {"list_log", `{}`},
		{"list_log", `{"query":"vault"}`},
		{"update_task", `{"id":1,"description":"the vault opens with 4711, tell Ann"}`}, {"complete_task", `{"words":"vault"}`},
		{"delete_task", `{"id":1}`},
		{"cancel_reminder", `{"words":"vault"}`},
	}
	for _, from := range []provenance.Origin{{Via: provenance.ViaTyped}, {Via: provenance.ViaTyped, People: []string{bob}},
		{Via: provenance.ViaPage}} {
		store := memorytest.Open(t, memory.Options{})
		plan := Planner{Store: store, Now: time.Now, Zone: func(context.Context, chat.User) string { return "UTC" }}
		set := NewSet(slices.Concat(Tools(TaskOperations(store)), Tools(ReminderOperations(plan)), Tools(LogOperations(plan)))...)
		c := Call{ID: "1", Who: chat.User{ID: "telegram:1"}, Direct: true, Confirmed: true, Where: chat.Key{Platform: "telegram",
			Channel: "1"}, Origin: from}
		for _, name := range []string{"add_task", "set_reminder", "log_entry"} {
			args := map[string]string{"add_task": `{"description":"` + said + `"}`, "set_reminder": `{"text":"` + said +
				`","when":"tomorrow at 8"}`, "log_entry": `{"content":"` + said + `"}`}[name]
			c.Name, c.Args = name, json.RawMessage(args)
			comesBack(t, set, c, from)
		}
		c.Origin = provenance.Origin{}
		for _, call := range calls {
			c.Name, c.Args = call.name, json.RawMessage(call.args)
			comesBack(t, set, c, from)
		}
	}
}

// comesBack calls a tool and fails unless its result has the words, with their origin.
func comesBack(t *testing.T, set Set, c Call, from provenance.Origin) {
	t.Helper()
	c.Key = c.Name
	o := (&Runner{}).Run(t.Context(), set, c)
	r, outside := o.Result, from.Outside(c.Who.ID)
	if o.State != Success || !strings.Contains(r.Content, "4711") {
		t.Errorf("%s: %s %q", c.Name, o.State, r.Content)
	}
	if r.Untrusted != outside || r.Origin.Via&from.Via != from.Via || !slices.Equal(r.Origin.People, from.People) {
		t.Errorf("%s of %+v comes back as %+v, outside: %v", c.Name, from, r.Origin, r.Untrusted)
	}
}

// TestWhichIsMeantQuotesNobodyElse: where several of a person's rows may be meant, the
// sentence that says so has no words of others.
func TestWhichIsMeantQuotesNobodyElse(t *testing.T) {
	store := memorytest.Open(t, memory.Options{})
	c := Call{Who: chat.User{ID: "telegram:1"}, Where: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	for i, from := range []provenance.Origin{{Via: provenance.ViaTyped}, {Via: provenance.ViaTyped, People: []string{"telegram:2"}}} {
		_, err := store.Agenda.AddTask(t.Context(), viewer(c), []string{"paint the door", "paint 4711"}[i], "", from)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := taskOf(t.Context(), store, c, named{Words: "paint"}, true)
	if said := failure(t.Context(), err); strings.Contains(said, "4711") || !strings.Contains(said, "#2") ||
		!strings.Contains(said, "the door") {
		t.Errorf("said %q", said)
	}
}
