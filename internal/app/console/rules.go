package console

import (
	"errors"
	"net/http"
	"net/url"

	"parley/internal/app/trial"
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
	Tries               bool   // changes can be tried on the past
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
	if c, ok := p.triedText(r, folder); ok {
		words, version = c.Value, c.Version
	}
	return ruleFile{Name: r.PathValue("name"), Text: words, Version: version, Long: len(words) > maxEdited, Tries: p.o.Views.Trial != nil,
		Agent: r.FormValue("agent"), Verdict: verdict{Fine: true}}, err
}

// triedText is the text of a file that was tried and not saved. ok is false for none.
func (p *Page) triedText(r *http.Request, folder *files.Folder) (c trial.Change, ok bool) {
	if p.o.Views.Trial == nil || r.FormValue("tried") == "" {
		return c, false
	}
	c = p.o.Views.Trial.State().Change
	return c, c.Kind == trial.File && c.Name == r.PathValue("name") && c.Dir == folder.Dir
}

// saveRules checks a text and, if asked to, saves it.
func (p *Page) saveRules(w http.ResponseWriter, r *http.Request, l *login) {
	f := ruleFile{Name: r.PathValue("name"), Text: plainLines(r.PostFormValue("text")),
		Version: r.PostFormValue("version"), Agent: r.FormValue("agent"), Tries: p.o.Views.Trial != nil}
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
	tries := err == nil && f.Tries && r.PostFormValue("do") == "try"
	if tries {
		err = p.start(r, trial.Change{Kind: trial.File, Name: f.Name, Value: f.Text, Dir: folder.Dir, Agent: f.Agent, Version: f.Version},
			trial.Budget{})
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
	case tries:
		lead(w, r, "/tryout")
		return
	case saved:
		l.tell(catalog.Text(ctx, "Saved. It counts within seconds."))
		lead(w, r, (&url.URL{Path: "/rules/" + f.Name, RawQuery: about(url.Values{}, f.Agent).Encode()}).String())
		return
	default:
		f.Verdict = verdict{Fine: true, Words: catalog.Text(ctx, "All files make sense with this text."), Notes: few(notes, 2*maxWhy, maxReason)}
	}
	p.write(w, r, "rules", frame{Title: f.Name, CSRF: l.csrf, Nav: p.nav(r, "rules"), Body: f})
}
