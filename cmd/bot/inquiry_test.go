package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// shop is a tool server that asks people before it does anything, and tells how far it
// is. heard are the answers it got.
func shop(t *testing.T) (server toolServer, heard chan string, goOn chan struct{}) {
	t.Helper()
	server, heard, goOn = newToolServer(t), make(chan string, 10), make(chan struct{})
	server.reads("order", "order", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which size?", RequestedSchema: json.RawMessage(
			`{"type":"object","required":["size"],"properties":{"size":{"type":"string","enum":["small","large"]},"when":{"type":"string","format":"date"}}}`)})
		if err == nil {
			b, _ := json.Marshal(got)
			heard <- string(b)
		}
		return "done", err
	})
	server.reads("work", "work", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(),
			Progress: 1, Total: 4, Message: "reading CANARY"})
		<-goOn
		return "done", err
	})
	return server, heard, goOn
}

// curious is a bot with such a server, whose model calls the tool it is told.
func curious(t *testing.T, env ...string) (*world, chan string, chan struct{}) {
	w := newWorld(t, env...)
	server, heard, goOn := shop(t)
	w.uses(t, "shop", server.url, "      read_only: true\n")
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		if last.Role == "tool" {
			return llmtest.Turn{Text: "It said: " + last.Text()}
		}
		return llmtest.Turn{Calls: []llmtest.Call{{Name: "shop__" + strings.TrimSpace(last.Text()[strings.LastIndex(last.Text(), " ")+1:]),
			Args: "{}"}}}
	})
	w.run(t)
	w.shows(t, "/tools servers", "shop: up, 2 tools in use")
	return w, heard, goOn
}

// A tool server asks something through the chat: by buttons and in words, and
// only the person whose call it is.
func TestServerAsksInTheChat(t *testing.T) {
	t.Parallel()
	w, heard, _ := curious(t)
	got := w.say(t, 1, "please order")
	for _, want := range []string{"shop asks you: Which size?", "1 of 2: size", "1. small", "Do not send passwords"} {
		if !strings.Contains(got, want) {
			t.Fatalf("asked %q, lacks %q", got, want)
		}
	}
	if got := w.say(t, 1, "no"); !strings.Contains(got, "It said:") || !strings.Contains(<-heard, `"decline"`) {
		t.Errorf("declined: %q", got)
	}
	w.say(t, 1, "please order")
	asked := w.tg.Sent()[len(w.tg.Sent())-1]
	large := asked.Buttons[1][0]
	if large.Text != "large" {
		t.Fatalf("buttons %+v", asked.Buttons)
	}
	n := len(w.tg.Sent())
	w.tg.Push(telegramtest.Press(1, 2, asked.ID, "press1", large.Data))
	w.tg.Push(telegramtest.Press(1, 1, asked.ID, "press2", large.Data))
	if got := w.sent(t, n+1)[n]; !strings.Contains(got, "2 of 2: when") {
		t.Errorf("then asked %q", got)
	}
	if got := w.say(t, 1, "tomorrow"); !strings.Contains(got, "I need a date such as") {
		t.Errorf("no date: %q", got)
	}
	if got := w.say(t, 1, "2026-12-24"); !strings.Contains(got, "It said:") {
		t.Errorf("at last: %q", got)
	}
	if got := <-heard; !strings.Contains(got, `"content":{"size":"large","when":"2026-12-24"}`) {
		t.Errorf("the server heard %s", got)
	}
}

// A restart ends what a server asks: the server and the person hear so.
func TestServerAsksBeforeARestart(t *testing.T) {
	t.Parallel()
	w, heard, _ := curious(t)
	w.say(t, 1, "please order")
	must(t, w.stop())
	w.run(t)
	w.shows(t, "/tools servers", "shop: up, 2 tools in use")
	if got := w.say(t, 1, "small"); !strings.Contains(got, "question was lost, because I was restarted") {
		t.Errorf("said %q", got)
	}
	if len(heard) > 0 && strings.Contains(<-heard, "accept") {
		t.Error("the server heard an answer")
	}
}

// How far a tool is shows while it runs, and is no part of the answer.
func TestProgressOfAServerShowsInTheChat(t *testing.T) {
	t.Parallel()
	w, _, goOn := curious(t)
	n := len(w.tg.Sent())
	w.tg.Push(telegramtest.Text(1, 1, "please work"))
	shown := func() bool {
		for _, c := range append(w.tg.Calls("sendMessageDraft"), w.tg.Calls("editMessageText")...) {
			if strings.Contains(c.Fields["text"], "shop: reading CANARY (25 %)") {
				return true
			}
		}
		return false
	}
	eventually(t, "the progress", shown)
	close(goOn)
	if got := w.sent(t, n+1)[n]; !strings.Contains(got, "It said:") || strings.Contains(got, "CANARY") {
		t.Errorf("answered %q", got)
	}
}
