package cli

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/text"
)

func TestHealthAsksTheBot(t *testing.T) {
	for name, tt := range map[string]struct {
		status         int
		body, out, err string
	}{
		"well":     {200, `{"status":"ok","problems":{}}`, "ok\n", ""},
		"degraded": {200, `{"status":"degraded","problems":{"cron":"late","backup":"old"}}`, "degraded\n  backup: old\n  cron: late\n", ""},
		"unavailable": {503, `{"status":"unavailable","problems":{"telegram":"deaf"}}`, "unavailable\n  telegram: deaf\n",
			"the bot is unavailable"},
		"not the bot": {200, `<html>hello</html>`, "", "is not Parley"},
		"other JSON":  {200, `{"message":"hello"}`, "", "is not Parley"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer there.Close()
			t.Setenv("BOT_HTTP_LISTEN", strings.TrimPrefix(there.URL, "http://"))
			t.Setenv("BOT_DATA_DIR", filepath.Join(t.TempDir(), "data"))
			t.Setenv("http_proxy", "http://127.0.0.1:1")
			var out, errs strings.Builder
			f := &Flags{Veil: text.NewBlotter(&errs), IDs: chat.Identities{terminal.Identity}}
			cfg, err := f.Load()
			if err != nil {
				t.Fatal(err)
			}
			err = Health{Ready: name == "well"}.Run(t.Context(), cfg, &Streams{Out: &out})
			if out.String() != tt.out || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q, %v", &out, err)
			}
			if want := map[bool]string{true: "/readyz", false: "/healthz"}[name == "well"]; asked != want {
				t.Errorf("asked %s", asked)
			}
			there.Close()
			if err := (Health{}).Run(t.Context(), cfg, &Streams{Out: &out}); err == nil || !strings.Contains(err.Error(), "no bot answers") {
				t.Errorf("nobody there: %v", err)
			}
		})
	}
	for listen, want := range map[string]string{":9090": "127.0.0.1:9090", "0.0.0.0:9090": "127.0.0.1:9090",
		"[::]:9090": "127.0.0.1:9090", "localhost:1": "localhost:1", "[::1]:1": "[::1]:1", "10.0.0.7:80": "10.0.0.7:80"} {
		if got := reachable(listen); got != want {
			t.Errorf("%s is reached at %s", listen, got)
		}
	}
}
