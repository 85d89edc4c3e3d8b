package playbook

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/playbook/guard"
)

// Check names a guard's tool that is nearly a known one. Others may come from a server:
// naming one is no mistake.
func TestCheckKnowsToolsOfGuards(t *testing.T) {
	b := parseBook(t, `
guards:
  - {id: near, tool: delete_tsk, require: "true"}
  - {id: read, tool: delete_task, require: 'last("list_taskz").result.x == 1'}
  - {id: later, tool: shop__cancel_order, require: 'last("shop__get_order").result.open == true && args.id == "x"'}
  - {id: many, tool: "*_order|delete_task", require: "true"}
`)
	var got []string
	for _, f := range Check(b, Known{Tools: []string{"delete_task", "list_tasks"}}, nil) {
		got = append(got, f.String())
	}
	if len(got) != 2 || !strings.Contains(got[0], `:3: near: unknown tool: delete_tsk; did you mean "delete_task"?`) ||
		!strings.Contains(got[1], `:4: read: unknown tool: list_taskz; did you mean "list_tasks"?`) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestShippedGuards: the example guards load, and hold in a case each.
func TestShippedGuards(t *testing.T) {
	now := time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC)
	reservation := func(extra string) guard.Call {
		return guard.Call{Tool: "desk__get_reservation_details", Args: json.RawMessage(`{"reservation_id": "A"}`),
			Result: `{"reservation_id": "A", "user_id": "u", "cabin": "economy", "created_at": "2024-05-01T08:00:00", "flights": [{"flight_number": "H1", "date": "2024-05-20"}], ` + extra + `}`}
	}
	order := func(status string) []guard.Call {
		return []guard.Call{
			{Tool: "find_user_id_by_email", Args: json.RawMessage(`{"email": "a@b.example"}`), Result: "u"},
			{Tool: "get_order_details", Args: json.RawMessage(`{"order_id": "#1"}`), Result: `{"order_id": "#1", "user_id": "u", "status": "` +
				status + `"}`},
		}
	}
	for _, c := range []struct {
		desk, tool, args string
		past             []guard.Call
		want             guard.Ruling
	}{
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, nil, guard.Refused},
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, []guard.Call{reservation(`"insurance": "no"`)}, guard.Refused},
		{"airline", "desk__cancel_reservation", `{"reservation_id": "A"}`, []guard.Call{reservation(`"insurance": "yes"`)}, guard.Asked},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("pending"), guard.Asked},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "too dear"}`, order("pending"), guard.Refused},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("delivered"), guard.Refused},
		{"retail", "cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, order("pending")[1:], guard.Refused},
	} {
		b, err := Load("../../config/guards/"+c.desk, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found := Check(b, Known{Tools: []string{"delete_task"}}, nil); len(found) > 0 {
			t.Errorf("%s: %v", c.desk, found)
		}
		said := b.Guards().Judge(guard.Situation{Tool: c.tool, Args: json.RawMessage(c.args), Past: c.past, Now: now})
		if got := guard.Worst(said); got.Ruling != c.want {
			t.Errorf("%s %s %s: %+v, want %s", c.desk, c.tool, c.args, said, c.want)
		}
	}
}
