package console

import (
	"net/http"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// rehearse makes a test of an answer that was not right.
func (p *Page) rehearse(w http.ResponseWriter, r *http.Request, l *login) {
	path, err := p.o.Views.Capture(r.Context(), r.PostFormValue("id"), r.PostFormValue("should"))
	sentence, tell := catalog.Sentence(r.Context(), err)
	switch {
	case tell:
		p.write(w, r, "message", frame{Status: http.StatusUnprocessableEntity, Title: catalog.Text(r.Context(), "Not written"),
			CSRF: l.csrf, Nav: p.nav(r, ""), Body: sentence})
	case err != nil:
		id := chat.ErrorID()
		p.o.Log.Error("rehearsal from the control page", "id", id, "err", err)
		f := p.broken(r, id)
		f.CSRF, f.Nav = l.csrf, p.nav(r, "")
		p.write(w, r, "message", f)
	default:
		p.write(w, r, "message", frame{Title: catalog.Text(r.Context(), "Written"), CSRF: l.csrf, Nav: p.nav(r, ""),
			Body: catalog.Say(r.Context(), "It fails until the playbook is right: bot rehearse %s", path)})
	}
}
