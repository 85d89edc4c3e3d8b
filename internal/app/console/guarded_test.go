package console_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/app/console"
)

// TestGuarded: programs are served without a login and with whatever method; a name that
// foreign DNS points here and a browser on another site's page are not, and never reach the
// handler.
func TestGuarded(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	reached := 0
	s.page.Guarded("/door", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		_, _ = io.WriteString(w, "served "+r.Method)
	}))
	port := s.url[strings.LastIndexByte(s.url, ':'):]
	for _, c := range []struct {
		name, host, origin, site string
		status                   int
	}{
		{"a program", "", "", "", http.StatusOK},
		{"by our other name", "localhost" + port, "", "", http.StatusOK},
		{"a browser on our page", "", s.url, "same-origin", http.StatusOK},
		{"a browser without a page", "", "", "none", http.StatusOK},
		{"a foreign name", "evil.example" + port, "", "", http.StatusMisdirectedRequest},
		{"a foreign name as its own origin", "evil.example" + port, "http://evil.example" + port, "same-origin", http.StatusMisdirectedRequest},
		{"our name on another port", "localhost:1", "", "", http.StatusMisdirectedRequest},
		{"another origin", "", "https://evil.example", "", http.StatusForbidden},
		{"no origin to tell", "", "null", "", http.StatusForbidden},
		{"our name of another scheme", "", strings.Replace(s.url, "http:", "https:", 1), "", http.StatusForbidden},
		{"another site that hides its origin", "", "", "cross-site", http.StatusForbidden},
		{"another site that names ours", "", s.url, "cross-site", http.StatusForbidden},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			before := reached
			resp, body := s.request(method, "/door", nil, func(r *http.Request) {
				r.Header.Del("Origin")
				r.Header.Del("Sec-Fetch-Site")
				for k, v := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
					if v != "" {
						r.Header.Set(k, v)
					}
				}
				r.Host = c.host
			})
			served := c.status == http.StatusOK
			if resp.StatusCode != c.status || served != (reached == before+1) || served != (body == "served "+method) {
				t.Errorf("%s, %s: %d %q, reached %d times", c.name, method, resp.StatusCode, body, reached-before)
			}
		}
	}
}
