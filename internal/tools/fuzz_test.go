package tools

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"parley/internal/text"
)

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"title":"a"}`, `{"title":"a","size":1e999}`, `{"title":null}`, `{"title":"a","tags":["x",null]}`, `{`, `[]`, `{"a":1,"a":2}`,
		`{"title":"\ud800"}`, `{"title":"a","session":{"x":[[[1]]]}}`, `{"title":"a","size":3.0}`, "\xff", `{"title":"a"} x`, `-0`, `{"":""}`} {
		f.Add([]byte(s))
	}
	set := noteTool(plain("note"), echo)
	args := set.entries[0].args
	f.Fuzz(func(t *testing.T, raw []byte) {
		clean, _, err := args.parse(raw)
		if err != nil {
			if err.Error() == "" || len(err.Error()) > 8000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		again, dropped, err := args.parse(clean)
		if err != nil || !bytes.Equal(again, clean) || len(dropped) > 0 {
			t.Errorf("%q is clean, then %q, %v, %v", clean, again, dropped, err)
		}
		var r Runner
		if o := r.Run(t.Context(), set, Call{Name: "note", Args: raw}); o.State != Success && o.Class != Invalid {
			t.Errorf("%q: %+v", raw, o)
		}
	})
}

func FuzzReadPage(f *testing.F) {
	for _, s := range []string{trickyPage, "<p>", "<div hidden><p>x</div>y", "<pre>\n a</pre>", "<a href='http://[::1'>x</a>", "<title><b>x</title>", "\x00<svg><title>x",
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
