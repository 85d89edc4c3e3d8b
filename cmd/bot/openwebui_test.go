package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// page is Open WebUI with a connection to the bot. Its headers are those that docs/api.md names.
type page struct{ *asker }

// openWebUI is what it sends in a chat: task is empty but for what it asks on its own account.
func openWebUI(t *testing.T, w *world, base, chat, task string) page {
	t.Helper()
	return page{&asker{t, base, w.token(t, 7), map[string]string{"X-OpenWebUI-Chat-Id": chat, "X-OpenWebUI-Task": task,
		"X-OpenWebUI-User-Name": "Ann%20Example", "X-OpenWebUI-User-Id": "4f6c", "X-OpenWebUI-User-Email": "ann@example.org",
		"X-OpenWebUI-User-Role": "user", "User-Agent": "Python/3.11 aiohttp/3.12"}}}
}

// TestOpenWebUI: what Open WebUI sends is answered: the list of models, a growing answer in its
// chat, pictures; what it wants for itself is refused and leaves nothing behind.
func TestOpenWebUI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := withAPI(t, w)
	w.echo()
	w.run(t)
	p := openWebUI(t, w, base, "chat-1", "")
	list, err := p.requests(http.MethodGet, "/v1/models", nil)
	if must(t, err); !strings.Contains(list.raw, `"object":"list"`) || !strings.Contains(list.raw, `"id":"parley"`) {
		t.Errorf("models: %s", list.raw)
	}
	history := []any{map[string]any{"role": "system", "content": "User Context:\n\nBe brief."}, user("My cat is called Mia.")}
	chat := map[string]any{"stream": true, "model": "parley", "messages": history, "temperature": 0.7, "top_p": 0.9, "seed": nil,
		"stream_options": map[string]any{"include_usage": true}, "max_completion_tokens": 500, "tools": []any{}, "features": map[string]any{}}
	r, err := p.sends(chat)
	if must(t, err); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if said, finish, done := streamed(r.raw); said != "I heard: My cat is called Mia." || finish != "stop" || !done ||
		!strings.Contains(r.raw, `"total_tokens"`) {
		t.Errorf("%q %q %v", said, finish, done)
	}
	picture := []any{map[string]any{"type": "text", "text": "what is this?"}, map[string]any{"type": "image_url",
		"image_url": map[string]any{"url": pixel}}}
	chat["messages"] = append(history, map[string]any{"role": "assistant", "content": "I heard: My cat is called Mia."}, user(picture))
	if r, err = p.sends(chat); err != nil || r.status != http.StatusOK {
		t.Errorf("a picture: %d %v %s", r.status, err, r.raw)
	}
	w.settled(t)
	before := w.count(t, "SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM inbox) + (SELECT count(*) FROM api_requests)")
	asked := len(w.llm.Requests())
	for _, task := range []string{"title_generation", "tags_generation", "follow_up_generation", "query_generation",
		"autocomplete_generation"} {
		b := map[string]any{"model": "parley", "stream": false, "max_completion_tokens": 1000, "messages": []any{user(
			"### Task:\nGenerate a concise, 3-5 word title.\n### Chat History:\n<chat_history>\nUSER: My cat is called Mia.\n</chat_history>")}}
		r, err := openTask(p, task).sends(b)
		if must(t, err); r.status != http.StatusBadRequest || r.body.Error.Code != "unsupported" {
			t.Errorf("%s: %d %s", task, r.status, r.raw)
		}
	}
	w.settled(t)
	after := w.count(t, "SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM inbox) + (SELECT count(*) FROM api_requests)")
	if after != before || len(w.llm.Requests()) != asked {
		t.Errorf("%d rows more, and %d requests to the model", after-before, len(w.llm.Requests())-asked)
	}
	// One that knows no such placeholder sends it as it stands.
	r, err = openTask(p, "{{TASK}}").sends(map[string]any{"model": "parley", "messages": []any{user("still here?")}})
	if err != nil || r.text() != "I heard: still here?" {
		t.Errorf("%v %s", err, r.raw)
	}
	reqs := w.llm.Requests()
	raw, _ := json.Marshal(reqs[len(reqs)-1].Messages)
	if !strings.Contains(string(raw), "Mia") || strings.Contains(string(raw), "3-5 word title") {
		t.Errorf("the conversation is %s", raw)
	}
}

// openTask is the same page on its own account.
func openTask(p page, task string) page {
	head := map[string]string{}
	for k, v := range p.head {
		head[k] = v
	}
	head["X-OpenWebUI-Task"] = task
	return page{&asker{p.t, p.base, p.token, head}}
}

// pixel is a picture as pages send them.
const pixel = "data:image/png;base64," +
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
