package probe_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/llm/openai"
	"parley/internal/llm/probe"
)

// page answers everything as the start page of some program.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func serve(t *testing.T, routes map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	for route, h := range routes {
		mux.HandleFunc(route, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

const list = `{"object":"list","data":[{"id":"b"},{"id":"a"}]}`

func TestFindMendsTheAddress(t *testing.T) {
	for _, tt := range []struct {
		name, path, base, added, models string
		routes                          map[string]http.HandlerFunc
	}{
		{"as it is", "/v1", "/v1", "", "a b", map[string]http.HandlerFunc{"/v1/models": says(200, list)}},
		{"a slash too much", "/v1/", "/v1", "", "a b", map[string]http.HandlerFunc{"/v1/models": says(200, list)}},
		{"copied from the documentation", "/v1/chat/completions", "/v1", "", "a b", map[string]http.HandlerFunc{"/v1/models": says(200, list)}},
		{"without /v1", "", "/v1", "/v1", "a b", map[string]http.HandlerFunc{"/v1/models": says(200, list)}},
		{"without /v1, below a web page", "", "/v1", "/v1", "a b", map[string]http.HandlerFunc{"/": page, "/v1/models": says(200, list)}},
		{"without /v1, and JSON says so", "", "/v1", "/v1", "a b", map[string]http.HandlerFunc{"/": says(404, `{"detail":"Not Found"}`),
			"/v1/models": says(200, list)}},
		{"/api/v1", "", "/api/v1", "/api/v1", "a b", map[string]http.HandlerFunc{"/": page, "/api/v1/models": says(200, list)}},
		{"a bare list", "/v1", "/v1", "", "x", map[string]http.HandlerFunc{"/v1/models": says(200, `[{"id":"x"}]`)}},
		{"no model yet", "/v1", "/v1", "", "", map[string]http.HandlerFunc{"/v1/models": says(200, `{"object":"list","data":[]}`)}},
		{"no list", "", "/v1", "/v1", "", map[string]http.HandlerFunc{"/": says(404, `{}`), "/v1/chat/completions": says(400,
			`{"error":{"message":"messages is required"}}`)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := serve(t, tt.routes)
			got, err := probe.Find(t.Context(), root+tt.path, "")
			if err != nil || got.Base != root+tt.base || got.Added != tt.added || strings.Join(got.Models, " ") != tt.models {
				t.Errorf("got %+v %v", got, err)
			}
		})
	}
	t.Run("without http", func(t *testing.T) {
		root := serve(t, map[string]http.HandlerFunc{"/v1/models": says(200, list)})
		if got, err := probe.Find(t.Context(), strings.TrimPrefix(root, "http://"), ""); err != nil || got.Base != root+"/v1" {
			t.Errorf("got %+v %v", got, err)
		}
	})
}

func TestFindSaysWhatStandsInTheWay(t *testing.T) {
	var stolen atomic.Bool
	elsewhere := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		stolen.Store(stolen.Load() || r.Header.Get("Authorization") != "")
		page(w, r)
	}})
	elsewhere = strings.Replace(elsewhere, "127.0.0.1", "localhost", 1) // another host
	for _, tt := range []struct {
		name, key string
		address   string
		kind      probe.Kind
	}{
		{"nothing listens", "", free(t), probe.Away},
		{"no such host", "", "https://nowhere.invalid/v1", probe.Away},
		{"no address", "", "http://", probe.Path},
		{"a web page", "k", serve(t, map[string]http.HandlerFunc{"/": page}) + "/v1", probe.Page},
		{"some other interface", "k", serve(t, map[string]http.HandlerFunc{"/": says(200, `{"hello":1}`)}) + "/v1", probe.Page},
		{"a login page elsewhere", "k", serve(t, map[string]http.HandlerFunc{"/": http.RedirectHandler(elsewhere+"/login",
			http.StatusFound).ServeHTTP}) + "/v1", probe.Page},
		{"a wrong path", "k", serve(t, nil) + "/v1", probe.Path},
		{"no key", "", serve(t, map[string]http.HandlerFunc{"/v1/": says(401, `{"error":{"message":"no key"}}`)}) + "/v1", probe.NoKey},
		{"a wrong key", "k-secret", serve(t, map[string]http.HandlerFunc{"/v1/": says(401, `{"error":{"message":"bad key k-secret"}}`)}) +
			"/v1", probe.Key},
		{"a wrong key, without /v1", "k", serve(t, map[string]http.HandlerFunc{"/": says(404, `{}`), "/v1/": says(403, `{}`)}), probe.Key},
		{"trouble", "k", serve(t, map[string]http.HandlerFunc{"/": says(502, `{}`)}) + "/v1", probe.Unwell},
		{"a proxy's login", "k", serve(t, map[string]http.HandlerFunc{"/": says(407, ``)}) + "/v1", probe.Proxy},
		{"https where there is none", "k", strings.Replace(serve(t, nil), "http:", "https:", 1) + "/v1", probe.Away},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := probe.Find(t.Context(), tt.address, tt.key)
			if p, ok := errors.AsType[*probe.Problem](err); !ok || p.Kind != tt.kind {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the key is shown: %v", err)
			}
		})
	}
	if stolen.Load() {
		t.Error("the key went to the host that it was redirected to")
	}
}

