// Package previews notes in the data folder which previews of answers stand, so that a process
// that is killed while the database is away leaves none behind: its next start knows them.
// It holds ids, and nobody's words. What becomes of a preview the Hub and the rows decide.
package previews

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"parley/internal/chat"
)

// Name is the file inside the data folder.
const Name = "previews"

// A note stands in a slot of its own, which is written at once: a process that is killed has
// written it or not. Slots are used again, so that a disk that is full takes notes, too.
const (
	slot  = 512 // bytes
	first = 128 // slots that are made with the file
)

// Book is the file, and what stands in it. It is safe for many goroutines.
type Book struct {
	path string

	mu    sync.Mutex // guards the rest
	file  *os.File   // nil while there is none
	slots []*chat.Preview
}

var _ chat.Previews = (*Book)(nil)

// Open reads the notes that earlier processes left, and makes room for some. A disk without
// any is tried again with the first note. What cannot be read is no note. The caller closes
// the Book.
func Open(path string) (*Book, error) {
	b := &Book{path: path}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		_ = b.ready() // Note says what is in the way
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the notes of previews: %w", err)
	}
	b.file = f
	for {
		one := make([]byte, slot)
		n, err := io.ReadFull(f, one)
		if n == 0 {
			return b, nil
		}
		var p chat.Preview
		if json.Unmarshal(bytes.TrimRight(one[:n], " \n\x00"), &p) != nil || p.ID == "" {
			b.slots = append(b.slots, nil)
		} else {
			b.slots = append(b.slots, &p)
		}
		if err != nil {
			return b, nil
		}
	}
}

// Note implements chat.Previews.
func (b *Book) Note(p chat.Preview) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.find(p) >= 0 {
		return nil
	}
	line, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("note a preview: %w", err)
	}
	if len(line) >= slot {
		return fmt.Errorf("note a preview: its names have %d bytes", len(line))
	}
	if err := b.ready(); err != nil {
		return fmt.Errorf("note a preview: %w", err)
	}
	i := slices.Index(b.slots, nil)
	if i < 0 {
		i, b.slots = len(b.slots), append(b.slots, nil)
	}
	if err := b.write(i, line); err != nil {
		return fmt.Errorf("note a preview: %w", err)
	}
	b.slots[i] = &p
	return nil
}

// ready makes the file, with room for some notes.
func (b *Book) ready() (err error) {
	if b.file != nil {
		return nil
	}
	if b.file, err = os.OpenFile(b.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	n, _ := b.file.WriteAt(bytes.Repeat([]byte{' '}, first*slot), 0) // there may be little room
	b.slots = make([]*chat.Preview, n/slot)
	return nil
}

// write fills a slot with a line.
func (b *Book) write(i int, line []byte) error {
	one := bytes.Repeat([]byte{' '}, slot)
	copy(one, line)
	one[slot-1] = '\n'
	_, err := b.file.WriteAt(one, int64(i)*slot)
	return err
}

// Drop implements chat.Previews.
func (b *Book) Drop(p chat.Preview) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(p)
	if i < 0 {
		return nil
	}
	b.slots[i] = nil
	if err := b.write(i, nil); err != nil {
		return fmt.Errorf("drop the note of a preview: %w", err)
	}
	return nil
}

// find returns the slot of a preview, -1 for none. The caller holds mu.
func (b *Book) find(p chat.Preview) int {
	return slices.IndexFunc(b.slots, func(q *chat.Preview) bool {
		return q != nil && q.Key == p.Key && q.ID == p.ID && q.UID == p.UID
	})
}

// Noted implements chat.Previews.
func (b *Book) Noted() (list []chat.Preview) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.slots {
		if p != nil {
			list = append(list, *p)
		}
	}
	return list
}

// Close closes the file; nil has none.
func (b *Book) Close() error {
	if b == nil || b.file == nil {
		return nil
	}
	return b.file.Close()
}
