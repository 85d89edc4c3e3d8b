package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"parley/internal/app/console"
	"parley/internal/text"
)

// A wrong answer becomes a rehearsal from the page, too.
func TestRehearsalForm(t *testing.T) {
	var asked []string
	s := newSite(t, console.Views{Capture: func(_ context.Context, id, should string) (string, error) {
		asked = append(asked, id+" "+should)
		switch should {
		case "":
			return "", text.Tell("Say what.")
		case "broken":
			return "", errors.New("disk")
		}
		return "rehearsals/x.txt", nil
	}}, echo)
	s.logIn()
	s.fill()
	link := regexp.MustCompile(`conversation\?place=[^"]+`).FindString(s.get("/conversations"))
	body := s.get(strings.ReplaceAll(link, "&amp;", "&"))
	id := regexp.MustCompile(`<option value="([0-9a-f-]+)">`).FindStringSubmatch(body)
	csrf := regexp.MustCompile(`action="rehearse"><input type="hidden" name="csrf" value="([^"]+)"`).FindStringSubmatch(body)
	if id == nil || csrf == nil {
		t.Fatalf("no form in\n%s", body)
	}
	for should, want := range map[string]struct {
		status int
		words  string
	}{"said 30 days": {200, "rehearsals/x.txt"}, "": {422, "Say what."}, "broken": {500, "Something went wrong"}} {
		s.posts("/rehearse", url.Values{"csrf": {csrf[1]}, "id": {id[1]}, "should": {should}}, want.status, want.words)
	}
	if s.posts("/rehearse", url.Values{"id": {id[1]}, "should": {"x"}}, http.StatusForbidden, ""); len(asked) != 3 {
		t.Errorf("asked without the token: %q", asked)
	}
}
