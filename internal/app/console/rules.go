package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
)

// maxEdited is the longest rule file that can be edited here, in bytes: a form holds no
// more.
const maxEdited = 40 << 10

// ruleFile is a file of rules in the editor.
type ruleFile struct {
	Name, Text, Version string
	Agent               string // its agent, in addresses
	Long                bool   // too long for the editor
	Verdict             verdict
}

// verdict is the result of checking all rules with a changed file.
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

// saveRules checks a text and, if asked to, saves it.
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
		f.Verdict = verdict{Words: p.broken(r, err)}
	case saved:
		l.tell(catalog.Text(ctx, "Saved. It counts within seconds."))
		lead(w, r, (&url.URL{Path: "/rules/" + f.Name, RawQuery: about(url.Values{}, f.Agent).Encode()}).String())
		return
	default:
		f.Verdict = verdict{Fine: true, Words: catalog.Text(ctx, "All files make sense with this text."), Notes: few(notes, 2*maxWhy, maxReason)}
	}
	p.write(w, r, "rules", frame{Title: f.Name, CSRF: l.csrf, Nav: p.nav(r, "rules"), Body: f})
}
