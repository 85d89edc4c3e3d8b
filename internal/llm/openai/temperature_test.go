package openai

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/llm"
)

// TestTemperatureOnTheWire: what is set is what is written, digit by digit. A number close
// to zero instead of zero makes llama.cpp's server divide by it and answer with noise.
func TestTemperatureOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		model string
		set   *float64
		want  string // "" for none
	}{
		{"test", new(0.0), `"temperature":0`},
		{"test", new(0.7), `"temperature":0.7`},
		{"test", new(1.0 / 3), `"temperature":0.3333333333333333`},
		{"test", new(2.0), `"temperature":2`},
		{"test", nil, ""},
		{"o3-mini", new(0.0), ""}, // takes only its own
		{"gpt-5-nano", new(0.7), ""},
	} {
		for _, stream := range []bool{true, false} {
			s := fake(t)
			s.Models(tt.model)
			c, err := New(Options{BaseURL: s.URL(), Model: tt.model, Temperature: tt.set, Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			r := everything()
			r.Messages = append([]llm.Message{}, r.Messages...)
			if _, err := c.Complete(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			raw := string(s.Requests()[0].Raw)
			end := raw[strings.LastIndex(raw[:strings.Index(raw, messagesKey)], "{")+1:]
			if tt.want == "" && strings.Contains(raw, `"temperature"`) || tt.want != "" && !strings.Contains(raw, tt.want+",") {
				t.Errorf("%s, %v, stream=%t: sent %s", tt.model, fmt.Sprint(tt.want), stream, end)
			}
		}
	}
}
