package importer

import (
	"bufio"
	"io"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// Message is one message of an older conversation. ID is the same at every
// reading; none of the fields but Via is empty.
type Message struct {
	Via  provenance.Via // 0 is typed
	Key  chat.Key
	User chat.User
	Text string
	ID   string
	At   time.Time
}

// Read reads an export of one of the known formats to its end, in the order of
// the file. An error names the line or the message.
func Read(r io.Reader) ([]Message, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if telegramExport(in) {
		return readTelegram(in)
	}
	return readLines(in)
}
