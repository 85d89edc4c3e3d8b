package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"parley/internal/text/waittest"
)

// write sends the scripted answer in the form the request asked for.
func (t Turn) write(w http.ResponseWriter, r *http.Request, req Request) {
	for k, v := range t.Header {
		w.Header().Set(k, v)
	}
	switch {
	case t.Status != 0 || t.Body != "":
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		if t.Status != 0 {
			w.WriteHeader(t.Status)
		}
		_, _ = fmt.Fprint(w, t.Body)
	case t.Stream != nil || t.Flood != "":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range t.Stream {
			_, _ = fmt.Fprintf(w, "%s\n\n", line)
			flush(w)
			waittest.Take(r.Context(), t.ChunkWait)
		}
	case req.Stream:
		t.stream(w, r, req)
	default:
		t.whole(w, req)
	}
	if t.Hang {
		flush(w)
		<-r.Context().Done()
	}
}

// Refusal returns an answer with a status; header holds names and values in turn.
func Refusal(status int, body string, header ...string) Turn {
	t := Turn{Status: status, Body: body, Header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		t.Header[header[i]] = header[i+1]
	}
	return t
}

// Piece returns a line of a stream with one choice; finish "" is none yet.
func Piece(delta, finish string) string {
	reason := "null"
	if finish != "" {
		reason = `"` + finish + `"`
	}
	return fmt.Sprintf(`data: {"model":"test","choices":[{"delta":%s,"finish_reason":%s}]}`, delta, reason)
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// noise is what llama.cpp's server says at a temperature close to zero that is not zero: it
// divides by it.
const noise = "Les Langons - Loir-Les-Chaux"

// text returns what is said: the script, or an echo.
func (t Turn) text(req Request) string {
	if req.Temperature != nil && *req.Temperature > 0 && *req.Temperature < 1e-6 {
		return noise
	}
	if t.Text == "" && len(t.Calls) == 0 && t.Finish == "" {
		return req.Last("user")
	}
	return t.Text
}

func (t Turn) finish() string {
	switch {
	case t.Finish != "":
		return t.Finish
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// usage counts as a server does: all that the request has, tools and calls too.
func (t Turn) usage(req Request, text string) map[string]int {
	p, c := t.Usage[0], t.Usage[1]
	if p == 0 && c == 0 {
		p, c = req.Tokens(), max(1, (utf8.RuneCountInString(text)+3)/4)
	}
	return map[string]int{"prompt_tokens": p, "completion_tokens": c, "total_tokens": p + c}
}

func (t Turn) calls() (list []map[string]any) {
	for i, c := range t.Calls {
		list = append(list, map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]string{"name": c.Name,
			"arguments": c.Args}})
	}
	return list
}

func (t Turn) whole(w http.ResponseWriter, req Request) {
	text := t.text(req)
	message := map[string]any{"role": "assistant", "content": text}
	if calls := t.calls(); calls != nil {
		message["tool_calls"] = calls
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "model": req.Model, "usage": t.usage(req, text),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": t.finish()}}})
}

// stream sends text in pieces and tool calls in fragments, as servers do.
func (t Turn) stream(w http.ResponseWriter, r *http.Request, req Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		b, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": req.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}) // plain data
		_, _ = fmt.Fprintf(w, "data: %s\n\n", b)
		if t.ChunkWait > 0 {
			flush(w)
			waittest.Take(r.Context(), t.ChunkWait)
		}
	}
	text := t.text(req)
	for i, piece := range pieces(text, t.Chunks) {
		if i > 0 && t.Paused != nil {
			flush(w)
			select {
			case <-t.Paused:
			case <-r.Context().Done():
				return
			}
		}
		send(map[string]any{"content": piece}, nil)
	}
	for i, c := range t.Calls {
		half := len(c.Args) / 2
		send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]string{"name": c.Name, "arguments": c.Args[:half]}}}}, nil)
		send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]string{"arguments": c.Args[half:]}}}}, nil)
	}
	send(map[string]any{}, t.finish())
	b, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": req.Model, "choices": []any{},
		"usage": t.usage(req, text)})
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", b)
}

// pieces cuts a text at runes.
func pieces(text string, n int) (list []string) {
	if n == 0 {
		n = 4
	}
	r := []rune(text)
	size := max(1, (len(r)+n-1)/n)
	for len(r) > 0 {
		k := min(size, len(r))
		list, r = append(list, string(r[:k])), r[k:]
	}
	return list
}
