package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/app/console"
	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// in gets a page as a browser with these languages does.
func (s *site) in(languages, path string) string {
	s.t.Helper()
	_, body := s.request(http.MethodGet, path, nil, func(r *http.Request) { r.Header.Set("Accept-Language", languages) })
	return body
}

// TestPageSpeaksTheReadersLanguage: the page uses the browser's first known language, also
// for numbers and times.
func TestPageSpeaksTheReadersLanguage(t *testing.T) {
	s := newSite(t, wholeViews(), echo)
	s.fill()
	s.visitors()
	if body := s.in("de-AT,de;q=0.9,en;q=0.8", "/login"); !strings.Contains(body, `<html lang="de">`) ||
		!strings.Contains(body, "Gib auf diesem Rechner <code>bot page</code> ein") {
		t.Error(body)
	}
	s.logIn()
	for languages, shows := range map[string]string{
		"de": `<option value="de" lang="de" selected>Deutsch</option>`, "fr-CA;q=0.9,en;q=0.3": "<h1>Aperçu</h1>",
		"zh-TW": "<h1>概览</h1>", "ja,ru;q=0.4,en;q=0.2": "<h1>Обзор</h1>",
		"es": `<html lang="es">`, "de;q=0,en": `<html lang="en">`, "pt-BR": `<html lang="en">`, "": `<html lang="en">`,
		"-;;q=x": `<html lang="en">`,
	} {
		if body := s.in(languages, "/"); !strings.Contains(body, shows) {
			t.Errorf("%q does not show %q", languages, shows)
		}
	}
	const day = "02.01. " // of some hours ago: today, or the day before
	shown := func(body, want string) bool {
		if want != day {
			return strings.Contains(body, want)
		}
		now := time.Now().UTC()
		return strings.Contains(body, now.Format(day)) || strings.Contains(body, now.AddDate(0, 0, -1).Format(day))
	}
	for path, shows := range map[string][]string{
		"/":                               {"<h1>Übersicht</h1>", "erfolgreich", day},
		"/conversation?place=telegram:42": {"beantwortet", "640 Token gefragt", "90 geantwortet", ">Modell<"},
		"/conversations":                  {"fehlgeschlagen", "Über 10 s", "Über 10 Tsd. Token", day},
		"/people":                         {"Zoe zulassen", "ausgeschlossen", "wartet", "seit <time", day},
		"/settings":                       {"Stille, nach der eine Sitzung endet", "<code>/config set</code>"},
		"/facts":                          {"Fakt, Quelle: die Person"},
		"/nowhere":                        {"<h1>Abgelehnt</h1>", "Diese Seite gibt es nicht."},
		"/sessions":                       {"Sitzungen, die neuesten zuerst", "aktiv"},
		"/letters":                        {"Beiseitegelegt", "Noch einmal lesen"},
	} {
		body := s.in("de", path)
		for _, want := range shows {
			if !shown(body, want) {
				t.Errorf("%s does not show %q:\n%s", path, want, body)
			}
		}
	}
	if _, body := s.request(http.MethodPost, "/do", url.Values{"do": {"set"}},
		func(r *http.Request) { r.Header.Set("Accept-Language", "de") }); !strings.Contains(body,
		"Dieser Knopf gehört zu einer älteren Anmeldung") {
		t.Errorf("a refusal: %s", body)
	}
}

// TestChosenLanguageIsKept: a language chosen on the page beats the browser's, and
// choosing it redirects only within the page.
func TestChosenLanguageIsKept(t *testing.T) {
	s := newSite(t, console.Views{}, echo)
	s.logIn()
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, tt := range []struct{ choice, back, to, lang string }{
		{"es", "/people?x=1", "./people?x=1", "es"}, {"klingon", "//evil.example/", "./", "de"}, {"ru", "https://evil.example/x", "./", "ru"},
		{"ru", `/\evil.example`, "./", "ru"},
		{"zh", "javascript:alert(1)", "./", "zh"}, {"", "", "./", "de"},
	} {
		resp, _ := s.request(http.MethodPost, "/language", url.Values{"language": {tt.choice}, "back": {tt.back}}, nil)
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || to != tt.to {
			t.Errorf("%q from %q leads to %d, %q", tt.choice, tt.back, resp.StatusCode, to)
		}
		if body := s.in("de", "/"); !strings.Contains(body, `<html lang="`+tt.lang+`">`) {
			t.Errorf("after %q the page does not speak %s", tt.choice, tt.lang)
		}
	}
	resp, _ := s.request(http.MethodPost, "/language", url.Values{"language": {"ru"}},
		func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") })
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("another site chose a language: %s", resp.Status)
	}
}

// TestFormsAnswerInThePagesLanguage: the result of a form is told in the page's language.
func TestFormsAnswerInThePagesLanguage(t *testing.T) {
	heard := make(chan string, 1)
	s := newSite(t, console.Views{}, func(_ context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
		heard <- m.Language
		p, _ := catalog.For(m.Language)
		return chat.Answer{Text: p.Text("Search"), Record: turn(m, "")}, nil
	})
	s.visitors()
	s.logIn()
	s.request(http.MethodPost, "/language", url.Values{"language": {"de"}}, nil)
	_, body := s.send("/people", url.Values{"do": {"let-in"}, "id": {"telegram:77"}})
	if language := <-heard; language != "de" || !strings.Contains(body, "Suchen") {
		t.Errorf("asked in %q, and told %s", language, body)
	}
}
