package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsNoThing  = "This is not there, or not any more."
	wordsBrokenID = "Something went wrong; the log has the details under %s."
	wordsDone     = "Done."
	wordsEmpty    = "There was nothing to send."
)

// deeds are what forms of the page do, by their field "do": most of them are commands
// of the owner's, which go the way of every message. "told" is what is said about it.
var deeds = map[string]struct {
	back string // the page that the form is on
	do   func(p *Page, r *http.Request) (told string, err error)
}{
	"let-in":       {"/people", ordering("/config allow", "id")},
	"handoff-take": {"/people", ordering("/handoff take", "id")},
	"handoff-back": {"/people", ordering("/handoff back", "id")},
	"reject":       {"/people", ordering("/pair drop", "id")},
	"revoke":       {"/people", ordering("/pair revoke", "id")},
	"rule-on":      {"/playbook", switching("/guideline enable", true)},
	"rule-off":     {"/playbook", switching("/guideline disable", false)},
	"set":          {"/settings", ordering("/config set", "id", "value")},
	"retry": {"/letters", func(p *Page, r *http.Request) (string, error) {
		return catalog.Text(r.Context(), "It will be read again within seconds."), letter(p.o.Store.Letters.Retry(r.Context(), formID(r)))
	}},
	"drop": {"/letters", func(p *Page, r *http.Request) (string, error) {
		return catalog.Text(r.Context(), wordsDone), letter(p.o.Store.Letters.Drop(r.Context(), formID(r)))
	}},
}

// do does what a form asks, and goes back to where it was.
func (p *Page) do(w http.ResponseWriter, r *http.Request, l *login) {
	deed, ok := deeds[r.PostFormValue("do")]
	if o, has := p.operation(r.PostFormValue("do")); has {
		deed.back, deed.do, ok = o.Form.Page, operating(o), true
	}
	if !ok {
		p.refuse(w, r, http.StatusBadRequest, wordsEmpty)
		return
	}
	told, err := deed.do(p, r)
	ctx := r.Context()
	sentence, tell := catalog.Sentence(ctx, err)
	switch {
	case tell:
		told = sentence
	case errors.Is(err, errDown):
		told = catalog.Text(ctx, wordsDown)
	case err != nil:
		id := chat.ErrorID()
		p.o.Log.Error("form of the control page", "id", id, "do", r.PostFormValue("do"), "err", err)
		told = catalog.Say(ctx, wordsBrokenID, id)
	}
	l.tell(clip(told, maxText))
	back := deed.back
	if q := r.PostFormValue("back"); q != "" { // the page of a list, or what was looked for
		if u, err := url.ParseQuery(q); err == nil {
			back += "?" + u.Encode()
		}
	}
	lead(w, r, back)
}

// operation returns the one that a form does.
func (p *Page) operation(do string) (o tools.Operation, ok bool) {
	if p.o.Views.Operations == nil {
		return o, false
	}
	all := p.o.Views.Operations()
	i := slices.IndexFunc(all, func(o tools.Operation) bool { return do != "" && o.Form.Do == do })
	if i < 0 {
		return o, false
	}
	return all[i], true
}

// operating does an operation for the owner, with the fields of its form.
func operating(o tools.Operation) func(*Page, *http.Request) (string, error) {
	return func(_ *Page, r *http.Request) (string, error) {
		fields := map[string]string{}
		for i, name := range o.Form.Args {
			value := strings.Join(strings.Fields(r.PostFormValue([]string{"id", "value"}[i])), " ")
			if value == "" {
				return catalog.Text(r.Context(), wordsEmpty), nil
			}
			if i == 0 {
				value = "=" + value // the key of the row that stands above the form
			}
			fields[name] = value
		}
		result, err := o.Do(r.Context(), tools.Call{Caller: tools.Caller{Operator: true}}, o.Given(fields))
		return result.Content, err
	}
}

// tell leaves word for the next page; the latest counts.
func (l *login) tell(told string) {
	select {
	case <-l.news:
	default:
	}
	select {
	case l.news <- told:
	default: // somebody was faster
	}
}

func formID(r *http.Request) int64 {
	n, _ := strconv.ParseInt(r.PostFormValue("id"), 10, 64) // 0 is nobody's
	return n
}

// letter says for people that a dead letter is gone.
func letter(err error) error { return text.Instead(err, memory.ErrNoLetter, wordsNoThing) }

func ordering(command string, fields ...string) func(*Page, *http.Request) (string, error) {
	return func(p *Page, r *http.Request) (string, error) { return p.order(r, command, fields...) }
}

// switching turns a rule on or off: in the chat, and where there are several agents, by
// the one whose rule it is, who may not be the one that answers in the page's chat.
func switching(command string, on bool) func(*Page, *http.Request) (string, error) {
	return func(p *Page, r *http.Request) (string, error) {
		of := p.shown(r)
		if of == nil || p.o.Views.Switch == nil {
			return p.order(r, command, "id")
		}
		known, err := p.o.Views.Switch(r.Context(), of, r.PostFormValue("id"), on)
		if err != nil || !known {
			return catalog.Text(r.Context(), wordsNoThing), err
		}
		return catalog.Text(r.Context(), wordsDone), nil
	}
}

// oneWord is what an id or a name looks like: nothing that could be more of a command.
func oneWord(s string) bool {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.:/@-", r)
	}
	return s != "" && utf8.RuneCountInString(s) <= 200 && utf8.ValidString(s) && !strings.ContainsFunc(s, odd)
}

// order gives a command with fields of a form: the first is one word, the last may be
// the rest of a line.
func (p *Page) order(r *http.Request, command string, fields ...string) (string, error) {
	line := command
	for i, name := range fields {
		value := strings.TrimSpace(r.PostFormValue(name))
		if i == 0 && !oneWord(value) || value == "" || len(value) > 500 || strings.ContainsFunc(value, unicode.IsControl) {
			return catalog.Text(r.Context(), "That is not one line of plain text; nothing was changed."), nil
		}
		line += " " + value
	}
	return p.Chat.order(r.Context(), line)
}