// TestABusyModelIsNotAway: a server that takes requests and answers none in time, or not to
// the end, is busy; nobody is sent to a firewall.
func TestABusyModelIsNotAway(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"nothing": func(http.ResponseWriter) {},
		"a beginning": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"data":[`))
			_ = http.NewResponseController(w).Flush()
		},
	} {
		base := serve(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			begin(w)
			<-r.Context().Done()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err := probe.Find(ctx, base+"/v1", "")
		cancel()
		if p, ok := errors.AsType[*probe.Problem](err); !ok || p.Kind != probe.Unwell || !strings.Contains(err.Error(), "busy") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// tryAt tries the model "test" as a conversation is held.
func tryAt(ctx context.Context, t *testing.T, base, key string) (probe.Outcome, error) {
	t.Helper()
	c, err := openai.New(openai.Options{BaseURL: base, APIKey: key, Model: "test", Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	return probe.Try(ctx, probe.Endpoint{Model: c, Base: base, Key: key, Name: "test"})
}

func TestTryCallsATool(t *testing.T) {
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	for _, tt := range []struct {
		name  string
		turns []llmtest.Turn
		calls bool
	}{
		{"calls", []llmtest.Turn{{Text: "OK"}, {Calls: []llmtest.Call{{ID: "1", Name: "keep_word", Args: `{"word":"apple"}`}}}}, true},
		{"writes instead", []llmtest.Turn{{Text: "OK"}, {Text: "apple"}}, false},
		{"knows no tools", []llmtest.Turn{{Text: "OK"}, {Status: 400, Body: `{"error":{"message":"test does not support tools"}}`},
			{Text: "apple"}}, false},
		{"calls another", []llmtest.Turn{{Text: "OK"}, {Calls: []llmtest.Call{{ID: "1", Name: "eat", Args: `{}`}}},
			{Calls: []llmtest.Call{{ID: "1", Name: "eat", Args: `{}`}}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Queue(tt.turns...)
			if o, err := tryAt(t.Context(), t, s.URL(), ""); err != nil || o.Calls != tt.calls {
				t.Errorf("got %+v %v", o, err)
			}
		})
	}
}

// TestTryJudgesTheAnswer: the answer to a question that any model knows, in any script.
func TestTryJudgesTheAnswer(t *testing.T) {
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	for said, knows := range map[string]bool{
		"Paris": true, "The capital of France is **PARIS**.": true, "巴黎": true, "Париж!": true,
		"Les Langons - Loir-Les-Chaux": false, "!!!!!!!!": false, "London": false,
	} {
		s.Queue(llmtest.Turn{Text: said}, llmtest.Turn{Text: "apple"})
		if o, err := tryAt(t.Context(), t, s.URL(), ""); err != nil || o.Knows != knows || o.Said != said {
			t.Errorf("%q: got %+v %v", said, o, err)
		}
	}
}

func TestTrySaysWhyAChatWouldFail(t *testing.T) {
	const completions = "POST /v1/chat/completions"
	models := map[string]http.HandlerFunc{"GET /v1/models": says(200, `{"data":[{"id":"test"}]}`)}
	with := func(route string, h http.HandlerFunc) string {
		routes := map[string]http.HandlerFunc{route: h}
		for k, v := range models {
			routes[k] = v
		}
		return serve(t, routes) + "/v1"
	}
	for _, tt := range []struct {
		name, base, key string
		kind            probe.Kind
	}{
		{"the list is open, the chat wants a key", with(completions, says(401, `{"error":{"message":"No auth credentials found"}}`)),
			"", probe.NoKey},
		{"the list is open, the key is wrong", with(completions, says(401, `{"error":{"message":"User not found."}}`)), "k", probe.Key},
		{"the list answers, the chat is a web page", with(completions, page), "k", probe.Page},
		{"the list answers, the chat is nowhere", with("/other", page), "k", probe.Path},
		{"no credit", with(completions, says(402, `{"error":{"message":"Insufficient credits"}}`)), "k", probe.Quota},
		{"too many", with(completions, says(429, `{"error":{"message":"slow down"}}`)), "k", probe.Unwell},
		{"no such model", with(completions, says(404, `{"error":{"message":"model not found"}}`)), "k", probe.Model},
		{"it understands and does not want to", with(completions, says(400, `{"error":{"message":"this model is for embeddings only"}}`)),
			"k", probe.Refused},
		{"nothing listens", free(t) + "/v1", "k", probe.Away},
		{"empty answers", with(completions,
			says(200, `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`)), "k", probe.Unwell},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tryAt(t.Context(), t, tt.base, tt.key)
			if p, ok := errors.AsType[*probe.Problem](err); !ok || p.Kind != tt.kind {
				t.Errorf("got %v", err)
			}
		})
	}
}
