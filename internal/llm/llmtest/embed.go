package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"unicode"
)

// EmbeddingModel is the one the fake has.
const EmbeddingModel = "test-embedding"

// dimensions of the fake's vectors: texts without a common word are far apart.
const dimensions = 256

// What the fake refuses, as real servers do.
const (
	maxTexts  = 64
	maxLength = 8000
)

// embeddings is the part of the fake that makes vectors.
type embeddings struct {
	synonyms map[string]string
	asked    [][]string
	turns    []Turn
	refused  string
}

// Synonyms are words that mean the same: key and value are one to the vectors.
func (s *Server) Synonyms(same map[string]string) { s.with(func() { s.vectors.synonyms = same }) }

// FailEmbeddings queues failures of the requests for vectors that come next;
// one that Hangs is silent, one without a Status answers with its Body.
func (s *Server) FailEmbeddings(turns ...Turn) {
	s.with(func() { s.vectors.turns = append(s.vectors.turns, turns...) })
}

// RefuseEmbeddings has the fake refuse each request for vectors with a text that
// contains a word, as servers do that break over one.
func (s *Server) RefuseEmbeddings(word string) { s.with(func() { s.vectors.refused = word }) }

// Embedded returns the texts of each request for vectors so far.
func (s *Server) Embedded() (list [][]string) {
	s.with(func() { list = append(list, s.vectors.asked...) })
	return list
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	var req struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, http.StatusBadRequest, "invalid_json", err.Error())
		return
	}
	var failure *Turn
	refused := ""
	s.with(func() {
		if !s.quiet {
			s.vectors.asked = append(s.vectors.asked, req.Input)
		}
		refused = s.vectors.refused
		if len(s.vectors.turns) > 0 {
			failure, s.vectors.turns = &s.vectors.turns[0], s.vectors.turns[1:]
		}
	})
	switch {
	case failure != nil:
		failure.write(w, r, Request{})
		return
	case req.Model != EmbeddingModel:
		fail(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("model %q not found", req.Model))
		return
	case len(req.Input) == 0 || len(req.Input) > maxTexts:
		fail(w, http.StatusBadRequest, "bad_input", fmt.Sprintf("input has %d texts, not 1 to %d", len(req.Input), maxTexts))
		return
	}
	data := []map[string]any{}
	for i, text := range req.Input {
		if refused != "" && strings.Contains(text, refused) {
			fail(w, http.StatusBadRequest, "bad_input", "unsupported value: NaN")
			return
		}
		if text == "" || len(text) > maxLength {
			fail(w, http.StatusBadRequest, "bad_input", fmt.Sprintf("input[%d] has %d bytes", i, len(text)))
			return
		}
		data = append(data, map[string]any{"index": i, "object": "embedding", "embedding": s.Vector(text)})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": req.Model, "data": data})
}

// Vector returns the fake's vector of a text: the sum of those of its words, each of
// which points somewhere else.
func (s *Server) Vector(text string) []float32 {
	var same map[string]string
	s.with(func() { same = s.vectors.synonyms })
	return Vector(text, same)
}

// Vector returns what a Server with these synonyms answers.
func Vector(text string, synonyms map[string]string) []float32 {
	v := make([]float32, dimensions)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) < 4 { // says little
			continue
		}
		if same, ok := synonyms[word]; ok {
			word = same
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(strings.TrimSuffix(word, "s"))) // cannot fail
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += float32(r.NormFloat64())
		}
	}
	if v[0] == 0 {
		v[0] = 1
	}
	return v
}
