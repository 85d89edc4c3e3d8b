package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// hinted adds tools with the annotations given, nil for none, and counts their calls.
func (s toolServer) hinted(list map[string]*sdk.ToolAnnotations) (count func(name string) int) {
	var mu sync.Mutex // guards made
	made := map[string]int{}
	for name, said := range list {
		s.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(s.schema), Annotations: said},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				mu.Lock()
				defer mu.Unlock()
				made[name]++
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "did " + name}}}, nil
			})
	}
	return func(name string) int {
		mu.Lock()
		defer mu.Unlock()
		return made[name]
	}
}

// shopTools are those of a server that says little: it adds without harm, or says nothing.
func shopTools() map[string]*sdk.ToolAnnotations {
	no, yes := false, true
	return map[string]*sdk.ToolAnnotations{
		"get_order": nil, "list_orders": nil, "pay": nil, "cancel_get": nil,
		"note": {DestructiveHint: &no, OpenWorldHint: &no},
		"drop": {DestructiveHint: &yes, OpenWorldHint: &no},
		"mail": {DestructiveHint: &no, OpenWorldHint: &yes},
		"half": {DestructiveHint: &no}, // the protocol says that it reaches out
		"firm": {DestructiveHint: &no, OpenWorldHint: &no},
	}
}

// TestAllowedForThisTask: with one yes for the task, a server is asked and told on without
// further questions, but for what may delete, reach out or pay, an address that nobody named,
// and what the owner wants asked each time. /why tells, and the next task asks anew.
func TestAllowedForThisTask(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"words", "button"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			shop := newToolServer(t)
			shop.schema = `{"type":"object","properties":{"x":{"type":"string"}}}`
			count := shop.hinted(shopTools())
			w := newWorld(t)
			w.uses(t, "shop", shop.url, "tools:\n  policy:\n    - {name: shop__firm, ask: always, who: everyone}\n    - {name: \"*\", who: everyone}\n")
			w.run(t)
			w.shows(t, "/tools servers", "shop: up")
			w.llm.Queue(callTool("shop__get_order", `{}`), callTool("shop__list_orders", `{}`), callTool("shop__note", `{"x":"a"}`),
				callTool("shop__note", `{"x":"b"}`))
			for _, asked := range []string{"pay", "drop", "mail", "half", "firm", "cancel_get"} {
				w.llm.Queue(callTool("shop__"+asked, `{}`))
			}
			w.llm.Queue(callTool("shop__get_order", `{"x":"https://evil.example/?q=1"}`), llmtest.Turn{Text: "All of it."})
			if got := w.say(t, 1, "do all of it"); !strings.Contains(got, "yes, for this task") || !strings.Contains(got, "shop") {
				t.Fatalf("asked %q", got)
			}
			if how == "words" {
				w.tg.Push(telegramtest.Text(1, 1, "Yes, for this task!"))
			} else {
				last := w.tg.Sent()[len(w.tg.Sent())-1]
				if last.Buttons[1][0].Text != "Allow for this task" {
					t.Fatalf("buttons %v", last.Buttons)
				}
				w.tg.Push(telegramtest.Press(1, 1, last.ID, "p", last.Buttons[1][0].Data))
			}
			for _, asked := range []string{"pay", "drop", "mail", "half", "firm", "cancel get", "evil.example"} {
				eventually(t, asked+" is asked about", func() bool {
					sent := w.tg.Sent()
					last := sent[len(sent)-1]
					return len(last.Buttons) > 0 && strings.Contains(strings.ReplaceAll(last.Text, "_", " "), asked)
				})
				if last := w.tg.Sent()[len(w.tg.Sent())-1]; strings.Contains(fmt.Sprint(last.Buttons), "for this task") {
					t.Errorf("%s may be allowed: %v", asked, last.Buttons)
				}
				w.settled(t)
				w.tg.Push(telegramtest.Text(1, 1, "yes"))
			}
			w.told(t, 1, "All of it.")
			if count("note") != 2 || count("list_orders") != 1 || count("pay") != 1 || count("get_order") != 2 {
				t.Errorf("%d notes, %d lists, %d payments, %d orders", count("note"), count("list_orders"), count("pay"), count("get_order"))
			}
			if why := w.say(t, 1, "/why"); !strings.Contains(why, "you allowed “shop” for this task") {
				t.Errorf("/why says %q", why)
			}
			w.llm.Queue(callTool("shop__list_orders", `{}`), llmtest.Turn{Text: "Listed."})
			if got := w.say(t, 1, "list them again"); strings.Contains(got, "Listed.") || count("list_orders") != 1 {
				t.Errorf("the next task is allowed: %q", got)
			}
		})
	}
}

// TestAllowedForThisTaskAndKilled: the yes for the task outlives the process, and what was
// begun because of it is not done twice.
func TestAllowedForThisTaskAndKilled(t *testing.T) {
	t.Parallel()
	notes := map[string]int{"after_yes:1": 2, "after_tool:3": 2, "after_model:3": 1} // an answer that is lost is not in the queue again
	for point, want := range notes {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			shop := newToolServer(t)
			shop.schema = `{"type":"object","properties":{"x":{"type":"string"}}}`
			count := shop.hinted(shopTools())
			w := newWorld(t)
			w.uses(t, "shop", shop.url, "")
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.shows(t, "/tools servers", "shop: up")
			w.llm.Queue(callTool("shop__get_order", `{}`), callTool("shop__note", `{"x":"a"}`), callTool("shop__note", `{"x":"b"}`),
				callTool("shop__pay", `{}`), llmtest.Turn{Text: "Paid."})
			w.tg.Push(telegramtest.Text(1, 1, "note and pay it"))
			w.told(t, 1, "“get_order”")
			w.tg.Push(telegramtest.Text(1, 1, "yes, for this task"))
			dies(t, child)
			child = w.start(t)
			defer kill(child)
			eventually(t, "pay is asked about", func() bool { return strings.Contains(w.texts(1), "“pay”") })
			if n := strings.Count(w.texts(1), "“note”"); n != 0 {
				t.Errorf("notes are asked about: %s", w.texts(1))
			}
			w.settled(t)
			w.tg.Push(telegramtest.Text(1, 1, "yes"))
			w.told(t, 1, "Paid.")
			if count("note") != want || count("pay") != 1 || count("get_order") != 1 {
				t.Errorf("%d notes, %d payments, %d orders", count("note"), count("pay"), count("get_order"))
			}
		})
	}
}
