package lanes

import (
	"errors"
	"sync/atomic"

	"parley/internal/chat"
)

// Fact is a write of what has happened, such as that a part was sent. Whose the
// conversation is by now decides about what is to happen there, and not about this: it is
// stored all the same, as far as nobody else has done the same meanwhile, and whoever
// stores it is told that it has nothing more to do there. The write may run again, also
// after its caller went on (engine.DB.Soon).
type Fact struct{ late atomic.Bool }

// Held takes what Hold says of the conversation. Late is what the write is then; an error
// ends it.
func (f *Fact) Held(err error) (late bool, _ error) {
	late = errors.Is(err, chat.ErrFenced)
	f.late.Store(late)
	if late {
		return true, nil
	}
	return false, err
}

// Told returns what the caller is told once the write ended: ErrFenced where it was late.
func (f *Fact) Told(err error) error {
	if err == nil && f.late.Load() {
		return chat.ErrFenced
	}
	return err
}
