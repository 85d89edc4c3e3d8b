package embeddings

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"time"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/llm/vector"
	"parley/internal/text"
)

// Bounds of making vectors.
const (
	window    = 5000        // messages that are searched at once for those without a vector
	late      = 256         // how far before the newest message there may be late ones
	mostTexts = 64          // in one request
	longest   = 1500        // runes of a message: small models read no more
	pause     = time.Second // after a question, which comes first
)

// How long one request should take, because questions wait for a small encoder.
const (
	quick = 60 * time.Millisecond
	slow  = 150 * time.Millisecond
)

// work is the progress of making vectors.
type work struct {
	loaded   int64 // the last sketch in memory
	embedder int64 // number of the model, 0 if not known yet
	newest   int64 // all messages from oldest up to newest were searched
	oldest   int64
	texts    int           // in the next request
	again    time.Time     // when Follow reads everything again
	wait     time.Duration // how long it waited for that
}

// unmade is a message without a vector.
type unmade struct {
	id, place  int64
	name, text string
}

// says returns the text for a vector, with the author's name, about which many ask.
func (u unmade) says() string {
	said := text.Clip(u.text, longest)
	if u.name == "" {
		return said
	}
	return u.name + ": " + said
}

// Embed does the next step: it reads sketches into memory, or makes the vectors of a few
// messages, and reports whether there may be more. For a moment after a question it does
// nothing. After a crash it continues where it was.
func (x *Index) Embed(ctx context.Context) (more bool, err error) {
	if x.o.Embed == nil {
		return false, nil
	}
	x.working.Lock()
	defer x.working.Unlock()
	if !x.isReady() {
		if err := x.load(ctx); err != nil {
			return false, fmt.Errorf("load vectors of messages: %w", err)
		}
		return true, nil
	}
	if x.justAsked() {
		return false, nil
	}
	due, err := x.due()
	if err != nil {
		return false, fmt.Errorf("find messages without vectors: %w", err)
	}
	if len(due) == 0 {
		return x.work.oldest > 0, nil
	}
	if err := x.embed(ctx, due); err != nil {
		return false, fmt.Errorf("make vectors of messages: %w", err)
	}
	return true, nil
}

// Load reads all sketches at once, for a process that asks one question.
func (x *Index) Load(ctx context.Context) error {
	if x.o.Embed == nil {
		return nil
	}
	x.working.Lock()
	defer x.working.Unlock()
	for !x.isReady() {
		if err := x.load(ctx); err != nil {
			return fmt.Errorf("load vectors of messages: %w", err)
		}
	}
	return nil
}

func (x *Index) isReady() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.ready
}

func (x *Index) justAsked() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.o.Now().Sub(x.asked) < pause
}

// load reads the next sketches into memory, except those of another model.
func (x *Index) load(ctx context.Context) error {
	w := &x.work
	if w.embedder == 0 {
		err := x.db.Write(ctx, func(tx *engine.Tx) error {
			if _, err := tx.Exec("INSERT INTO embedders (name) VALUES (?) ON CONFLICT DO NOTHING", x.o.Model); err != nil {
				return err
			}
			return tx.QueryRow("SELECT n FROM embedders WHERE name = ?", x.o.Model).Scan(&w.embedder)
		})
		if err != nil {
			return err
		}
	}
	rows, err := x.db.Query(`SELECT message_id, place, sketch, embedder = :embedder FROM message_sketches
		WHERE message_id > :after ORDER BY message_id LIMIT :limit`, engine.Named{"embedder": w.embedder, "after": w.loaded, "limit": window})
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for ; rows.Next(); n++ {
		var u unmade
		var raw sql.RawBytes
		var ours bool
		if err := rows.Scan(&u.id, &u.place, &raw, &ours); err != nil {
			return err
		}
		if ours {
			x.add(u, unpacked(raw))
		}
		w.loaded = u.id
	}
	if err := rows.Err(); err != nil || n > 0 {
		return err
	}
	if err := x.db.QueryRow("SELECT coalesce(max(id), 0) FROM messages").Scan(&w.newest); err != nil {
		return err
	}
	w.oldest, w.texts = w.newest+1, 8
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = true
	return nil
}

// add puts a sketch into memory.
func (x *Index) add(u unmade, bits []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.all[u.place]
	if s == nil {
		s = &sketches{}
		x.all[u.place] = s
	}
	s.ids, s.bits = append(s.ids, u.id), append(s.bits, bits...)
}

