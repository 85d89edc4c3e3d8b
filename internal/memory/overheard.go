package memory

import (
	"context"
	"errors"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/access"
	"parley/internal/memory/provenance"
)

// Telling is who learns from an answer that the bot reads along.
type Telling byte

// Who can be told. The zero Telling tells nobody.
const (
	TellsNobody Telling = iota
	TellsPerson
	TellsPlace
)

// Overheard is the Record of a message that nobody said to the bot, where it reads along.
type Overheard struct {
	// Line is what is kept of it, unless its author is left out by then; nothing without words.
	Line
	// Tells is whom the answer tells so. It is said once, however many say it at a time.
	Tells Telling
}

// Ending implements chat.Ended.
func (o *Overheard) Ending() chat.End { return chat.End{Outcome: chat.Overheard} }

func (o *Overheard) store(tx *engine.Tx, s *Store, m chat.Message) error {
	if o.Entry.Content != "" {
		out, err := access.Silent(tx, m.Key, m.From.ID)
		if err == nil && !out {
			_, err = s.add(tx, o.Line)
		}
		if err != nil {
			return err
		}
	}
	return s.countOverheard(tx, m.Key)
}

// may implements mayAnswer.
func (o *Overheard) may(tx *engine.Tx, s *Store, m chat.Message) (bool, error) {
	switch o.Tells {
	case TellsPlace:
		first, err := access.TellPlace(tx, m.Key, s.now())
		if err == nil && first {
			_, err = access.TellPerson(tx, m.Key, m.From.ID, s.now())
		}
		return first, err
	case TellsPerson:
		return access.TellPerson(tx, m.Key, m.From.ID, s.now())
	}
	return true, nil
}

// mayAnswer is a Record that decides in the transaction whether its answer is said.
type mayAnswer interface {
	may(tx *engine.Tx, s *Store, m chat.Message) (bool, error)
}

// said returns those of an answer's parts that are said.
func (s *Store) said(tx *engine.Tx, m chat.Message, parts []chat.Part, record any) ([]chat.Part, error) {
	r, ok := record.(mayAnswer)
	if !ok {
		return parts, nil
	}
	if may, err := r.may(tx, s, m); err != nil || !may {
		return nil, err
	}
	return parts, nil
}

// may implements mayAnswer: what nobody asked for is counted.
func (t *Turn) may(tx *engine.Tx, s *Store, m chat.Message) (bool, error) {
	t.unsaid, t.silent = false, false
	if !m.Overhears() && t.Unasked == 0 {
		return true, nil
	}
	var err error
	if t.silent, err = access.Silent(tx, m.Key, m.From.ID); err != nil {
		return false, err
	}
	spoken := false
	if !t.silent {
		spoken, err = access.SpeakUnasked(tx, m.Key, t.Unasked, s.now())
	}
	t.unsaid = !spoken
	return spoken, err
}

// forgetBatch is how many messages ForgetOverheard amends in one transaction.
const forgetBatch = 50

// ForgetOverheard deletes what was overheard of somebody in a channel, or on its whole
// platform if k has none, and amends what was made of it, as if they had deleted it. It can be
// cut short and called again. It returns how many messages that were.
func (s *Store) ForgetOverheard(ctx context.Context, k chat.Key, user string) (n int, err error) {
	for {
		some := 0
		err := s.db.Write(ctx, func(tx *engine.Tx) error {
			some = 0
			list, err := engine.Select(tx, func(r engine.Scanner) (m utterance, err error) {
				err = r.Scan(&m.row, &m.session, &m.user, &m.content, &m.id, &m.key.Platform, &m.key.Channel, &m.key.Thread)
				return m, err
			}, `SELECT id, session_id, user_id, content, message_id, platform, channel, thread FROM messages
				WHERE user_id = :user AND platform = :platform AND :channel IN ('', channel) AND role = 'user' AND via & :overheard <> 0
				ORDER BY id LIMIT :most + 0`, engine.Named{"user": user, "platform": k.Platform, "channel": k.Channel,
				"overheard": int(provenance.ViaOverheard), "most": forgetBatch})
			if err != nil {
				return err
			}
			for _, m := range list {
				_, e := tx.Exec("DELETE FROM messages WHERE id = ?", m.row)
				if err = errors.Join(s.amendOne(tx, m, amendment{TakenBack, 0, true}), e); err != nil {
					return err
				}
			}
			some = len(list)
			return nil
		})
		if n += some; err != nil || some < forgetBatch {
			s.letGo()
			return n, during("forget what was overheard", err)
		}
	}
}

// Overheard reports whether an entry was said to others, where the bot read along.
func (e Entry) Overheard() bool {
	return e.Role == llm.RoleUser && e.Origin.Via&provenance.ViaOverheard != 0
}
