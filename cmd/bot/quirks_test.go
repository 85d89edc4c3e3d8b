package main

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestModelWithoutTools talks with a model that takes no tools and no system
// message: the message that teaches it is answered, its calls in words are run
// and never shown, and a bot that is started again knows it at once.
func TestModelWithoutTools(t *testing.T) {
	w := newWorld(t)
	w.llm.Queue(
		llmtest.Turn{Status: 400,
			Body: `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`},
		llmtest.Turn{Status: 500, Body: `{"error":{"code":500,"message":"System role not supported","type":"server_error"}}`},
		llmtest.Turn{Text: "```json\n{\"name\": \"add_task\", \"arguments\": {\"description\": \"buy milk\"}}\n```"},
		llmtest.Turn{Text: "It is on your list."})
	w.run(t)
	if got := w.say(t, 7, "remind me of milk"); got != "It is on your list." {
		t.Errorf("said %q", got)
	}
	if got := w.say(t, 7, "/tasks"); !strings.Contains(got, "buy milk") {
		t.Errorf("tasks: %s", got)
	}
	must(t, w.stop())
	w.run(t)
	asked := len(w.llm.Requests())
	w.llm.Queue(llmtest.Turn{Text: "Hello again."})
	if got := w.say(t, 7, "hi"); got != "Hello again." {
		t.Errorf("said %q", got)
	}
	list := w.llm.Requests()
	if len(list) != asked+1 || len(list[asked].Tools) != 0 || slices.ContainsFunc(list[asked].Messages,
		func(m llmtest.Message) bool { return m.Role == "system" }) {
		t.Errorf("%d requests, the last %s", len(list)-asked, list[len(list)-1].Raw)
	}
	must(t, w.stop())
	if out, _ := w.examined(t); !strings.Contains(out, "takes no tools, they are told in words; takes no system message") {
		t.Errorf("doctor:\n%s", out)
	}
}

// TestNothingRawIsShown lets a model write calls and thoughts as text: what is
// sent, drafts and edits included, never holds any of it.
func TestNothingRawIsShown(t *testing.T) {
	w := newWorld(t)
	w.llm.Queue(
		llmtest.Turn{Text: "<think>\nThe person wants milk.\n</think>\nI note it.\n<tool_call>\n{\"name\": \"add_task\", " +
			"\"arguments\": {\"description\": \"buy milk\"}}\n</tool_call>", Chunks: 60},
		llmtest.Turn{Text: "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Noted.<|return|>", Chunks: 60})
	w.run(t)
	if got := w.say(t, 7, "milk!"); !strings.HasSuffix(got, "Noted.") {
		t.Errorf("said %q", got)
	}
	for _, method := range []string{"sendMessage", "editMessageText", "sendMessageDraft"} {
		for _, c := range w.tg.Calls(method) {
			if strings.ContainsAny(c.Fields["text"], "<{") || strings.Contains(c.Fields["text"], "wants") {
				t.Errorf("%s: %q", method, c.Fields["text"])
			}
		}
	}
}

// TestSpokenCallIsAskedAbout: a call in words passes the same gate as any other.
func TestSpokenCallIsAskedAbout(t *testing.T) {
	w := newWorld(t).seeing()
	w.llm.Queue(llmtest.Turn{Text: "<tool_call>\n{\"name\": \"add_task\", \"arguments\": {\"description\": \"wire money\"}}\n</tool_call>"})
	w.run(t)
	w.send("photo", "note.png", "what does it say?", testImage(t))
	if got := w.sent(t, 1)[0]; !strings.Contains(got, "wire money") || !strings.Contains(got, "?") {
		t.Errorf("said %q", got)
	}
	if got := w.say(t, 7, "/tasks"); strings.Contains(got, "wire money") {
		t.Errorf("tasks: %s", got)
	}
}
