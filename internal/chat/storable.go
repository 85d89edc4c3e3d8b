package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Storable returns what the inbox holds of a message, or why it can never be
// stored: without its identity it could end up in somebody else's conversation.
func Storable(m Message) (body string, err error) {
	switch {
	case m.Key.Platform == "" || m.Key.Channel == "":
		return "", errors.New("a message without a conversation")
	case m.ID == "":
		return "", errors.New("a message without an id")
	case m.From.ID == "" && m.Kind != KindSkipped && m.Kind != KindDeleted && m.Kind != KindAdded:
		return "", errors.New("a message without an author")
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("a message that has no stored form: %w", err)
	}
	return string(b), nil
}

// Letter returns what is kept of a message that can never be stored.
func Letter(m Message, reason error) DeadLetter {
	raw := m.Raw
	if len(raw) == 0 {
		m.At = time.Time{} // the one field whose values may have no form
		raw, _ = json.Marshal(m)
	}
	id := m.Key.String() + "|" + m.ID
	if m.ID == "" {
		sum := sha256.Sum256(raw) // the same event, delivered again, is the same letter
		id = "raw:" + hex.EncodeToString(sum[:16])
	}
	return DeadLetter{ID: id, Raw: raw, Reason: reason.Error()}
}
