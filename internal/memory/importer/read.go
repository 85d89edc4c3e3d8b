package importer

import (
	"bufio"
	"io"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// Message is a message of an exported conversation. ID is the same at every reading. Only
// Via may be zero.
type Message struct {
	Via  provenance.Via // 0 means typed
	Key  chat.Key
	User chat.User
	Text string
	ID   string
	At   time.Time
	Bot  bool // said by an assistant; User is the assistant
	// Owner is whose own conversation it is of, as another program had it; "" is a place that
	// the bot may know. Title is what the conversation is called there.
	Owner, Title string
}

// Read reads a whole export in one of the known formats and calls each with its messages, in
// the order of the file; it holds one of them at a time. Errors name the line or the message,
// but for those of each, which end the reading.
func Read(r io.Reader, each func(Message) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	if telegramExport(in) {
		return readTelegram(in, each)
	}
	return readLines(in, each)
}
