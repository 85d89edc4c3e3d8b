package guards

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/playbook/guard"
	"parley/internal/tools"
)

func turn(t *testing.T, r guard.Rule, schema string) *Turn {
	t.Helper()
	g, err := guard.New(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(Case{
		Guards: guard.Guards{g}, Now: time.Now, Role: func(context.Context) string { return "member" },
		Past:      func(context.Context) ([]memory.Precedent, error) { return nil, nil },
		Variables: func(context.Context) (map[string]any, error) { return nil, nil },
		Schema: func(tool string) []byte {
			if schema == "" || tool != "shop__cancel" {
				return nil
			}
			return []byte(schema)
		},
	})
}

// TestLateSchema: the tool of a server was not known when its guard was loaded. A name
// that it does not have is told once its schema is there.
func TestLateSchema(t *testing.T) {
	rule := guard.Rule{ID: "g", Tool: "shop__cancel", Require: `args.order_idd == "x"`}
	c := tools.Call{Name: "shop__cancel", Args: json.RawMessage(`{"order_id": "x"}`)}
	for schema, want := range map[string]string{
		"": "args.order_idd is missing",
		`{"type": "object", "properties": {"order_id": {"type": "string"}}}`: `did you mean "order_id"?`,
	} {
		class, say := turn(t, rule, schema).Rule(t.Context(), c)
		if class != tools.Guarded || !strings.Contains(say, want) {
			t.Errorf("%s: %s %q, want %q", schema, class, say, want)
		}
	}
}

// TestUnreadable: where a guard cannot look back, the call is not made.
func TestUnreadable(t *testing.T) {
	u := turn(t, guard.Rule{ID: "g", Tool: "shop__cancel", Require: "true"}, "")
	u.c.Past = func(context.Context) ([]memory.Precedent, error) { return nil, errors.New("disk") }
	if class, _ := u.Rule(t.Context(), tools.Call{Name: "shop__cancel", Args: json.RawMessage(`{}`)}); class != tools.Guarded {
		t.Errorf("ruled %q", class)
	}
	if class, _ := u.Rule(t.Context(), tools.Call{Name: "other"}); class != "" {
		t.Errorf("a call that no guard is about is ruled %q", class)
	}
	var none *Turn
	if class, _ := none.Rule(t.Context(), tools.Call{Name: "other"}); class != "" || none.Precedents() != nil {
		t.Error("no guards rule")
	}
}

// TestHeard: only what guards read is kept, only what succeeded, and only as much as
// they may see.
func TestHeard(t *testing.T) {
	u := turn(t, guard.Rule{ID: "g", Tool: "shop__cancel", Require: `last("shop__get").result.open`}, "")
	ok := tools.Outcome{State: tools.Success, Args: json.RawMessage(`{}`), Result: tools.Result{JSON: json.RawMessage(`{"open": true}`)}}
	u.Heard(tools.Call{Name: "other"}, ok, nil)
	u.Heard(tools.Call{Name: "shop__get"}, tools.Outcome{State: tools.Failed}, nil)
	if got := u.Precedents(); len(got) != 0 {
		t.Fatalf("kept %+v", got)
	}
	u.Heard(tools.Call{Name: "shop__get"}, ok, nil)
	if class, say := u.Rule(t.Context(), tools.Call{Name: "shop__cancel", Args: json.RawMessage(`{}`)}); class != "" {
		t.Errorf("ruled %q: %s", class, say)
	}
	ok.Result = tools.Result{Content: "the beginning", Cut: true}
	u.Heard(tools.Call{Name: "shop__get"}, ok, nil)
	if got := u.Precedents(); len(got) != 2 || got[1].Result != "" {
		t.Errorf("a result of %d bytes is kept", len(got[1].Result))
	}
	ruled, why := u.Told()
	if len(ruled) != 1 || len(why) != 1 || ruled[0].Ruling != string(guard.Allowed) {
		t.Errorf("told %+v, %v", ruled, why)
	}
}
