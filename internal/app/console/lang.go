package console

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	whole "parley/internal/text"
	"parley/internal/text/catalog"
)

// languageAge is how long a chosen language is kept, in seconds.
const languageAge = 365 * 24 * 60 * 60

// language returns the language chosen on the page, else the first one of the browser that
// exists.
func (p *Page) language(r *http.Request) catalog.Printer {
	if c, err := r.Cookie(doorOf(r).cookie + "_language"); err == nil {
		if spoken, known := catalog.For(c.Value); known {
			return spoken
		}
	}
	return catalog.Accepted(r.Header.Get("Accept-Language"))
}

// choose stores a language and returns to the page. It needs no login: it affects only
// what this browser is shown.
func (p *Page) choose(w http.ResponseWriter, r *http.Request) {
	c := doorOf(r).newCookie("_language", "", -1)
	if spoken, known := catalog.For(r.PostFormValue("language")); known { // otherwise the browser's language
		c.Value, c.MaxAge = spoken.Tag(), languageAge
	}
	http.SetCookie(w, c)
	lead(w, r, local(r.PostFormValue("back")))
}

// local returns an address within this page; anything else becomes the overview.
func local(back string) string {
	u, err := url.Parse(back)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(u.Path, "/") ||
		strings.ContainsAny(back, "\\\r\n") || strings.HasPrefix(u.Path, "//") {
		return "/"
	}
	return u.RequestURI()
}

// tongues returns the languages as links.
func tongues(now catalog.Printer) (list []link) {
	for _, p := range catalog.Printers() {
		list = append(list, link{p.Tag(), p.Name(), p == now})
	}
	return list
}

// marks are the markup in our own texts: `code`, and [links](/path) within the page.
var marks = whole.Pattern("`([^`]+)`|\\[([^\\]]+)\\]\\((/[a-z?=:]*)\\)")

// rich returns words with marks as HTML; what is filled in has none.
func rich(p catalog.Printer) func(words string, args ...any) template.HTML {
	return func(words string, args ...any) template.HTML {
		format := marks().ReplaceAllStringFunc(template.HTMLEscapeString(p.Text(words)), func(mark string) string {
			m := marks().FindStringSubmatch(mark)
			if m[1] != "" {
				return "<code>" + m[1] + "</code>"
			}
			return `<a href="` + strings.TrimPrefix(m[3], "/") + `">` + m[2] + "</a>"
		})
		if len(args) == 0 {
			return template.HTML(format) // escaped above
		}
		for i, a := range args {
			if _, safe := a.(template.HTML); !safe {
				args[i] = template.HTMLEscaper(a)
			}
		}
		return template.HTML(fmt.Sprintf(format, args...)) // each part is escaped
	}
}
