package config

import (
	"time"
)

// Speech is how answers are spoken; it is off without an endpoint and a model.
type Speech struct {
	Kind    string        `yaml:"kind" default:"openai" one:"openai|piper" doc:"what the endpoint speaks: openai is /v1/audio/speech, piper is Piper's own HTTP server, which needs no model"`
	BaseURL string        `yaml:"base_url" form:"url" doc:"endpoint that speaks: OpenAI-compatible, with /v1, or Piper's; with none, nothing is spoken"`
	APIKey  Secret        `yaml:"api_key" doc:"key of the endpoint: itself, ${NAME} of the environment, or file:PATH"`
	Model   string        `yaml:"model" doc:"model name at the endpoint, such as tts-1 or kokoro"`
	Voice   string        `yaml:"voice" doc:"whose voice it is, as the endpoint names it; with none, alloy, or the one Piper was started with"`
	Voices  []SpeechVoice `yaml:"voices" doc:"voices for single languages, where one does not speak all"`
	Format  string        `yaml:"format" default:"opus" one:"opus|mp3|wav" doc:"what is asked of the endpoint: Telegram shows opus and mp3 as a voice message, and wav, which is all Piper has, as a file"`
	Longest int           `yaml:"longest" default:"600" range:"100..4000" doc:"characters that are spoken as they stand; of a longer answer the gist is"`
	Timeout time.Duration `yaml:"timeout" default:"30s" range:"1s..5m" doc:"time for one recording; later the text stays alone"`
	Price   float64       `yaml:"price" default:"0" range:"0..100000" doc:"money for a million characters, in limits.currency"`
}

// SpeechVoice is the voice of one language.
type SpeechVoice struct {
	Language string `yaml:"language" form:"required" doc:"tag of the language, such as de"`
	Voice    string `yaml:"voice" form:"required" doc:"as the endpoint names it"`
}

// Spoken reports whether anything is spoken.
func (s Speech) Spoken() bool { return s.BaseURL != "" && (s.Model != "" || s.Kind == SpeechPiper) }

// SpeechPiper is the kind of an endpoint that is Piper's HTTP server.
const SpeechPiper = "piper"

// Of returns the voice for a language by its tag.
func (s Speech) Of(language string) string {
	for _, v := range s.Voices {
		if v.Language == language {
			return v.Voice
		}
	}
	return s.Voice
}
