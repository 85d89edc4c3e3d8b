package importer

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// head is what a message is sorted by. A mark comes before all messages of its place and
// says, with User, who of the people in one run spoke there first.
type head struct {
	key  chat.Key
	mark bool
	at   time.Time
}

func (a head) compare(b head) int {
	if c := cmp.Or(cmp.Compare(a.key.Platform, b.key.Platform), cmp.Compare(a.key.Channel, b.key.Channel),
		cmp.Compare(a.key.Thread, b.key.Thread)); c != 0 {
		return c
	}
	if a.mark != b.mark {
		if a.mark {
			return -1
		}
		return 1
	}
	return a.at.Compare(b.at)
}

func headOf(m Message) head { return head{key: m.Key, at: m.At} }

// maxField bounds a field of a record, so that a damaged one is an error: a text may have
// grown where bytes were no text.
const maxField = 4 * maxLine

// Flags of a record.
const (
	flagMark = 1 << iota
	flagBot
)

// appendRecord appends a message, or a mark, as bytes: first what it is sorted by.
func appendRecord(b []byte, h head, m Message) []byte {
	flags := byte(0)
	if h.mark {
		flags |= flagMark
	}
	if m.Bot {
		flags |= flagBot
	}
	b = append(b, flags)
	for _, s := range []string{h.key.Platform, h.key.Channel, h.key.Thread} {
		b = appendText(b, s)
	}
	b = binary.AppendVarint(b, h.at.Unix())
	b = binary.AppendUvarint(b, uint64(h.at.Nanosecond())) //nolint:gosec // never negative
	b = binary.AppendUvarint(b, uint64(m.Via))
	for _, s := range []string{m.User.ID, m.User.Name, m.ID, m.Text, m.Owner, m.Title} {
		b = appendText(b, s)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// recordReader reads records: of each its head, and then, if at all, its rest. The first
// error stays.
type recordReader struct {
	in  *bufio.Reader
	err error
}

// head reads the beginning of a record; io.EOF says that there is none.
func (r *recordReader) head() (h head, bot bool, err error) {
	flags, err := r.in.ReadByte()
	if err != nil {
		return h, false, err
	}
	h.mark = flags&flagMark != 0
	h.key = chat.Key{Platform: r.text(), Channel: r.text(), Thread: r.text()}
	seconds, err := binary.ReadVarint(r.in)
	r.fail(err)
	h.at = time.Unix(seconds, int64(r.number())) //nolint:gosec // below a second
	return h, flags&flagBot != 0, r.err
}

// rest reads what follows a head.
func (r *recordReader) rest(h head, bot bool) (Message, error) {
	m := Message{Key: h.key, At: h.at, Bot: bot, Via: provenance.Via(r.number())} //nolint:gosec // it was one
	for _, s := range []*string{&m.User.ID, &m.User.Name, &m.ID, &m.Text, &m.Owner, &m.Title} {
		*s = r.text()
	}
	return m, r.err
}

func (r *recordReader) number() uint64 {
	n, err := binary.ReadUvarint(r.in)
	r.fail(err)
	return n
}

func (r *recordReader) text() string {
	n := r.number()
	if n > maxField {
		r.fail(errors.New("a record is damaged"))
	}
	if r.err != nil || n == 0 {
		return ""
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r.in, b)
	r.fail(err)
	return string(b)
}

func (r *recordReader) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	r.err = errors.Join(r.err, err)
}
