package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Speech is a request for a recording.
type Speech struct {
	Model  string `json:"model"` // "" for Piper's server
	Text   string `json:"input"`
	Piped  string `json:"text"` // what Piper's server calls it
	Voice  string `json:"voice"`
	Format string `json:"response_format"`
}

// Speaks sets what is answered to requests for recordings, and with which status. Without
// it they are refused, as where there is no such model. Piper's server is at Root.
func (s *Server) Speaks(f func(Speech) (data []byte, status int)) { s.with(func() { s.say = f }) }

// Root returns the address of Piper's server.
func (s *Server) Root() string { return "http://" + s.addr }

// longestSpeech is what OpenAI takes, in characters.
const longestSpeech = 4096

func (s *Server) speak(w http.ResponseWriter, r *http.Request) {
	if s.allowed(w, r) {
		s.utter(w, r, func(q Speech) bool {
			return q.Model != "" && q.Voice != "" && q.Text != "" && len([]rune(q.Text)) <= longestSpeech &&
				slices.Contains([]string{"", "mp3", "opus", "aac", "flac", "wav", "pcm"}, q.Format)
		})
	}
}

func (s *Server) pipe(w http.ResponseWriter, r *http.Request) {
	s.utter(w, r, func(q Speech) bool { return strings.TrimSpace(q.Piped) != "" })
}

func (s *Server) utter(w http.ResponseWriter, r *http.Request, whole func(Speech) bool) {
	var q Speech
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || !whole(q) {
		fail(w, http.StatusBadRequest, "invalid_request", "a value is missing or wrong")
		return
	}
	var say func(Speech) ([]byte, int)
	s.with(func() { say = s.say })
	if say == nil {
		fail(w, http.StatusNotFound, "model_not_found", "no such model")
		return
	}
	data, status := say(q)
	if status != http.StatusOK {
		fail(w, status, "failed", "it is broken")
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream") // servers declare anything
	_, _ = w.Write(data)
}
