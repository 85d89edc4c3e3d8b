package memory

import (
	"errors"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// revivals keeps what platforms tell once more after a restore away from those who were
// forgotten: a copy from before does not know that it was heard, and their channels are
// read again from where it ends.
type revivals struct {
	mu    sync.Mutex
	asked bool
	at    time.Time // of the last restore; zero for none
	books []forgottenBook
}

// restoredAt is the row that says when a copy was restored last.
const restoredAt = "restored_at"

// again has the next message ask anew.
func (v *revivals) again() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = false
}

// load reads when a copy was restored, and who had been forgotten. It asks once.
func (v *revivals) load(s *Store) (time.Time, []forgottenBook, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asked {
		return v.at, v.books, nil
	}
	v.at, v.books = time.Time{}, nil
	var stamp []byte
	err := s.db.QueryRow("SELECT value FROM secrets WHERE name = ?", restoredAt).Scan(&stamp)
	if errors.Is(err, ErrNotFound) {
		err = nil
	} else if err == nil {
		v.at = engine.ParseStamp(string(stamp))
		v.books, err = s.forgottenBooks()
	}
	v.asked = err == nil
	return v.at, v.books, during("look after a restore", err)
}

// withoutRevived leaves out what was said before the last restore by people who asked, after
// they had said it, to be forgotten. Fresh messages cost no look.
func (s *Store) withoutRevived(list []chat.Message) ([]chat.Message, error) {
	at, books, err := s.revived.load(s)
	if err != nil || at.IsZero() {
		return list, err
	}
	kept := make([]chat.Message, 0, len(list))
	for _, m := range list {
		said, forgotten := m.At, ""
		if said.Nanosecond() == 0 { // Telegram counts whole seconds, and repeats nothing
			said = said.Add(time.Second)
		}
		for _, b := range books {
			if m.At.IsZero() || said.After(at) {
				break
			}
			mark, e := markOf(b.Key, m.From.ID)
			err = errors.Join(err, e)
			forgotten = max(forgotten, b.Marks[mark])
		}
		if Stamp(said) > forgotten {
			kept = append(kept, m)
		}
	}
	return kept, err
}
