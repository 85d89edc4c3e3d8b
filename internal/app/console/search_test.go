package console_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/app/console"
)

var olderLink = regexp.MustCompile(`<a href="([^"]+)" rel="next"`)

// Paging reaches every conversation, listed under its person's name.
func TestPagingReachesEveryConversation(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	for i := range 60 {
		s.clock.shift(-time.Hour + time.Duration(i)*time.Second)
		s.exchange(exchange{place: keyOf(fmt.Sprint("telegram:", 100+i)), who: userOf(fmt.Sprint("telegram:", 100+i),
			fmt.Sprintf("Person-%d.", i)), said: "hello", told: "hi"})
	}
	s.logIn()
	seen, path, pages := map[string]int{}, "/conversations", 0
	for ; path != ""; pages++ {
		body := s.get(path)
		for _, m := range regexp.MustCompile(`<b>(Person-\d+\.)</b>`).FindAllStringSubmatch(body, -1) {
			seen[m[1]]++
		}
		path = ""
		if m := olderLink.FindStringSubmatch(body); m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if len(seen) != 60 || pages != 3 {
		t.Errorf("%d of 60 conversations on %d pages", len(seen), pages)
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s was listed %d times", name, n)
		}
	}
}

// Searches work by words, place, person, error, tool, rule, time and cost, and the form
// keeps its input.
func TestConversationFilters(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	s.fill()
	s.logIn()
	for query, want := range map[string]struct {
		has, not []string
	}{
		"":                 {[]string{"Alice", "Carol", "Bob &lt;script&gt;", "many lately"}, nil},
		"platform=discord": {[]string{"Bob &lt;script&gt;", "<option selected>discord</option>"}, []string{"Alice"}},
		"person=alice":     {[]string{"Alice", `name="person" value="alice"`, "<details open>"}, []string{"Carol"}},
		"q=money+back":     {[]string{"<mark>money</mark>", "Alice", "before="}, []string{"hello"}},
		"errors=on": {[]string{"ABCD1234", "message", `type="checkbox" checked`, `aria-current="true">Errors`},
			[]string{"money back"}},
		"tool=set_variable":                 {[]string{"money back", "Alice"}, []string{"message 1"}},
		"rule=refund_policy":                {[]string{"money back"}, []string{"message 1"}},
		"took=2.3":                          {[]string{"2."}, []string{"money back"}},
		"tokens=100000":                     {[]string{"Nothing was found."}, nil},
		"took=nonsense":                     {[]string{"Alice"}, nil},
		"person=nobody":                     {[]string{"There are none like this."}, nil},
		"q=%22AND+%28&rule=%3Cb%3E&page=-1": {[]string{"Nothing was found.", "&lt;b&gt;"}, nil},
	} {
		body := s.get("/conversations?" + query)
		list := body[strings.Index(body, `<ul class="list`):]
		for _, w := range want.has {
			if w == "many lately" {
				w = "messages lately"
			}
			if !strings.Contains(body, w) {
				t.Errorf("%q lacks %q:\n%s", query, w, body)
			}
		}
		for _, w := range want.not {
			if strings.Contains(list, w) {
				t.Errorf("%q has %q:\n%s", query, w, list)
			}
		}
	}
	// A search result links to the message in its conversation.
	link := regexp.MustCompile(`href="(conversation\?place=[^"]+#m\d+)"`).FindStringSubmatch(s.get("/conversations?" +
		url.Values{"q": {"money back"}}.Encode()))
	if link == nil {
		t.Fatal("it leads nowhere")
	}
	path, id, _ := strings.Cut(strings.ReplaceAll(link[1], "&amp;", "&"), "#")
	if body := s.get(path); !strings.Contains(body, `id="`+id+`"`) || !strings.Contains(body, "<h1>Alice</h1>") {
		t.Errorf("%s does not show it:\n%s", path, body)
	}
}

// Before anybody has written, the page explains how to begin.
func TestEmptyPageGuides(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	if body := s.get("/conversations"); !strings.Contains(body, "Nobody has written yet") || !strings.Contains(body, `href="chat"`) {
		t.Errorf("the empty list:\n%s", body)
	}
}
