package page

import (
	"errors"
	"net/http"
	"strings"

	"parley/internal/chat"
	"parley/internal/rulefiles"
	"parley/internal/tongue"
)

// maxEdited is how long a file of rules may be to be edited here, in bytes: a form holds
// no more.
const maxEdited = 40 << 10

// ruleFile is a file of rules in the editor.
type ruleFile struct {
	Name, Text, Version string
	Long                bool // too long to be edited here
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
	words, version, err := p.o.Rules.Read(r.PathValue("name"))
	if errors.Is(err, rulefiles.ErrNone) {
		return nil, errNone
	}
	return ruleFile{Name: r.PathValue("name"), Text: words, Version: version, Long: len(words) > maxEdited, Verdict: verdict{Fine: true}}, err
}

// saveRules tries a text and, unless it is only to be tried, saves it.
func (p *Page) saveRules(w http.ResponseWriter, r *http.Request, l *login) {
	f := ruleFile{Name: r.PathValue("name"), Text: strings.ReplaceAll(r.PostFormValue("text"), "\r\n", "\n"), Version: r.PostFormValue("version")}
	ctx, notes, err := r.Context(), []string(nil), error(nil)
	saved := r.PostFormValue("do") == "save"
	if saved {
		notes, err = p.o.Rules.Save(f.Name, f.Version, f.Text)
	} else {
		notes, err = p.o.Rules.Try(f.Name, f.Text)
	}
	sentence, tell := tongue.Sentence(ctx, err)
	switch {
	case errors.Is(err, rulefiles.ErrNone):
		p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		return
	case tell:
		f.Verdict = verdict{Words: clip(sentence, maxText)}
	case err != nil:
		id := chat.ErrorID()
		p.o.Log.Error("rules on the control page", "id", id, "err", err)
		f.Verdict = verdict{Words: tongue.Say(ctx, wordsBrokenID, id)}
	case saved:
		l.tell(tongue.Text(ctx, wordsSaved))
		http.Redirect(w, r, "/rules/"+f.Name, http.StatusSeeOther)
		return
	default:
		f.Verdict = verdict{Fine: true, Words: tongue.Text(ctx, wordsFine), Notes: few(notes, 2*maxWhy, maxReason)}
	}
	p.write(w, r, "rules", frame{Title: f.Name, CSRF: l.csrf, Nav: p.nav(r, "rules"), Body: f})
}
