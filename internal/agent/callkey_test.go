package agent

import (
	"context"
	"testing"

	"parley/internal/chat"
	"parley/internal/tools"
)

// Two messages in the same row, of a database that lost the first one, and the
// same call of the same model: what the second one does is done, and not taken
// for what the first one did.
func TestCallsAreKnownByTheirMessageNotByItsRow(t *testing.T) {
	var keys []string
	noting := tools.Func(tools.Meta{Name: "add", Description: "adds", Category: tools.Task, SideEffect: true, Core: true},
		func(_ context.Context, c tools.Call, a addArgs) (tools.Result, error) {
			keys = append(keys, c.Key)
			return tools.Result{Content: "added " + a.Text}, nil
		})
	b := newBench(t, Options{}, noting)
	m := chat.Message{ID: "1", Row: 1, Key: annAlone.Key, From: chat.User{ID: "telegram:7", Name: "Ann"},
		Text: "add milk", Direct: true, Addressed: true}
	for _, uid := range []string{"first", "second", "first", "", ""} {
		m.UID = uid
		b.model.Call(call("call_1_0", "add", `{"text":"milk"}`)).Say("Done.")
		if _, err := b.Handle(t.Context(), m, nobody{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) != 5 || keys[0] == keys[1] || keys[0] != keys[2] || keys[3] == keys[4] || keys[3] == "" {
		t.Errorf("the calls are known as %q", keys)
	}
}
