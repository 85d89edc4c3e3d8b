package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestPictureOfAParkedTurn: a picture that a tool gave in a turn that asks for a yes is
// delivered once, whenever the process is killed.
func TestPictureOfAParkedTurn(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_model:1", "before_finish:1", "after_finish:1", "before_send:1", "after_tool:2",
		"after_yes:1", "after_tool:3", "after_model:2", "before_finish:2"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			server := newToolServer(t)
			server.add("pay", "pays", func(context.Context, *sdk.CallToolRequest) (string, error) { return "paid", nil })
			server.AddTool(&sdk.Tool{Name: "paint", Description: "paints", InputSchema: json.RawMessage(server.schema)},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: testImage(t)}}}, nil
				})
			w := newWorld(t)
			w.uses(t, "bank", server.url, "tools:\n  policy:\n    bank__pay: {ask: always}\n    bank__paint: {ask: never}\n")
			w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
				last := r.Messages[len(r.Messages)-1]
				switch {
				case last.Role == "tool":
					return llmtest.Turn{Text: "It is done."}
				case strings.HasSuffix(last.Text(), "pay"):
					return llmtest.Turn{Calls: []llmtest.Call{{Name: "bank__paint", Args: "{}"}, {Name: "bank__pay", Args: `{"to":"mallory"}`}}}
				}
				return llmtest.Turn{Text: "I see."}
			})
			child := w.start(t, "BOT_FAILPOINT="+point)
			// No command comes first: how often one is answered would move the point.
			w.tg.Push(telegramtest.Text(11, 11, "pay"))
			early := !strings.Contains(point, "yes") && point != "after_tool:3" && point != "after_model:2" && point != "before_finish:2"
			if early {
				dies(t, child)
				child = w.start(t)
			}
			w.told(t, 11, "mallory")
			w.settled(t)
			w.tg.Push(telegramtest.Text(11, 11, "yes"))
			if !early {
				dies(t, child)
				w.start(t)
			}
			w.told(t, 11, "It is done.")
			w.settled(t)
			files := 0
			for _, m := range w.in(11) {
				if m.File != nil {
					files++
				}
			}
			if files != 1 {
				t.Errorf("%d pictures: %+v", files, w.in(11))
			}
		})
	}
}

// TestYesToAnAskInTheNextProcess: what /ask asked on Discord is done after a yes in words that
// the next process gets.
func TestYesToAnAskInTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, guild := range []string{"", "77"} {
		w, paid := banked(t)
		w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
		child := w.start(t)
		w.connected(t)
		w.shows(t, "/tools servers", "bank: up, 1 tool in use")
		w.dc.Interaction(discordtest.Use{Guild: guild, Channel: "10", User: "42", Command: "ask", Options: [][2]string{{"question", "pay"}}})
		eventually(t, "it asks", func() bool {
			for _, m := range w.dc.Sent() {
				if strings.Contains(m.Content, "mallory") {
					return true
				}
			}
			return false
		})
		w.settled(t)
		kill(child)
		w.start(t)
		w.connected(t)
		n := len(w.dc.Sent())
		yes := "yes"
		if guild != "" {
			yes = "<@9000> yes"
		}
		w.dc.Message(guild, "10", "42", yes)
		eventually(t, "it answers", func() bool { return len(w.dc.Sent()) > n && w.unfinished() == 0 })
		if len(paid) != 1 {
			t.Errorf("in %q: paid %d times: %+v", guild, len(paid), w.dc.Sent())
		}
	}
}

