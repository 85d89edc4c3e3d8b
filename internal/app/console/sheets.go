package console

import (
	"cmp"
	"fmt"
	"html/template"
	"sync"
	"time"

	"parley/internal/chat"
	whole "parley/internal/text"
	"parley/internal/text/catalog"
)

// sheets are the templates in each language, parsed on first use.
type sheets struct {
	currency string // written after amounts

	mu  sync.Mutex // guards all
	all map[string]map[string]*template.Template
}

// in returns the templates of a language by name, each within the frame.
func (s *sheets) in(p catalog.Printer) map[string]*template.Template {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set := s.all[p.Tag()]; set != nil {
		return set
	}
	all := template.Must(template.New("frame.html").Funcs(s.funcs(p)).ParseFS(assets, "templates/frame.html", "templates/parts.html"))
	set := map[string]*template.Template{}
	for _, name := range []string{"message", "login", "overview", "conversations", "conversation", "turn", "call",
		"member", "memberlogin", "memberlogins", "script", "sessions", "session", "facts", "playbook", "settings", "rules", "people",
		"letters", "chat", "tryout"} {
		set[name] = template.Must(template.Must(all.Clone()).ParseFS(assets, "templates/"+name+".html"))
	}
	s.all[p.Tag()] = set
	return set
}

// funcs are the functions of templates. Texts for people are the first argument of t, say
// and rich; counted things are the last one of many. The catalogs find them there.
func (s *sheets) funcs(p catalog.Printer) template.FuncMap {
	return template.FuncMap{
		"t": p.Text, "word": word(p),
		"say": p.Say, "rich": rich(p), "many": p.Many, "ended": func(e chat.End) string { return ended(p, e) },
		"prose": prose, "marked": marked, "clip": clip,
		"moment": func(t time.Time) template.HTML { // nothing in it needs escaping
			return template.HTML(`<time datetime="` + machine(t) + `">` + stamp(p, t) + "</time>")
		},
		"stamp": func(t time.Time) string { return stamp(p, t) },
		"day":   func(t time.Time, layout string) string { return p.Time(t, layout) },
		"took":  func(d time.Duration) string { return took(p, d) },
		"count": func(n int) string { return count(p, n) },
		"money": func(amount float64) string {
			if amount == 0 {
				return ""
			}
			return p.Figure(whole.Money(amount, s.currency))
		},
		"place":  func(k chat.Key) string { return k.String() },
		"millis": func(ms int64) string { return took(p, time.Duration(ms)*time.Millisecond) },
	}
}

// word says a stored word, such as an outcome, to people.
func word(p catalog.Printer) func(any) string {
	return func(stored any) string {
		said := fmt.Sprint(stored)
		return p.Text(cmp.Or(told[said], said))
	}
}

// ended says how a message ended, and why.
func ended(p catalog.Printer, e chat.End) string {
	if e.Reason == "" {
		return p.Text(string(e.Outcome))
	}
	return p.Text(string(e.Outcome)) + ": " + p.Text(string(e.Reason))
}

// told maps stored words to what people read, where the word alone says too little.
var told = map[string]string{
	"rules": "rules", "model": "model", "tool": "tool", // steps
	"owner": "owner", "member": "let in", "denied": "kept out", // roles
	"fact": "fact", "preference": "preference", "decision": "decision", "insight": "insight", // kinds of facts
	"user": "the person", "assistant": "assistant", "system": "the program", // who wrote them
	// purposes of calls
	"answer": "answer", "playbook": "playbook", "summary": "summary", "librarian": "librarian", "embedding": "vectors",
	"transcription": "speech to text",
}
