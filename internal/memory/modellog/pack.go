package modellog

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/text"
)

// stored is the stored body of a call. Each part of the request is a text or the id of a
// piece.
type stored struct {
	Parts  []any        `json:"parts"`
	Answer string       `json:"answer,omitempty"`
	Reply  *llm.Message `json:"reply,omitempty"`
	Form   string       `json:"form,omitempty"`
}

// minPiece is the least size, in bytes, of a part of a request that is stored once for all
// requests that contain it.
const minPiece = 256

// maxMet limits the pieces kept in memory.
const maxMet = 2048

// packer turns calls into rows. It is not safe for concurrent use.
type packer struct {
	met   map[string]*piece // recently stored pieces by hash, to save compression and look-up
	fresh []*piece          // those of met whose rows are not committed yet
	flate *flate.Writer     // of 1.2 MB; nil before it is used, and after a lull
}

// packed is a call as rows. Each part of the request is either text or a piece.
type packed struct {
	call   Call
	parts  []string // "" for a piece
	pieces map[int]*piece
	answer string
}

// piece is a part of requests that is stored once.
type piece struct {
	id   int64 // of its row; 0 if it has none yet
	hash []byte
	body []byte // nil once it is stored
}

func (p *packer) pack(c Call, request, answer string) (packed, error) {
	out := packed{call: c, answer: answer, pieces: map[int]*piece{}}
	from, at := 0, 0 // of the text since the last piece
	plain := func() {
		if from < at {
			out.parts = append(out.parts, request[from:at])
		}
	}
	for _, part := range cut(request) {
		if len(part) < minPiece {
			at += len(part)
			continue
		}
		one, err := p.piece(part)
		if err != nil {
			return out, err
		}
		plain()
		out.pieces[len(out.parts)] = one
		out.parts = append(out.parts, "")
		at += len(part)
		from = at
	}
	plain()
	return out, nil
}

func (p *packer) piece(part string) (*piece, error) {
	sum := sha256.Sum256(text.Bytes(part))
	hash := sum[:16]
	if one := p.met[string(hash)]; one != nil {
		return one, nil
	}
	body, err := p.deflate(part)
	if err != nil {
		return nil, err
	}
	one := &piece{hash: hash, body: body}
	if p.met == nil {
		p.met = map[string]*piece{}
	}
	p.met[string(hash)], p.fresh = one, append(p.fresh, one)
	return one, nil
}

// stored notes that the rows of packed calls are committed.
func (p *packer) stored() {
	for _, one := range p.fresh {
		one.body = nil
	}
	if p.fresh = nil; len(p.met) > maxMet {
		p.met = nil
	}
}

// again prepares packed calls for insertion; call it before each attempt.
func (p *packer) again() {
	for _, one := range p.fresh {
		one.id = 0
	}
}

// forget empties the memory of pieces, whose rows may have been deleted.
func (p *packer) forget() { p.met, p.fresh = nil, nil }

// usual is how many parts most requests have.
const usual = 64

// messages begins the list of messages in a request.
const messages = `"messages":[`

// cut cuts a request, a JSON object, before and after each message. Other parts, such as the
// tools, are the same in most requests of a bot. Joined, the parts are always the request.
func cut(s string) (parts []string) {
	depth, quoted, from, listed := 0, false, 0, false
	parts = make([]string, 0, usual)
	next := func(to int) {
		if to > from {
			parts, from = append(parts, s[from:to]), to
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth == 1 {
				listed = strings.HasSuffix(s[:i+1], messages)
			} else if depth == 2 && listed {
				next(i)
			}
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 2 && listed {
				next(i + 1)
			}
		}
	}
	next(len(s))
	return parts
}

// insert stores the rows of what a packer packed. After a failed transaction it may be called
// once more, after again.
func (p packed) insert(tx *engine.Tx, by *packer) error {
	parts := make([]any, len(p.parts))
	for i, s := range p.parts {
		parts[i] = s
	}
	ids := map[int64]bool{}
	for at, one := range p.pieces {
		if one.id == 0 {
			err := tx.QueryRow("INSERT INTO pieces (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET hash = hash RETURNING id",
				one.hash, one.body).Scan(&one.id)
			if err != nil {
				return err
			}
		}
		parts[at], ids[one.id] = one.id, true
	}
	whole, err := json.Marshal(stored{parts, p.answer, p.call.Reply, p.call.Form})
	if err != nil {
		return err
	}
	body, err := by.deflate(text.View(whole))
	if err != nil {
		return err
	}
	c := p.call
	var id int64
	err = tx.QueryRow(`INSERT INTO calls (row, platform, channel, thread, user_id, purpose, model, began, took, error, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		c.Row, c.Key.Platform, c.Key.Channel, c.Key.Thread, c.User, c.Purpose, c.Model, engine.Stamp(c.Began), c.Took.Milliseconds(),
		c.Error, body).Scan(&id)
	for piece := range ids {
		if err == nil {
			_, err = tx.Exec("INSERT INTO uses VALUES (?, ?)", id, piece)
		}
	}
	return err
}

func (p *packer) deflate(s string) ([]byte, error) {
	if p.flate == nil {
		var err error
		if p.flate, err = flate.NewWriter(nil, flate.BestSpeed); err != nil { // better levels clear half a megabyte for each call
			return nil, err
		}
	}
	var b bytes.Buffer
	p.flate.Reset(&b)
	if _, err := p.flate.Write(text.Bytes(s)); err != nil {
		return nil, err
	}
	if err := p.flate.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// inflaters have 40 KB each: they are used again.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func inflate(b []byte) (string, error) {
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	_ = r.(flate.Resetter).Reset(bytes.NewReader(b), nil) // never fails
	var out strings.Builder
	if _, err := io.Copy(&out, r); err != nil {
		return "", fmt.Errorf("read a model call: %w", err)
	}
	return out.String(), nil
}