// TestYesToAHelpersCall: a call of a helper is made once after the yes, in the next process
// too.
func TestYesToAHelpersCall(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"asked", "after_yes:1", "after_tool:2"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			paid := make(chan string, 10)
			server := newToolServer(t)
			server.add("pay", "pays", func(_ context.Context, r *sdk.CallToolRequest) (string, error) {
				paid <- string(r.Params.Arguments)
				return "paid", nil
			})
			w := newWorld(t)
			prompt := filepath.Join(t.TempDir(), "clerk.md")
			must(t, os.WriteFile(prompt, []byte("You pay."), 0o600))
			w.uses(t, "bank", server.url, "tools:\n  policy:\n    bank__pay: {ask: always}\nsubagents:\n  - {name: clerk, description: Pays., prompt_file: "+prompt+", tools: [bank__pay]}\n")
			w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
				last := r.Messages[len(r.Messages)-1]
				switch {
				case last.Role == "tool":
					return llmtest.Turn{Text: "It is done."}
				case strings.HasSuffix(last.Text(), "pay it for me"):
					return callTool("clerk", `{"task":"pay now"}`)
				case strings.HasSuffix(last.Text(), "pay now"):
					return callTool("bank__pay", `{"to":"mallory"}`)
				}
				return llmtest.Turn{Text: "I see."}
			})
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.shows(t, "/tools servers", "bank: up, 1 tool in use")
			w.tg.Push(telegramtest.Text(11, 11, "pay it for me"))
			w.told(t, 11, "mallory")
			w.settled(t)
			if point == "asked" {
				kill(child)
				w.start(t)
			}
			n := len(w.in(11))
			w.tg.Push(telegramtest.Text(11, 11, "yes"))
			if point != "asked" {
				dies(t, child)
				w.start(t)
			}
			if said := w.sentTo(t, 11, n); !strings.Contains(said, "It is done.") {
				t.Errorf("said %s", said)
			}
			if len(paid) != 1 {
				t.Errorf("paid %d times", len(paid))
			}
		})
	}
}

// TestTwoJourneysInOneGroup: two people whose journeys ask them in one group are each heard,
// in the next process too.
func TestTwoJourneysInOneGroup(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "I see."} })
	w.env = append(w.env, "BOT_PLAYBOOK_DIR="+errands(t, "pay"))
	w.tg.AddChat(-100)
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	asked := map[int64]telegramtest.SentMessage{}
	for _, who := range []int64{11, 12} {
		n := len(w.in(-100))
		w.tg.Push(mention(who, "@parley_bot an errand"))
		eventually(t, "it asks", func() bool { return len(w.in(-100)) > n && w.unfinished() == 0 })
		asked[who] = w.in(-100)[n]
	}
	kill(child)
	w.start(t)
	w.connected(t)
	for _, who := range []int64{11, 12} {
		n := len(w.in(-100))
		w.tg.Push(w.to(telegramtest.Text(-100, who, "yes"), asked[who].ID, w.tg.BotID()))
		eventually(t, "it answers", func() bool { return len(w.in(-100)) > n && w.unfinished() == 0 })
	}
	if len(paid) != 2 {
		t.Errorf("paid %d times: %+v", len(paid), w.in(-100))
	}
}

// mention is a message to the bot in a group.
func mention(who int64, text string) telegramtest.Update {
	u := telegramtest.Text(-100, who, text)
	u.Message.Entities = []telegramtest.Entity{{Type: "mention", Offset: 0, Length: 11}}
	return u
}

// TestYesToACommandIsItsEnd: what a confirmed command did is not done again, nor read by the
// model, when the process dies before its answer is stored.
func TestYesToACommandIsItsEnd(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"/facts clear", "/forget-me"} {
		w := newWorld(t)
		child := w.start(t, "BOT_FAILPOINT=before_finish:3")
		w.saying(t, 7, 7, "/facts add I live in Aachen")
		w.saying(t, 7, 7, command)
		calls, n := len(w.llm.Requests()), len(w.in(7))
		w.tg.Push(telegramtest.Text(7, 7, "yes"))
		dies(t, child)
		w.start(t)
		said := w.sentTo(t, 7, n)
		if len(w.llm.Requests()) != calls || w.count(t, "SELECT count(*) FROM key_facts WHERE valid_to = ''") != 0 {
			t.Errorf("%s: %d calls of the model, %s", command, len(w.llm.Requests())-calls, said)
		}
		if strings.Contains(said, "yes or no") {
			t.Errorf("%s: %s", command, said)
		}
	}
}
