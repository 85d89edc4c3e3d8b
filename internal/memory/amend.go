package memory

import (
	"context"
	"encoding/json"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

// TakenBack stands in a transcript for the words of a message that was deleted. The message
// itself stays: what was done for it was done.
const TakenBack = "(this message was deleted)"

// EditMessage replaces what a person wrote, when it is stored already; it reports whether it
// was. What came with the words stays, and the ways they came by only grow: an edit can hide
// none. What was made of the old words is amended as well.
func (s *Store) EditMessage(ctx context.Context, k chat.Key, messageID, text string, via Via) (found bool, err error) {
	if text == "" {
		return false, nil
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		found, err = s.amend(tx, k, messageID, amendment{text, via | provenance.ViaEdited, false})
		return err
	})
	return found, during("edit message", err)
}

// amendment is what a stored message became.
type amendment struct {
	text    string
	via     Via
	deleted bool
}

// utterance is a stored message of a person.
type utterance struct {
	key                    chat.Key
	id                     string // as the platform names it
	row                    int64
	session, user, content string
}

// amend gives the stored message with an id of its platform its new words, and amends what was
// made of the old ones: facts that it no longer supports are forgotten, and can be brought
// back; summaries are made again.
func (s *Store) amend(tx *engine.Tx, k chat.Key, messageID string, a amendment) (found bool, err error) {
	if messageID == "" {
		return false, nil
	}
	list, err := engine.Select(tx, func(r engine.Scanner) (m utterance, err error) {
		m.key, m.id = k, messageID
		err = r.Scan(&m.row, &m.session, &m.user, &m.content)
		return m, err
	}, "SELECT id, session_id, user_id, content FROM messages WHERE platform = ? AND channel = ? AND thread = ? AND message_id = ? AND message_id <> "+
		"'' AND role = 'user'", k.Platform, k.Channel, k.Thread, messageID)
	for _, m := range list {
		if err == nil && m.content != a.text {
			err = s.amendOne(tx, m, a)
		}
	}
	return len(list) > 0, err
}

func (s *Store) amendOne(tx *engine.Tx, m utterance, a amendment) error {
	if _, err := tx.Exec("UPDATE messages SET content = :text, via = via | :via, attached = iif(:deleted, '', attached), "+
		"tokens = iif(:deleted, :tokens, tokens) WHERE id = :id", engine.Named{"text": a.text, "via": int(a.via), "deleted": a.deleted,
		"tokens": llm.EstimateTokens(llm.Message{Role: llm.RoleUser, Content: a.text}), "id": m.row}); err != nil {
		return err
	}
	if err := s.resummarize(tx, m); err != nil {
		return err
	}
	supports := a.text
	if a.deleted {
		supports = ""
	}
	if err := sessions.Unsaid(tx, sessions.Unsaying{Session: m.session, Message: m.id, Was: m.content, Now: supports}); err != nil {
		return err
	}
	author := facts.Viewer{User: m.user, Key: m.key}
	if err := s.Facts.Unsaid(tx, author, m.id, supports); err != nil {
		return err
	}
	beside, err := besides(tx, m)
	for _, late := range beside {
		if err == nil {
			err = s.Facts.UnsaidBeside(tx, author, sessions.Unsaying{Message: late.id, Was: m.content, Now: supports}, late.content)
		}
	}
	return err
}

// besides returns the messages of the same person whose turns also read m: it had got no answer
// before, because the model was not there, or an answer was stopped.
func besides(tx *engine.Tx, m utterance) ([]utterance, error) {
	return engine.Select(tx, func(r engine.Scanner) (late utterance, err error) {
		err = r.Scan(&late.id, &late.content)
		return late, err
	}, `SELECT late.message_id, late.content FROM messages late WHERE late.session_id = ? AND late.id > ? AND late.role = 'user'
		AND late.user_id = ? AND late.message_id <> '' AND late.id < coalesce((SELECT min(answer.id) FROM messages answer
		WHERE answer.session_id = late.session_id AND answer.role = 'assistant' AND answer.id > ? + 0), 9223372036854775807)
		ORDER BY late.id LIMIT 50`, m.session, m.row, m.user, m.row)
}

// resummarize makes a session owe the summary that a message is part of, and takes the
// message's words from what later sessions carry of it. Until the debt is paid there is no
// summary, rather than one that says what nobody says any more.
func (s *Store) resummarize(tx *engine.Tx, m utterance) error {
	debt, err := json.Marshal(sessions.Debt{})
	if err != nil {
		return err
	}
	args := engine.Named{"id": m.session, "row": m.row, "debt": string(debt), "now": Stamp(s.now())}
	if _, err := tx.Exec(`UPDATE sessions SET summary = '', closing = '', title = '', page = '[]', mentions = '{}', debt = :debt, owed_at = :now, summary_tries = 0,
		generation = generation + 1 WHERE id = :id AND (ended_at <> '' OR summarized_at >= :row)`, args); err != nil {
		return err
	}
	later, err := engine.Select(tx, func(r engine.Scanner) (p carriedPage, err error) {
		err = r.Scan(&p.id, engine.JSON(&p.lines))
		return p, err
	}, `SELECT l.id, l.page FROM sessions l JOIN sessions s ON s.id = :id AND l.platform = s.platform AND l.channel = s.channel AND l.thread = s.thread AND l.user_id = s.user_id
		WHERE l.id <> s.id AND l.created_at >= s.created_at AND EXISTS (SELECT 1 FROM json_each(l.page) WHERE value ->> '$.session' = :id)`, args)
	if err != nil {
		return err
	}
	for _, p := range later {
		kept := make([]sessions.Line, 0, len(p.lines))
		for _, l := range p.lines {
			if l.Session != m.session || !sessions.Says(m.content, l.Said()) {
				kept = append(kept, l)
			}
		}
		if len(kept) == len(p.lines) {
			continue
		}
		page, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE sessions SET page = ?, generation = generation + 1 WHERE id = ?", string(page), p.id); err != nil {
			return err
		}
	}
	return nil
}

// carriedPage is what a session carries of earlier ones.
type carriedPage struct {
	id    string
	lines []sessions.Line
}
