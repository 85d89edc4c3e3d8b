package page

import (
	"net/http"

	"parley/internal/chat"
	"parley/internal/text"
)

// rehearse makes a test of an answer that was not right.
func (p *Page) rehearse(w http.ResponseWriter, r *http.Request, l *login) {
	path, err := p.o.Views.Capture(r.Context(), r.PostFormValue("id"), r.PostFormValue("should"))
	sentence, tell := "", false
	if err != nil {
		sentence, tell = text.ForPeople(err)
	}
	switch {
	case tell:
		p.write(w, http.StatusUnprocessableEntity, "message", frame{Title: "Not written", CSRF: l.csrf, Nav: p.nav(""), Body: sentence})
	case err != nil:
		id := chat.ErrorID()
		p.o.Log.Error("rehearsal from the control page", "id", id, "err", err)
		p.write(w, http.StatusInternalServerError, "message", frame{Title: "Error", CSRF: l.csrf, Nav: p.nav(""), Body: wordsBroken + id + "."})
	default:
		p.write(w, http.StatusOK, "message", frame{Title: "Written", CSRF: l.csrf, Nav: p.nav(""), Body: wordsCaptured + path})
	}
}
