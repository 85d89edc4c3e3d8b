package console_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
)

// everyPage returns the paths of all pages of the sample.
func (s *site) everyPage() []string {
	s.t.Helper()
	id := regexp.MustCompile(`/sessions/[0-9a-f-]{36}`).FindString(s.get("/sessions"))
	return []string{
		"/", "/?range=month", "/conversations", "/conversation?place=telegram:42", "/conversation?place=discord:1099/88", "/sessions",
		"/sessions?status=active", "/sessions?q=message", id,
		"/facts?q=nuts", "/playbook", "/playbook?journey=onboarding", "/settings", "/tryout",
		"/chat",
	}
}

const wantCSP = "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; " +
	"form-action 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'self'"

func TestSecurityHeaders(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	s.fill()
	s.logIn()
	for _, path := range append(s.everyPage(), "/login", "/nowhere", "/page.css", "/page.js", "/icon.svg") {
		resp, body := s.request(http.MethodGet, path, nil, nil)
		for name, want := range map[string]string{
			"Content-Security-Policy": wantCSP, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if strings.HasPrefix(path, "/page") && path != "/playbook" {
			continue
		}
		for _, bad := range []string{"<script>", "onclick=", " style=", "<style", "</textarea><"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
		for _, m := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
			if strings.HasPrefix(m[1], "/") || strings.Contains(m[1], "//") || strings.Contains(strings.SplitN(m[1], "?", 2)[0], ":") {
				t.Errorf("%s leads outside: %s", path, m[1])
			}
		}
	}
}

func TestPagesShowTheSample(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	s.fill()
	s.logIn()
	for path, wants := range map[string][]string{
		"/":              {"close code 4014", "<strong>7</strong> active", "Messages", "ABCD1234 connection refused", "median"},
		"/conversations": {"telegram:42", "discord:1099/88", "Bob &lt;script&gt;", "Thank you, I have it"},
		"/conversation?place=telegram:42": {"order 12345", "<strong>Next:</strong>", "rule refund_policy applies",
			"38 ms · success", "set_variable",
			"320 tokens", "410 ms", "640 prompt &#43; 90 completion", "answered"},
		"/conversation?place=discord:1099/88": {"is &lt;b&gt;this&lt;/b&gt; escaped?", "<code>&lt;script&gt;</code> stays text"},
		"/sessions?q=money+back":              {"<mark>money</mark>", "before="},
		"/sessions?status=archived":           {"There are none"},
		"/facts?q=cats":                       {"allergic to nuts. cats", "Alice likes nuts", "page=2&amp;q=cats"},
		"/playbook": {"refund_policy", `"Applied">2</td><td data-label="Gave way">0</td>`,
			`"Applied">0</td><td data-label="Gave way">2</td>`, "Ask for a photo", "marker-end", "off</span>"},
		"/settings": {"base_url", "(set)"},
		"/tryout": {"214 messages run again, 194 unchanged",
			"<strong>20</strong> other words", "<del>Cancelled. </del>", "<ins>are. Thanks.</ins>",
			`href="turns/line0"`, "A &lt;b&gt;warm&lt;/b&gt;", "ask a model again: 6 requests", "page=2", "persona.md"},
	} {
		s.shows(path, wants...)
	}
	s.missing("/conversation?place=nonsense", "/sessions/nobody", "/nowhere")
}

func TestWithoutPlaybookAndFacts(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	if body := s.get("/playbook"); !strings.Contains(body, "playbook.dir") || strings.Contains(body, "/facts") {
		t.Errorf("the playbook page:\n%s", body)
	}
}

// TestPagesStaySmall: filled to its limits, each page stays below 100 KB with all it
// loads.
func TestPagesStaySmall(t *testing.T) {
	views := sampleViews()
	long := strings.Repeat("<&> wordy ", 2000)
	views.Book = func(context.Context, *console.Agent) (*console.Playbook, error) {
		b := &console.Playbook{Problem: long}
		var j console.Journey
		for i := range 200 {
			id := fmt.Sprint("rule", i)
			b.Rules = append(b.Rules, console.Rule{ID: id, When: long, Then: long})
			if i < 40 {
				j.Steps = append(j.Steps, console.Step{ID: id, Name: long, Description: long,
					To: []console.Arrow{{To: fmt.Sprint("rule", i+1), When: long}, {To: "rule0", When: long}}})
			}
		}
		j.ID, j.Name, j.Description, j.Start = "j", "J", long, "rule0"
		b.Journeys = []console.Journey{j}
		return b, nil
	}
	views.Facts = func(context.Context, console.FactQuery) (list []console.Fact, _ bool, _ error) {
		for i := range 25 {
			list = append(list, console.Fact{ID: fmt.Sprint(i), Text: long, History: []console.FactChange{{Text: long}, {Text: long}}})
		}
		return list, true, nil
	}
	views.Trial = sampleTrial{long}
	s := newSite(t, views, func(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
		return chat.Answer{Text: long}, nil
	})
	for i := range 120 {
		s.exchange(exchange{place: keyOf("telegram:42"), who: userOf("telegram:42", "Alice"), said: long, told: long,
			why: []string{long, long, long}, calls: []memory.CallRecord{{CallID: "c", Name: "recall", Arguments: long,
				Result: long, Status: "success"}}})
		s.exchange(exchange{place: keyOf(fmt.Sprint("telegram:", 100+i)), who: userOf(fmt.Sprint("telegram:", 100+i), "Carol"),
			said: long, fail: long})
	}
	s.logIn()
	for range 8 {
		s.request(http.MethodPost, "/chat", s.form(long[:8000]), nil)
	}
	assets := 0
	for _, name := range []string{"page.css", "page.js", "icon.svg"} {
		st, err := os.Stat(filepath.Join("assets", name))
		if err != nil {
			t.Fatal(err)
		}
		assets += int(st.Size())
	}
	for _, path := range append(s.everyPage(), "/sessions?q=wordy") {
		n := len(s.get(path))
		t.Logf("%6d bytes, %6d with assets: %s", n, n+assets, path)
		if n+assets > 100<<10 {
			t.Errorf("%s takes %d bytes", path, n+assets)
		}
	}
}

func TestReadingBack(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	start := time.Now().Add(-time.Hour)
	for i := range 130 {
		s.clock.shift(time.Until(start.Add(time.Duration(i) * 10 * time.Second)))
		s.exchange(exchange{place: keyOf("telegram:42"), who: userOf("telegram:42", "Alice"), said: fmt.Sprintf("question-%d.", i),
			told: fmt.Sprintf("answer-%d.", i)})
	}
	s.clock.shift(0)
	s.logIn()
	earlier := regexp.MustCompile(`<a href="([^"]+)">↑ Earlier`)
	seen := map[string]int{}
	path := "/conversation?place=telegram:42"
	for pages := 0; path != ""; pages++ {
		body := s.get(path)
		for _, m := range regexp.MustCompile(`(?:question|answer)-\d+\.`).FindAllString(body, -1) {
			seen[m]++
		}
		// a page may start within an exchange
		if said, accounts := strings.Count(body, `class="said user"`), strings.Count(body, `<details class="account"`); accounts < said ||
			accounts > said+1 && pages > 0 {
			t.Errorf("%s: %d questions, %d accounts", path, said, accounts)
		}
		path = ""
		if m := earlier.FindStringSubmatch(body); m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if len(seen) != 260 {
		t.Errorf("%d of 260 messages were shown", len(seen))
	}
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%s was shown %d times", text, n)
		}
	}
}

