package setup

import (
	"cmp"

	"parley/config"
	"parley/internal/llm/openai"
)

// Speech returns the endpoint that speaks, and what the owner calls it; false for none.
func Speech(s config.Speech) (e openai.Speech, name string, ok bool) {
	if !s.Spoken() {
		return e, "", false
	}
	return openai.Speech{BaseURL: s.BaseURL, Key: string(s.APIKey), Model: s.Model, Voice: s.Voice, Format: s.Format,
		Piper: s.Kind == config.SpeechPiper, Timeout: s.Timeout}, cmp.Or(s.Model, s.Kind), true
}
