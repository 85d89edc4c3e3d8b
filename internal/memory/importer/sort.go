package importer

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
)

// Sizes, which bound the memory of an import whatever its file has: what of a run is held
// before it is written, what all of its readers have as buffers, and what one has at least.
const (
	runBytes    = 4 << 20
	bufferBytes = 4 << 20
	leastBuffer = 4 << 10
	mostBuffer  = 64 << 10
	oneMessage  = 200 // bytes of a message besides its texts
)

// Scratch holds sorted runs until the import ends.
type Scratch interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Sorted is a whole export, each message checked, in order of place and time; where these are
// the same, of the file. Close it.
type Sorted struct {
	Count  int64
	Digest string // of the file's bytes
	open   func() (Scratch, error)
	file   Scratch // nil while all of it is in held
	size   int64   // of the file
	runs   []span
	held   []Message // what is not written yet
	bytes  int       // of held

	Left  map[Kind]int64 // what was understood to be no message, and what was not understood
	Facts []Proposal     // what memory files say of the owner
}

// span is where a run is in the file.
type span struct{ from, size int64 }

// Source is an export to read.
type Source struct {
	From       io.Reader // JSON lines, or Telegram Desktop's result.json
	Export     *Export   // instead of From
	Owner      Owner     // of what an Export holds
	Assistants []string  // ids of whom the words are an assistant's, whatever the export says
	Now        time.Time // of the import; zero is the present
}

// Sort reads a whole export. What is more than a few megabytes it keeps with open, sorted in
// runs. After an error nothing is left to close.
func Sort(ctx context.Context, x Source, open func() (Scratch, error)) (*Sorted, error) {
	s, sum := &Sorted{open: open}, sha256.New()
	err := x.read(s, sum, func(m Message) error {
		m.Bot = m.Bot || slices.Contains(x.Assistants, m.User.ID)
		s.held, s.bytes = append(s.held, m), s.bytes+len(m.Text)+len(m.User.Name)+oneMessage
		if s.Count++; s.bytes >= runBytes {
			if err := s.spill(); err != nil {
				return fmt.Errorf("keep what was read: %w", err)
			}
		}
		return context.Cause(ctx)
	})
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	s.sort()
	s.Digest = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// read reads all of it; sum gets its bytes, and whose they become.
func (x Source) read(s *Sorted, sum io.Writer, each func(Message) error) error {
	if x.Export == nil {
		return Read(io.TeeReader(x.From, sum), each)
	}
	r := &reading{x: x.Export, sum: sum, owner: x.Owner, now: x.Now, each: each}
	if r.now.IsZero() {
		r.now = time.Now()
	}
	if x.Export.Format.Private {
		if x.Owner.ID == "" {
			return errNobody
		}
		_, _ = io.WriteString(sum, x.Owner.ID+"\n") // a hash never fails
	}
	r.leaveSome(KindOther, x.Export.other)
	err := x.Export.Format.into(r, x.Export.files)
	s.Left, s.Facts = r.left, r.facts
	return err
}

// errNobody is fit for people.
var errNobody = text.Tell("say with --user whose conversations these become, such as telegram:42")

// Close lets go of what was kept.
func (s *Sorted) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

func (s *Sorted) sort() {
	slices.SortStableFunc(s.held, func(a, b Message) int { return headOf(a).compare(headOf(b)) })
}

// spill writes what is held as a run.
func (s *Sorted) spill() (err error) {
	if s.file == nil {
		if s.file, err = s.open(); err != nil {
			return err
		}
	}
	s.sort()
	run := span{from: s.size}
	out := bufio.NewWriterSize(s.file, mostBuffer)
	var record []byte
	for h, m := range marked(s.held) {
		record = appendRecord(record[:0], h, m)
		run.size += int64(len(record))
		if _, err := out.Write(record); err != nil {
			return err
		}
	}
	clear(s.held)
	s.held, s.bytes, s.size, s.runs = s.held[:0], 0, s.size+run.size, append(s.runs, run)
	return out.Flush()
}

// marked yields sorted messages, those of each place after a mark of who spoke there first.
func marked(list []Message) iter.Seq2[head, Message] {
	return func(yield func(head, Message) bool) {
		for at := 0; at < len(list); {
			key, end, first := list[at].Key, at, -1
			for ; end < len(list) && list[end].Key == key; end++ {
				if first < 0 && !list[end].Bot {
					first = end
				}
			}
			if first >= 0 && !yield(head{key: key, mark: true, at: list[first].At}, Message{User: chat.User{ID: list[first].User.ID}}) {
				return
			}
			for ; at < end; at++ {
				if !yield(headOf(list[at]), list[at]) {
					return
				}
			}
		}
	}
}

// Messages yields all messages, once. The words of assistants are those to the person they
// answered, who spoke before them in their place, or spoke first. An error is the last.
func (s *Sorted) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		var at chat.Key
		var first, before string
		for h, m := range s.merged() {
			if m.err != nil {
				yield(Message{}, fmt.Errorf("read what was kept: %w", m.err))
				return
			}
			if h.key != at {
				at, first, before = h.key, "", ""
			}
			if h.mark {
				if first == "" {
					first = m.User.ID
				}
				continue
			}
			if m.Bot {
				before = cmp.Or(m.Owner, before, first)
				m.User = chat.User{ID: before}
			}
			before = m.User.ID
			if !yield(m.Message, nil) {
				return
			}
		}
	}
}

