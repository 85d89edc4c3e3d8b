package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/internal/llm"
	"parley/internal/text/urls"
)

// Speech is an endpoint that turns text into recordings: an OpenAI-compatible one, or Piper's
// own HTTP server. It is safe for many goroutines, and makes one attempt each.
type Speech struct {
	BaseURL string // with /v1, or Piper's
	Key     string
	Model   string
	Voice   string // "" is the endpoint's own
	Format  string // "opus", "mp3" or "wav"; what comes may be another
	Piper   bool
	Timeout time.Duration
}

// maxRecording bounds a recording: what Discord takes in any place.
const maxRecording = 8 << 20

// usualVoice is one that OpenAI has, and most servers that imitate it.
const usualVoice = "alloy"

// Speak says text in a voice, "" for the endpoint's. Its errors are *llm.Error or ctx's, and
// hold nothing of the text.
func (e Speech) Speak(ctx context.Context, text, voice string) (r llm.Recording, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	voice = cmp.Or(voice, e.Voice)
	at, body := strings.TrimRight(e.BaseURL, "/"), any(piperRequest{text, voice})
	if !e.Piper {
		at += "/audio/speech"
		body = goopenai.CreateSpeechRequest{Model: goopenai.SpeechModel(e.Model), Input: text,
			Voice: goopenai.SpeechVoice(cmp.Or(voice, usualVoice)), ResponseFormat: goopenai.SpeechResponseFormat(e.Format)}
	}
	b, err := json.Marshal(body)
	if err != nil {
		return r, fmt.Errorf("speak: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(b))
	if err != nil {
		return r, fmt.Errorf("speak: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, unheard(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return r, &llm.Error{Class: classOf(resp.StatusCode), Status: resp.StatusCode, Detail: "speech"}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxRecording+1))
	switch {
	case err != nil:
		return r, unheard(ctx, err)
	case len(data) > maxRecording:
		return r, &llm.Error{Class: llm.ErrInvalidOutput, Detail: fmt.Sprintf("the recording has more than %d MB", maxRecording>>20)}
	}
	r, ok := recognized(data)
	if !ok {
		return r, &llm.Error{Class: llm.ErrInvalidOutput, Detail: "what came is no recording but " + http.DetectContentType(data)}
	}
	return r, nil
}

// unheard is the error of a connection, without the address, which may hold a password.
func unheard(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return cause
	}
	return &llm.Error{Class: llm.ErrUnavailable, Detail: "speech: " + urls.Bare(err).Error()}
}

func classOf(status int) error {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.ErrAuth
	case status == http.StatusNotFound:
		return llm.ErrModelNotFound
	case status == http.StatusTooManyRequests:
		return llm.ErrRateLimited
	case status >= http.StatusInternalServerError:
		return llm.ErrUnavailable
	}
	return llm.ErrBadRequest
}

// piperRequest is the body of Piper's only call.
type piperRequest struct {
	Text  string `json:"text"`
	Voice string `json:"voice,omitempty"`
}

// recognized tells a recording by its first bytes: servers do not keep to the format that
// they are asked for, nor to the type they declare.
func recognized(data []byte) (r llm.Recording, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("OggS")):
		return llm.Recording{MIME: "audio/ogg", End: ".ogg", Data: data}, true
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) > 12 && string(data[8:12]) == "WAVE":
		return llm.Recording{MIME: "audio/wav", End: ".wav", Data: data}, true
	case bytes.HasPrefix(data, []byte("ID3")), len(data) > 1 && data[0] == 0xff && data[1]&0xe0 == 0xe0:
		return llm.Recording{MIME: "audio/mpeg", End: ".mp3", Data: data}, true
	}
	return r, false
}
