package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/chat"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
)

// maxEdited is how long a file of rules may be to be edited here, in bytes: a form holds
// no more.
const maxEdited = 40 << 10

// ruleFile is a file of rules in the editor.
type ruleFile struct {
	Name, Text, Version string
	Agent               string // whose it is, as addresses name it
	Long                bool   // too long to be edited here
	Verdict             verdict
}

// verdict is what reading the rules with a text came to.
type verdict struct {
	Fine  bool
	Words string
	Notes []string
}

func (f ruleFile) title() string { return f.Name }

func (p *Page) ruleFile(r *http.Request) (any, error) {
	folder := p.files(p.shown(r))
	if folder == nil {
		return nil, errNone
	}
	words, version, err := folder.Read(r.PathValue("name"))
	if errors.Is(err, files.ErrNone) {
		return nil, errNone
	}
	return ruleFile{Name: r.PathValue("name"), Text: words, Version: version, Long: len(words) > maxEdited,
		Agent: r.FormValue("agent"), Verdict: verdict{Fine: true}}, err
}

// saveRules tries a text and, unless it is only to be tried, saves it.
func (p *Page) saveRules(w http.ResponseWriter, r *http.Request, l *login) {
	f := ruleFile{Name: r.PathValue("name"), Text: strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"),
		Version: r.PostFormValue("version"), Agent: r.FormValue("agent")}
	ctx, notes, err := r.Context(), []string(nil), error(nil)
	folder, saved := p.files(p.shown(r)), r.PostFormValue("do") == "save"
	if folder == nil {
		p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		return
	}
	if saved {
		notes, err = folder.Save(f.Name, f.Version, f.Text)
	} else {
		notes, err = folder.Try(f.Name, f.Text)
	}
	sentence, tell := catalog.Sentence(ctx, err)
	switch {
	case errors.Is(err, files.ErrNone):
		p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		return
	case tell:
		f.Verdict = verdict{Words: clip(sentence, maxText)}
	case err != nil:
		id := chat.ErrorID()
		p.o.Log.Error("rules on the control page", "id", id, "err", err)
		f.Verdict = verdict{Words: catalog.Say(ctx, wordsBrokenID, id)}
	case saved:
		l.tell(catalog.Text(ctx, "Saved. It counts within seconds."))
		http.Redirect(w, r, (&url.URL{Path: "/rules/" + f.Name, RawQuery: about(url.Values{}, f.Agent).Encode()}).String(), http.StatusSeeOther)
		return
	default:
		f.Verdict = verdict{Fine: true, Words: catalog.Text(ctx, "All files make sense with this text."), Notes: few(notes, 2*maxWhy, maxReason)}
	}
	p.write(w, r, "rules", frame{Title: f.Name, CSRF: l.csrf, Nav: p.nav(r, "rules"), Body: f})
}