// record is a message, or a mark, or the error in its place.
type record struct {
	Message
	err error
}

// merged yields the records of all runs in their order. Of a run it holds the next head
// only, and no text.
func (s *Sorted) merged() iter.Seq2[head, record] {
	return func(yield func(head, record) bool) {
		buffer := min(max(bufferBytes/max(len(s.runs), 1), leastBuffer), mostBuffer)
		var q sources
		for i, run := range s.runs {
			q = append(q, &source{n: i, in: recordReader{in: bufio.NewReaderSize(io.NewSectionReader(s.file, run.from, run.size), buffer)}})
		}
		last, stop := iter.Pull2(marked(s.held))
		defer stop()
		q = append(q, &source{n: len(s.runs), held: last})
		for _, from := range q {
			from.advance()
		}
		q = slices.DeleteFunc(q, func(from *source) bool { return from.over })
		heap.Init(&q)
		for len(q) > 0 {
			from := q[0]
			h, m := from.take()
			if !yield(h, m) || m.err != nil {
				return
			}
			if from.advance(); from.over {
				heap.Pop(&q)
			} else {
				heap.Fix(&q, 0)
			}
		}
	}
}

// source is a run that is read.
type source struct {
	n    int // of the run, in the order of the file
	in   recordReader
	held func() (head, Message, bool) // instead of in
	next head
	bot  bool
	m    Message // of held
	over bool
	err  error
}

// advance reads the next head.
func (s *source) advance() {
	if s.held != nil {
		var ok bool
		s.next, s.m, ok = s.held()
		s.over = !ok
		return
	}
	s.next, s.bot, s.err = s.in.head()
	if errors.Is(s.err, io.EOF) && s.in.err == nil {
		s.over, s.err = true, nil
	}
}

// take returns what the head belongs to.
func (s *source) take() (head, record) {
	if s.held != nil {
		return s.next, record{Message: s.m}
	}
	if s.err != nil {
		return s.next, record{err: s.err}
	}
	m, err := s.in.rest(s.next, s.bot)
	return s.next, record{m, err}
}

// sources is a heap of runs.
type sources []*source

func (q sources) Len() int { return len(q) }
func (q sources) Less(i, j int) bool {
	if q[i].err != nil || q[j].err != nil {
		return q[i].err != nil
	}
	if c := q[i].next.compare(q[j].next); c != 0 {
		return c < 0
	}
	return q[i].n < q[j].n
}
func (q sources) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface; nothing is added.
func (q *sources) Push(any) {}

// Pop implements heap.Interface.
func (q *sources) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
