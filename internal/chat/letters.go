package chat

import "errors"

// Renormalizer is an Adapter that can read an event again that was put aside,
// after an update of Parley or because the owner asks for it.
type Renormalizer interface {
	// Renormalize makes messages of an event as DeadLetter.Raw or Message.Raw
	// held it: none when it is of no use. ErrNotReady means that the adapter
	// cannot tell yet; any other error says, without anybody's words, why it
	// still cannot be read.
	Renormalize(raw []byte) ([]Message, error)
}

// ErrNotReady is returned by Renormalize before the adapter is connected.
var ErrNotReady = errors.New("not connected yet")
