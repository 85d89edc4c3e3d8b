package console_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/playbook/files"
)

// withRules gives a site rule files in which the word "bad" is a mistake.
func (s *site) withRules() string {
	s.t.Helper()
	dir := s.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte("guidelines: [] # </textarea>\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	*s.rules = files.Folder{Dir: dir, Check: func(dir string) ([]string, error) {
		b, err := os.ReadFile(filepath.Join(dir, "shop.yaml"))
		if strings.Contains(string(b), "bad") {
			err = errors.New("shop.yaml: line 2: <bad>")
		}
		return []string{"rule x: always true"}, err
	}}
	return filepath.Join(dir, "shop.yaml")
}

// Rule files are edited on the page: a text is checked before saving, and a mistake keeps
// the file and the text in the form.
func TestRulesAreEdited(t *testing.T) {
	s := newSite(t, sampleViews(), echo)
	file := s.withRules()
	s.logIn()
	if body := s.get("/playbook"); !strings.Contains(body, `<a href="rules/shop.yaml">`) {
		t.Fatalf("the playbook leads to no file:\n%s", body)
	}
	body := s.get("rules/shop.yaml")
	hidden := func(name string) string {
		return regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)[1]
	}
	form := func(do, text string) url.Values {
		return url.Values{"csrf": {hidden("csrf")}, "version": {hidden("version")}, "do": {do}, "text": {text}}
	}
	kept := func() string { b, _ := os.ReadFile(file); return string(b) }
	first := kept()
	for _, c := range []struct {
		form         url.Values
		has, changed string
	}{
		{form("check", "guidelines: [1]\n"), "rule x: always true", first},
		{form("check", "bad\n"), "shop.yaml: line 2: &lt;bad&gt;", first},
		{form("save", "bad </textarea>\n"), "bad &lt;/textarea&gt;", first},
		{form("save", "guidelines: [2]\r\n"), "It counts within seconds", "guidelines: [2]\n"},
		{form("save", "guidelines: [3]\n"), "was changed meanwhile", "guidelines: [2]\n"},
	} {
		if s.posts("rules/shop.yaml", c.form, http.StatusOK, c.has); kept() != c.changed {
			t.Errorf("%v: the file is %q", c.form, kept())
		}
	}
	s.missing("/rules/other.yaml", "/rules/..%2fsecret.yaml")
	s.posts("rules/shop.yaml", url.Values{"do": {"save"}, "text": {"x"}}, http.StatusForbidden, "older login")
}
