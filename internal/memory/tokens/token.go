// Package tokens keeps who may speak as whom over HTTP, and what programs asked there, as
// rows. It reads no request and decides nothing about people.
package tokens

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// Token is one that a person made, without what makes it one.
type Token struct {
	ID      string // what lists call it
	User    string
	Name    string
	Created time.Time
	Used    time.Time // zero for never
}

// Prefix begins every token, so that it is known for what it is where it leaks.
const Prefix = "parley_"

// form is what a token looks like.
var form = text.Pattern(`^` + Prefix + `[a-z2-7]{52}$`)

// maxTokens is how many tokens one person has at most.
const maxTokens = 20

// Errors that may be shown to people.
var (
	ErrMany    = text.Tell("You have 20 tokens already: /token list shows them, and /token revoke ends one.")
	ErrNoToken = text.Tell("There is no such token. /token list shows those there are.")
)

// Store is the tokens and requests of a database. It is safe for many goroutines.
type Store struct {
	db  *engine.DB
	now func() time.Time
}

// NewStore returns those of a database whose schema is up to date.
func NewStore(db *engine.DB, now func() time.Time) *Store { return &Store{db, now} }

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// New makes a token for a person and returns it whole, which nothing does later.
func (s *Store) New(ctx context.Context, user, name string) (t Token, secret string, err error) {
	secret = Prefix + strings.ToLower(rand.Text()+rand.Text())
	t = Token{ID: strings.ToLower(rand.Text()[:6]), User: user, Name: name, Created: s.now()}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM api_tokens WHERE user_id = ?", user).Scan(&n); err != nil {
			return err
		}
		if n >= maxTokens {
			return ErrMany
		}
		_, err := tx.Exec("INSERT INTO api_tokens (id, hash, user_id, name, created_at) VALUES (?, ?, ?, ?, ?)", t.ID, hash(secret), user, name,
			engine.Stamp(t.Created))
		return err
	})
	if errors.Is(err, ErrMany) {
		return t, "", ErrMany
	}
	return t, secret, engine.During("make a token", err)
}

const tokenColumns = "id, user_id, name, created_at, used_at"

func scanToken(r engine.Scanner) (t Token, err error) {
	err = r.Scan(&t.ID, &t.User, &t.Name, engine.Stamped(&t.Created), engine.Stamped(&t.Used))
	return t, err
}

// usedEvery is how often the use of a token is noted.
const usedEvery = 10 * time.Minute

// Find returns the token of a secret and notes that it was used; ok is false if it is none.
func (s *Store) Find(ctx context.Context, secret string) (t Token, ok bool, err error) {
	if !form().MatchString(secret) {
		return t, false, nil
	}
	t, ok, err = engine.Found(scanToken(s.db.QueryRow("SELECT "+tokenColumns+" FROM api_tokens WHERE hash = ?", hash(secret))))
	if now := s.now(); ok && now.Sub(t.Used) >= usedEvery {
		err = s.db.Exec(ctx, "UPDATE api_tokens SET used_at = ? WHERE id = ?", engine.Stamp(now), t.ID)
	}
	return t, ok && err == nil, engine.During("look for a token", err)
}

// List lists the tokens of a person, the oldest first; of everybody for "".
func (s *Store) List(_ context.Context, user string) ([]Token, error) {
	list, err := engine.Select(s.db, scanToken, "SELECT "+tokenColumns+" FROM api_tokens WHERE user_id = ? OR ? = '' ORDER BY user_id, created_at, id",
		user, user)
	return list, engine.During("list tokens", err)
}

// Revoke ends a token of a person, or of anybody for ""; ErrNoToken if there is none.
func (s *Store) Revoke(ctx context.Context, user, id string) error {
	n, err := s.db.Count(ctx, "DELETE FROM api_tokens WHERE id = ? AND (user_id = ? OR ? = '')", id, user, user)
	if err == nil && n == 0 {
		return ErrNoToken
	}
	return engine.During("revoke a token", err)
}

// RevokeAll ends all tokens of a person and counts them.
func (s *Store) RevokeAll(ctx context.Context, user string) (int, error) {
	n, err := s.db.Count(ctx, "DELETE FROM api_tokens WHERE user_id = ?", user)
	return int(n), engine.During("revoke tokens", err)
}
