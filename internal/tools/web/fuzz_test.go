package web

import (
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/text"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func FuzzReadPage(f *testing.F) {
	for _, s := range []string{trickyPage, "<p>", "<div hidden><p>x</div>y", "<pre>\n a</pre>", "<a href='http://[::1'>x</a>",
		"<title><b>x</title>", "\x00<svg><title>x",
		strings.Repeat("<div>", 600), "<main>" + strings.Repeat("word ", 200) + "</main><p>tail", "<table><tr><td>a", "\x1b[31m<p>\u202ex"} {
		f.Add(s)
	}
	base := &url.URL{Scheme: "https", Host: "example.org", Path: "/"}
	f.Fuzz(func(t *testing.T, doc string) {
		p, err := readPage(strings.NewReader(doc), base)
		if err != nil {
			return
		}
		for _, s := range []string{p.text, p.title} {
			if clean, hidden := text.Strip(s); clean != s || hidden > 0 {
				t.Errorf("not clean: %q", s)
			}
		}
		if len(p.links) > maxLinks {
			t.Errorf("%d links", len(p.links))
		}
	})
}