// TestAccountsStandUnderTheirTurns: imported words have no account, and commands leave
// accounts without words.
func TestAccountsStandUnderTheirTurns(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	line := `{"platform":"telegram","channel":"42","user":"telegram:42","name":"Alice","text":"imported words","at":"2026-01-02T03:04:05Z","id":"i1"}`
	if _, err := s.store.Import(context.Background(), strings.NewReader(line)); err != nil {
		t.Fatal(err)
	}
	alice := userOf("telegram:42", "Alice")
	s.clock.shift(-time.Hour)
	s.exchange(exchange{place: keyOf("telegram:42"), who: alice, said: "first words", told: "first answer"})
	s.clock.shift(-time.Minute)
	s.finish(chat.Message{ID: "c", Key: keyOf("telegram:42"), From: alice, Kind: chat.KindCommand, Text: "/status", At: s.clock.now()},
		chat.End{Outcome: chat.Refused, Reason: chat.NoPermission, Command: "status"})
	s.clock.shift(0)
	s.exchange(exchange{place: keyOf("telegram:42"), who: alice, said: "last words", told: "last answer"})
	s.logIn()
	var got []string
	for _, article := range strings.Split(s.get("/conversation?place=telegram:42"), "<article")[1:] {
		var parts []string
		for _, want := range []string{"imported words", "first words", "first answer", "last words", "last answer", "answered",
			"refused: no permission"} {
			if strings.Contains(article, want) {
				parts = append(parts, want)
			}
		}
		got = append(got, strings.Join(parts, "+"))
	}
	want := "imported words|first words+first answer+answered|refused: no permission|last words+last answer+answered"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

// TestNoDirectionCharacters: no page contains characters that change the direction of
// text.
func TestNoDirectionCharacters(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	s.logIn()
	s.request(http.MethodPost, "/chat", s.form("see \u202Etxt.exe\u2069\U000E0068 there"), nil)
	if body := s.until("/chat", "see txt.exe there"); strings.ContainsAny(body, "\u202E\u2069\U000E0068") {
		t.Errorf("the page has them: %q", body)
	}
}

// TestCostsAreShown: the overview shows models and costs by day, and each message shows
// its own, in the words of /why and /trace.
func TestCostsAreShown(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	k := chat.Key{Platform: "telegram", Channel: "42"}
	for _, u := range []memory.Used{
		{Purpose: "answer", Model: "main", Calls: 2, Failed: 1, Usage: llm.Usage{Prompt: 1000, Cached: 400, Completion: 50, Cost: 0.0025}},
		{Purpose: "summary", Model: "main", Calls: 1, Usage: llm.Usage{Prompt: 500, Completion: 50, Cost: 0.0015}},
		{Purpose: "embedding", Model: "<b>local</b>", Calls: 1, Usage: llm.Usage{Prompt: 77}},
	} {
		s.store.Usage.AddUsage(k, "telegram:42", u, func(err error) { t.Error(err) })
	}
	m := chat.Message{ID: "1", Key: k, From: userOf("telegram:42", "Alice"), Text: "hello", Addressed: true, At: s.clock.now()}
	rec := turn(m, "Hello!")
	rec.Decision.By, rec.Decision.Model, rec.Decision.Usage = "main", "gpt-x", llm.Usage{Prompt: 900, Completion: 30,
		Total: 930, Cost: 0.00031}
	s.finish(m, rec)
	s.logIn()
	for path, list := range map[string][]string{
		"/": {"<td>main</td><td>3</td><td>1</td><td>1500</td><td>400</td><td>100</td><td>0.0040 EUR</td>",
			"<td>&lt;b&gt;local&lt;/b&gt;</td><td>1</td><td>0</td><td>77</td><td>0</td><td>0</td><td></td>", "Calls: 4, tokens: 1677, 0.0040 EUR"},
		"/conversation?place=telegram:42": {"930 tokens, 0.00031 EUR", "main (gpt-x) · 900 prompt"},
	} {
		s.shows(path, list...)
	}
}
