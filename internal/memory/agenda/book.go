// Package agenda keeps what people want to be reminded of, do and note down:
// reminders, tasks and the lines of a journal, as rows. It does not decide when a
// reminder is due to be said (a cron tick does), and does not say it.
package agenda

import (
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// Agenda is the reminders, tasks and journals of a database. It is safe for many
// goroutines. The store of everything else holds one, with the same writer.
type Agenda struct {
	db     *engine.DB
	now    func() time.Time
	notify Notify
}

// Notify puts parts into the outbox within a transaction, once for each what.
type Notify func(tx *engine.Tx, what string, parts []chat.Part) error

// New returns what is kept of a database whose schema is up to date.
func New(db *engine.DB, now func() time.Time, notify Notify) *Agenda {
	return &Agenda{db, now, notify}
}

// ofOwner is the condition on rows that belong to one person: theirs, in company
// only those from the same channel, and each with the agent that was told. Its
// parameters come from Viewer.Named.
const ofOwner = ` user_id = :user AND (:direct OR (platform = :platform AND channel = :channel)) AND ` + provenance.Heard + ` `
