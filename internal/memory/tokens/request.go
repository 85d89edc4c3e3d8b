package tokens

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Ask is a request as it came.
type Ask struct {
	User  string
	Place chat.Key
	// Key is the client's own name for it, "" for none: then a request is known by what it
	// asks.
	Key    string
	Digest string // of all that it says
	// Again is true if the client says that it repeats itself.
	Again bool
}

// How long a request without a name is the same one, and how long any is known. The inbox
// knows its messages longer.
const (
	sameFor  = time.Hour
	knownFor = 24 * time.Hour
)

// ErrReused is returned for a client's name of a request that asked something else.
var ErrReused = errors.New("this name belongs to another request")

// Take returns the id of a request: the one of an earlier request that it repeats, or a new
// one. Without a name of its own it repeats an equal one within an hour whose answer was not
// written to any client yet, or whichever it is if it says that it repeats itself.
func (s *Store) Take(ctx context.Context, a Ask) (id string, err error) {
	named := "digest " + a.Digest
	if a.Key != "" {
		named = "key " + a.Key
	}
	sum := sha256.Sum256([]byte(a.User + "\x00" + a.Place.String() + "\x00" + named))
	twin := hex.EncodeToString(sum[:])
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		now := s.now()
		var digest, state, at string
		err := tx.QueryRow("SELECT id, digest, state, at FROM api_requests WHERE twin = ? ORDER BY at DESC, id LIMIT 1", twin).
			Scan(&id, &digest, &state, &at)
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			return err
		case a.Key != "" && digest != a.Digest:
			return ErrReused
		case a.Key != "" && engine.ParseStamp(at).After(now.Add(-knownFor)):
			return nil
		case (state == "open" || a.Again) && engine.ParseStamp(at).After(now.Add(-sameFor)):
			return nil
		}
		id = "api-" + strings.ToLower(rand.Text())
		_, err = tx.Exec("INSERT INTO api_requests (id, user_id, platform, channel, thread, twin, digest, state, at) VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?)",
			id, a.User, a.Place.Platform, a.Place.Channel, a.Place.Thread, twin, a.Digest, engine.Stamp(now))
		return err
	})
	if errors.Is(err, ErrReused) {
		return "", ErrReused
	}
	return id, engine.During("take a request", err)
}

// Request is how far a request has come.
type Request struct {
	ID   string
	User string
	// Known is true if the message of the request is in the inbox, and Over if it is answered
	// and all of the answer is here.
	Known, Over                bool
	Parts                      []chat.Part
	chat.End                       // of the message; zero where nothing is known
	Prompt, Completion, Cached int // tokens of the models that answered it
}

const requestColumns = `r.id, r.user_id, r.answer, coalesce(i.state, ''), coalesce(d.outcome, ''), coalesce(d.reason, ''), coalesce(d.prompt_tokens, 0),
	coalesce(d.completion_tokens, 0), coalesce(d.cached_tokens, 0), EXISTS (SELECT 1 FROM outbox o WHERE o.platform = r.platform AND o.channel = r.channel
		AND o.thread = r.thread AND o.state IN ('ready', 'started') AND o.inbox_id = i.id)
	FROM api_requests r LEFT JOIN inbox i ON i.platform = r.platform AND i.channel = r.channel AND i.thread = r.thread AND i.message_id = r.id
	LEFT JOIN decisions d ON d.platform = r.platform AND d.channel = r.channel AND d.thread = r.thread AND d.inbox_id = i.id`

func scanRequest(row engine.Scanner) (r Request, err error) {
	var answer, state string
	var unsent bool
	err = row.Scan(&r.ID, &r.User, &answer, &state, &r.Outcome, &r.Reason, &r.Prompt, &r.Completion, &r.Cached, &unsent)
	if err == nil && answer != "" {
		err = json.Unmarshal([]byte(answer), &r.Parts)
	}
	r.Known, r.Over = state != "", state != "" && state != "new" && !unsent
	return r, err
}

// Request returns a request; ok is false if there is none by this id any more.
func (s *Store) Request(_ context.Context, id string) (r Request, ok bool, err error) {
	r, ok, err = engine.Found(scanRequest(s.db.QueryRow("SELECT "+requestColumns+" WHERE r.id = ? LIMIT 1", id)))
	return r, ok, engine.During("read a request", err)
}

// Last returns the request of a place that was last answered; ok is false for none.
func (s *Store) Last(_ context.Context, k chat.Key) (r Request, ok bool, err error) {
	r, ok, err = engine.Found(scanRequest(s.db.QueryRow("SELECT "+requestColumns+" WHERE r.platform = ? AND r.channel = ? AND r.thread = ? "+
		"AND r.answer <> '' ORDER BY r.at DESC, r.id LIMIT 1", k.Platform, k.Channel, k.Thread)))
	return r, ok, engine.During("read the last request", err)
}

// Answer keeps a part of the answer to a request, once. It does nothing for a request that
// is gone, as after its person was forgotten.
func (s *Store) Answer(ctx context.Context, id string, p chat.Part) error {
	return engine.During("keep an answer", s.db.Write(ctx, func(tx *engine.Tx) error {
		var stored string
		err := tx.QueryRow("SELECT answer FROM api_requests WHERE id = ?", id).Scan(&stored)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		var parts []chat.Part
		if err == nil && stored != "" {
			err = json.Unmarshal([]byte(stored), &parts)
		}
		if err != nil {
			return err
		}
		for _, had := range parts {
			if had.Index == p.Index {
				return nil
			}
		}
		b, err := json.Marshal(append(parts, p))
		if err == nil {
			_, err = tx.Exec("UPDATE api_requests SET answer = ? WHERE id = ?", string(b), id)
		}
		return err
	}))
}

// Given notes that a client was given the whole answer.
func (s *Store) Given(ctx context.Context, id string) error {
	return engine.During("note an answer", s.db.Exec(ctx, "UPDATE api_requests SET state = 'given' WHERE id = ?", id))
}

// Drop forgets a request of which nothing was done: the same one is a new one.
func (s *Store) Drop(ctx context.Context, id string) error {
	return engine.During("drop a request", s.db.Exec(ctx, "DELETE FROM api_requests WHERE id = ?", id))
}

// Sweep forgets what is older than a day.
func (s *Store) Sweep(ctx context.Context) error {
	return engine.During("sweep requests", s.db.Exec(ctx, "DELETE FROM api_requests WHERE at < ?", engine.Stamp(s.now().Add(-knownFor))))
}

// ThreadOf is the thread of a conversation that a client names: names of clients may be
// anything, and are in no row. "" is the person's only one.
func ThreadOf(name string) string {
	if name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:12])
}

// PlaceOf is a conversation of a person through a program. No two people share one.
func PlaceOf(user, conversation string) chat.Key {
	platform, local := chat.CutID(user)
	return chat.Key{Platform: chat.Programs, Channel: platform + "." + url.QueryEscape(local), Thread: ThreadOf(conversation)}
}
