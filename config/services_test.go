package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loaded loads settings with this environment.
func loaded(t *testing.T, text string, env ...string) (Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bot.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Options{File: file, Env: env})
}

func TestHTTPTools(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loaded(t, `
tools:
  http:
    - name: weather
      description: The weather.
      url: https://api.example.org/now/{city}
      headers: {Accept: application/json, X-Key: "file:`+key+`"}
      query: {appid: "${APPID}", units: metric}
      parameters: {properties: {city: {type: string, enum: [a, b]}}, required: [city]}
      body: '{"a": 1}'
      retry: {attempts: 3}
      metadata: {category: outside, cost: "low: free"}
`, "APPID_FILE="+key, "OTHER=x")
	if err != nil {
		t.Fatal(err)
	}
	h := c.Tools.HTTP[0]
	if h.Method != "GET" || !h.AllowFailure || h.Retry.Attempts != 3 || h.Retry.Delay.String() != "1s" || h.Body != `{"a": 1}` ||
		h.Parameters != `{"properties":{"city":{"enum":["a","b"],"type":"string"}},"required":["city"]}` {
		t.Errorf("read %+v", h)
	}
	if got := Query(h.Query); !slices.Contains(got, [2]string{"appid", "from-a-file"}) || !slices.Contains(got, [2]string{"units", "metric"}) {
		t.Errorf("query %v", got)
	}
	if !slices.Equal(h.Metadata, []string{"category: outside", "cost: low: free"}) {
		t.Errorf("metadata %q", h.Metadata)
	}
	secrets := c.Secrets()
	if !slices.Contains(secrets, "from-a-file") || slices.Contains(secrets, "metric") || slices.Contains(secrets, "application/json") {
		t.Errorf("secrets %v", secrets)
	}
}

func TestMistakesInHTTPTools(t *testing.T) {
	const begin = "tools:\n  http:\n    - name: get\n      description: d\n      "
	for text, want := range map[string]string{
		"url: https://{host}/x":                "is not an address",
		"url: https://api.{zone}.example.org/": "placeholder in its host",
		"url: ftp://x.example/":                "is not an address",
		"url: https://me:word@x.example/{a}":   "holds a user name",
		"method: GET":                          "url: is missing",
		"url: https://x.example/\n      method: POST\n      retry: {attempts: 2}": "may act twice",
		"url: https://x.example/\n      parameters: '{'":                          "is not JSON",
		"url: https://x.example/\n      headers: {X: '${NOBODY}'}":                "${NOBODY}",
		"url: https://x.example/\n      idempotency: 'a b'":                       "is not the name of a header",
		"url: https://x.example/\n      metadata: [cheap]":                        "has an entry that is no note",
		"url: https://x.example/\n      retries: 3":                               "unknown setting",
	} {
		if _, err := loaded(t, begin+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
