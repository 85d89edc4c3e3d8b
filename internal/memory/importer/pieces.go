package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// pieces reads JSON of any size piece by piece; it holds one value that is decoded at a time.
type pieces struct {
	dec  *json.Decoder
	in   *sipping
	what string // it reads, for errors
	last string // what was read last, for errors
}

func newPieces(r io.Reader, what string) *pieces {
	in := &sipping{r: r}
	return &pieces{dec: json.NewDecoder(in), in: in, what: what}
}

// wrong says of an error where it is.
func (p *pieces) wrong(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if p.last == "" {
		return fmt.Errorf("read %s: %w", p.what, err)
	}
	return fmt.Errorf("read %s, after message %s: %w", p.what, p.last, err)
}

// object calls field for each name of an object; field reads its value. Null has none.
func (p *pieces) object(field func(name string) error) error {
	return p.within('{', func() error {
		name, err := p.dec.Token()
		if err != nil {
			return p.wrong(err)
		}
		return field(fmt.Sprint(name))
	})
}

// list calls each for each value of a list, which reads it. Null has none.
func (p *pieces) list(each func() error) error { return p.within('[', each) }

func (p *pieces) within(begin json.Delim, one func() error) error {
	p.in.sip()
	first, err := p.dec.Token()
	switch {
	case err != nil:
		return p.wrong(err)
	case first == nil:
		return nil
	case first != begin:
		return p.wrong(fmt.Errorf("%v where %v is expected", first, begin))
	}
	for p.dec.More() {
		p.in.sip()
		if err := one(); err != nil {
			return err
		}
	}
	if _, err = p.dec.Token(); err != nil {
		return p.wrong(err)
	}
	return nil
}

// skip reads a value of any size.
func (p *pieces) skip() error {
	if err := pass(p.dec, p.in.sip); err != nil {
		return p.wrong(err)
	}
	return nil
}

// pass reads a value of any size and calls before for each of its tokens.
func pass(dec *json.Decoder, before func()) error {
	for depth := 0; ; {
		before()
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// value decodes one value. fits is false where it has another form than into: nothing of it
// can be used, and what follows it can.
func (p *pieces) value(into any) (fits bool, err error) {
	p.in.sip()
	err = p.dec.Decode(into)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return false, nil
	}
	if err != nil {
		return false, p.wrong(err)
	}
	return true, nil
}

// end returns an error if anything follows.
func (p *pieces) end() error {
	if _, more := p.dec.Token(); !errors.Is(more, io.EOF) {
		return p.wrong(errors.New("something follows its end"))
	}
	return nil
}

// lax is a JSON string or number as text; anything else is "".
type lax string

// UnmarshalJSON implements json.Unmarshaler.
func (l *lax) UnmarshalJSON(b []byte) error {
	var s loose
	if s.UnmarshalJSON(b) != nil {
		s = ""
	}
	*l = lax(s)
	return nil
}

// sipping bounds what is read for one piece: a decoder holds all of it.
type sipping struct {
	r    io.Reader
	left int
}

// sip begins a piece.
func (s *sipping) sip() { s.left = maxLine }

// Read implements io.Reader.
func (s *sipping) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("one piece is longer than %d MiB", maxLine>>20)
	}
	n, err := s.r.Read(p)
	s.left -= n
	return n, err
}

// first returns the first byte that is no space, after a byte order mark that it takes off; 0
// is none.
func first(in *bufio.Reader) byte {
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) { // a shorter file has none
		_, _ = in.Discard(3)
	}
	for n := 1; ; n++ {
		b, err := in.Peek(n)
		if err != nil {
			return 0
		}
		if last := b[n-1]; last != ' ' && last != '\n' && last != '\r' && last != '\t' {
			return last
		}
	}
}

// firstNames returns the names in the first object of JSON that may be cut off.
func firstNames(head []byte) (names []string) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\ufeff"))))
	token, err := dec.Token()
	if token == json.Delim('[') {
		token, err = dec.Token()
	}
	if err != nil || token != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(name))
		if pass(dec, func() {}) != nil {
			return names
		}
	}
	return names
}
