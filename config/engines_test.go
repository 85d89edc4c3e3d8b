package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keys are the variables named in the documentation.
var keys = []string{"OPENAI_API_KEY=sk-a", "ANTHROPIC_API_KEY=sk-b", "GEMINI_API_KEY=c", "OPENROUTER_API_KEY=d", "MISTRAL_API_KEY=e"}

// TestBlocksOfTheDocs loads every block of settings in docs/models.md.
func TestBlocksOfTheDocs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(blocks) < 10 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		if c, err := Load(Options{File: write(t, block[1]), Env: keys}); err != nil {
			t.Errorf("%v\n%s", err, block[1])
		} else if len(c.Models) == 0 {
			t.Errorf("no model in\n%s", block[1])
		}
	}
}

const two = `models:
  - {name: main, base_url: "https://h/v1", api_key: "${OPENAI_API_KEY}", model: big, context_size: auto, price: {input: 2.5, cached: 0.25, output: 15}, reasoning_effort: low}
  - {name: local, base_url: "http://127.0.0.1:11434/v1", model: qwen3}
`

func TestRoutes(t *testing.T) {
	c, err := Load(Options{Env: keys, File: write(t, two+"routes: {answer: [local, main], summary: [local], embedding: [local]}\n")})
	if err != nil {
		t.Fatal(err)
	}
	for purpose, want := range map[string][]string{
		PurposeAnswer: {"local", "main"}, PurposePlaybook: {"local", "main"}, PurposeSummary: {"local"}, PurposeLibrarian: {"local", "main"},
		PurposeEmbedding: {"local"}, PurposeTranscription: nil,
	} {
		if got := c.Route(purpose); !slices.Equal(got, want) {
			t.Errorf("%s: %q", purpose, got)
		}
	}
	e, ok := c.Engine("main")
	if !ok || string(e.APIKey) != "sk-a" || e.Price != (Price{2.5, 0.25, 15}) || e.MaxTokens != 1024 || e.ContextSize != 0 ||
		c.EmbeddingModel() != "qwen3" {
		t.Errorf("%+v", e)
	}
	if strings.Contains(c.String(), "sk-a") {
		t.Error("a key is shown")
	}
	again, err := Load(Options{File: write(t, strings.ReplaceAll(c.String(), `"(hidden)"`, `"A"`))})
	if err != nil || len(again.Models) != 2 || again.Models[0].Price.Output != 15 {
		t.Errorf("what String prints does not load: %v\n%s", err, c)
	}
	one, err := Load(Options{File: write(t, "model: {name: big, base_url: \"http://h/v1\", playbook_name: small, embedding: vec}\n")})
	if err != nil || !slices.Equal(one.Route(PurposePlaybook), []string{"small", ""}) || !slices.Equal(one.Route(PurposeEmbedding),
		[]string{"vec"}) || !slices.Equal(one.Route(PurposeSummary), []string{""}) {
		t.Errorf("one endpoint: %q, %v", one.Route(PurposePlaybook), err)
	}
}

// TestConflictingSettings: both settings are named, and startup stops.
func TestConflictingSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		yaml string
		env  []string
		want []string
	}{
		"an endpoint and models":   {yaml: two + "model: {base_url: \"http://x/v1\"}\n", want: []string{"model.base_url", "models"}},
		"a name and models":        {yaml: two + "model: {name: x}\n", want: []string{"model.name", "models"}},
		"a key of ours and models": {yaml: two, env: []string{"BOT_MODEL_API_KEY=sk-canary"}, want: []string{"model.api_key", "models"}},
		"a trait and models":       {yaml: two + "model: {temperature: 1}\n", want: []string{"model.temperature", "models"}},
		"playbook": {yaml: two + "model: {playbook_name: x}\nroutes: {playbook: [main]}\n",
			want: []string{"model.playbook_name", "routes.playbook"}},
		"embedding": {yaml: two + "model: {embedding: x}\nroutes: {embedding: [main]}\n",
			want: []string{"model.embedding", "routes.embedding"}},
		"transcription": {yaml: two + "model: {transcription: x}\nroutes: {transcription: [main]}\n",
			want: []string{"model.transcription", "routes.transcription"}},
		"librarian": {yaml: two + "vault: {librarian_model: x}\nroutes: {librarian: [main]}\n",
			want: []string{"vault.librarian_model", "routes.librarian"}},
		"a helper": {yaml: two + "subagents: [{name: a, description: b, prompt_file: c, model: x, route: [main]}]\n",
			want: []string{"subagents[0].model", "subagents[0].route"}},
		"a route to nowhere":    {yaml: two + "routes: {answer: [maim]}\n", want: []string{"routes.answer", "maim", "main"}},
		"a route that stutters": {yaml: two + "routes: {answer: [main, main]}\n", want: []string{"routes.answer", "twice"}},
		"routes without models": {yaml: "routes: {answer: [main]}\n", want: []string{"routes.answer", "not in models"}},
		"different embedding models": {yaml: two + "routes: {embedding: [main, local]}\n", want: []string{"routes.embedding",
			"different models"}},
		"one name twice": {yaml: two + "  - {name: main, model: other}\n", want: []string{"models[2].name", "models[0].name"}},
		"no model":       {yaml: "models: [{name: a}]\n", want: []string{"models[0].model", "missing"}},
		"a key that is not set": {yaml: "models: [{name: a, model: b, api_key: \"${ABSENT}\"}]\n",
			want: []string{"models[0].api_key", "ABSENT"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Options{File: write(t, tt.yaml), Env: append(slices.Clone(keys[1:]), append(tt.env, "OPENAI_API_KEY=sk-a")...)})
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("a key is shown: %v", err)
			}
		})
	}
}