// dueQuery lists messages without a vector of a model, the newest first.
const dueQuery = `SELECT m.id, (SELECT n FROM places p WHERE p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread), m.name, m.content FROM messages m
	WHERE m.id > :after AND m.id < :before AND m.role <> 'tool' AND m.content <> ''
		AND (SELECT embedder FROM message_vectors WHERE message_id = m.id) IS DISTINCT FROM :embedder
	ORDER BY m.id DESC LIMIT :limit`

// changedQuery lists messages that were edited.
const changedQuery = `SELECT m.id, p.n, m.name, m.content FROM message_vectors v CROSS JOIN messages m ON m.id = v.message_id
	JOIN places p ON p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread
	WHERE v.embedder = 0 ORDER BY m.id DESC LIMIT :limit`

// due returns messages that need a vector: first edited ones, then those since the last step,
// then older ones back to the first.
func (x *Index) due() ([]unmade, error) {
	w := &x.work
	list, err := x.unmade(changedQuery, engine.Named{"limit": w.texts})
	if err != nil || len(list) > 0 {
		return list, err
	}
	var last int64
	if err := x.db.QueryRow("SELECT coalesce(max(id), 0) FROM messages").Scan(&last); err != nil {
		return nil, err
	}
	if w.newest < last { // a server may commit messages in another order than their numbers
		list, err := x.unmade(dueQuery, engine.Named{"after": w.newest - late, "before": w.newest + 1, "embedder": w.embedder, "limit": w.texts})
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	for w.newest < last { // upwards, so that none is skipped
		upto := min(w.newest+int64(w.texts), last)
		list, err := x.unmade(dueQuery, engine.Named{"after": w.newest, "before": upto + 1, "embedder": w.embedder, "limit": w.texts})
		if err != nil || len(list) > 0 {
			return list, err
		}
		w.newest = upto
	}
	if w.oldest <= 0 {
		return nil, nil
	}
	from := max(w.oldest-window, 0)
	list, err = x.unmade(dueQuery, engine.Named{"after": from - 1, "before": w.oldest, "embedder": w.embedder, "limit": w.texts})
	if err == nil && len(list) == 0 {
		w.oldest = from
	}
	return list, err
}

func (x *Index) unmade(query string, args engine.Named) ([]unmade, error) {
	return engine.Select(x.db, func(r engine.Scanner) (u unmade, err error) {
		return u, r.Scan(&u.id, &u.place, &u.name, &u.text)
	}, query, args)
}

// embed gives messages their vectors. A zero vector is stored as an empty one, so that it is
// not made again. A message that changes meanwhile gets none.
func (x *Index) embed(ctx context.Context, due []unmade) error {
	texts, at := make([]string, len(due)), map[int64]int{}
	for i, u := range due {
		texts[i], at[u.id] = u.says(), i
	}
	began := x.o.Now()
	list, err := x.o.Embed(ctx, texts)
	if err != nil {
		return err
	}
	switch took := x.o.Now().Sub(began); {
	case took < quick:
		x.work.texts = min(2*x.work.texts, mostTexts)
	case took > slow:
		x.work.texts = max(x.work.texts/2, 1)
	}
	_, err = chunked.Each(ctx, x.db, due, func(tx *engine.Tx, u unmade) error {
		return x.store(tx, u, kept(vector.Of(list[at[u.id]])))
	})
	return err
}

// store stores the vector of a message, unless the message has changed.
func (x *Index) store(tx *engine.Tx, u unmade, v vector.Vector) error {
	args := engine.Named{"id": u.id, "place": u.place, "embedder": x.work.embedder, "vector": append([]byte{}, v...),
		"sketch": packed(v.Sketch(nil)), "text": u.text}
	res, err := tx.Exec(`INSERT INTO message_vectors (message_id, embedder, vector) SELECT id, CAST(:embedder AS BIGINT), :vector FROM messages WHERE id = :id AND content = :text
		ON CONFLICT (message_id) DO UPDATE SET embedder = excluded.embedder, vector = excluded.vector`, args)
	if err != nil || len(v) == 0 {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO message_sketches (message_id, embedder, place, sketch) VALUES (:id, :embedder, :place, :sketch)
		ON CONFLICT (message_id) DO UPDATE SET embedder = excluded.embedder, place = excluded.place, sketch = excluded.sketch`, args); err != nil {
		return err
	}
	x.add(u, v.Sketch(nil))
	return nil
}

// packed returns a sketch as it is stored: eight bytes for each word, little-endian.
func packed(bits []uint64) []byte {
	out := make([]byte, 0, 8*len(bits))
	for _, w := range bits {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

func unpacked(raw []byte) (bits []uint64) {
	for ; len(raw) >= 8; raw = raw[8:] {
		bits = append(bits, binary.LittleEndian.Uint64(raw))
	}
	return bits
}
