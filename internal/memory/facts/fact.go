package facts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Scope says for whom a fact is.
type Scope string

// The scopes.
const (
	ScopePerson  Scope = "person"  // for the one it is about
	ScopeChannel Scope = "channel" // for everybody in the channel
	ScopeGuild   Scope = "guild"   // for everybody in the server
)

// The words for what a fact is and who wrote it.
var (
	factTypes = []string{"fact", "preference", "decision", "insight"}
	Authors   = []string{"user", "assistant", "system"}
)

// MaxLength is the longest fact in characters.
const MaxLength = 10_000

// Fact is one thing that is remembered.
type Fact struct {
	ID         int64
	Scope      Scope
	Subject    string   // whom or what it is about
	Key        chat.Key // where it was said; no thread
	Content    string
	Tags       []string // with '#', sorted
	Important  bool     // has the tag #important
	Type       string   // fact, preference, decision, insight
	Author     string   // user, assistant, system
	Session    string
	Generation int // of the session it was learned from; 0 was not learned
	MessageID  string
	Quote      string // the words it rests on
	Confidence float64
	Rank       Rank // how firmly it stands
	ValidFrom  time.Time
	ValidTo    time.Time // zero while it holds
	Superseded int64     // the fact that took its place
	Previous   string    // what it said before the last correction
	Uses       int       // answers it was fetched for
	Created    time.Time
	Updated    time.Time
	// Ends is when it ceases to hold, as it says itself; zero is never.
	Ends time.Time
	// Origin is how the words came, and whose they are besides the Subject's.
	Origin provenance.Origin
	Agent  string // that was told
}

// Heard returns the origin of a fact as far as it matters to those who read it: one
// about a person was kept with their yes, one for everybody is somebody's.
func (f Fact) Heard() provenance.Origin {
	if f.Scope == ScopePerson {
		return provenance.Origin{Via: f.Origin.Via}
	}
	return f.Origin
}

// NewFact is a fact to be saved. Content is required, 1 to MaxLength characters.
type NewFact struct {
	Scope      Scope // "" is ScopePerson
	Content    string
	Tags       []string // with or without '#'
	Type       string   // "" is fact
	Author     string   // "" is user
	Session    string
	Generation int // of the session it was learned from; 0 was not learned
	MessageID  string
	Quote      string
	Confidence float64 // 0 is 1
	Worth
	// Said is when the words were said: they do not correct what was said
	// later, and do not bring back what was forgotten later. Zero is now.
	Said time.Time
	// CallKey makes a second save with the same key return the first's result.
	CallKey string
	// Origin is where the words come from besides who saves the fact.
	Origin provenance.Origin
}

// Worth is how firmly a new fact stands, and what it may do.
type Worth struct {
	// Rank is how firmly it stands; 0 is Kept, and Guessed of an assistant.
	Rank Rank
	// Spoken is what its person said, where that decides whether it is their
	// own: a fact with other words than these, or that corrects another by
	// them, is Guessed. "" believes Rank.
	Spoken string
	// Explicit replaces whatever stands: the person pointed at it.
	Explicit bool
	// Later says that the person is told by Untold, not by who saves.
	Later bool
}

// Saved is what became of a fact.
type Saved struct {
	Fact
	// Replaced is what the fact said before; "" when it is new or known.
	Replaced string
	// Known says that this was remembered already.
	Known bool
	// Change is what was done, to be told; its zero value is nothing.
	Change Change
}

// Errors about facts; the text is fit for people.
var (
	ErrNone = text.Tell("there is no such fact")
	ErrSize = text.Tell("a fact has 1 to %d characters", MaxLength)
)

// TagError is a tag that cannot be one.
type TagError struct{ Tag string }

// Error implements error.
func (e *TagError) Error() string { return e.Unwrap().Error() }

// Unwrap makes it an error that people may read.
func (e *TagError) Unwrap() error {
	return text.Tell("%q is not a tag: use letters, digits, - and _, without spaces, such as #important", e.Tag)
}

const (
	shortTag = "#important"
	maxTag   = 40 // characters after the #
)

// tagsIn is compiled when first needed: the letters of all languages are a
// large pattern.
var tagsIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)(#[\p{L}\p{M}\p{N}_/-]*\p{L}[\p{L}\p{M}\p{N}_/-]*)`)
})

// isTag reports whether a text is # and the characters a tag may have.
func isTag(text string) bool {
	rest, marked := strings.CutPrefix(text, "#")
	n := utf8.RuneCountInString(rest)
	other := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("_/-", r)
	}
	return marked && n >= 1 && n <= maxTag && !strings.ContainsFunc(rest, other)
}

// normalTags are tags as they are stored: with '#', lower case, once, sorted.
func normalTags(tags []string) ([]string, error) {
	var out []string
	for _, t := range tags {
		t = strings.ToLower(strings.TrimSpace(t))
		if t == "" {
			continue
		}
		if !strings.HasPrefix(t, "#") {
			t = "#" + t
		}
		if !isTag(t) {
			return nil, &TagError{t}
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out, nil
}

// normalize checks a new fact and fills in what it leaves out. Tags that stand
// at the end of the text become tags.
func (f *NewFact) normalize() (err error) {
	f.Content = text.Line(f.Content)
	for {
		at := tagsIn().FindAllStringSubmatchIndex(f.Content, -1)
		if len(at) == 0 || at[len(at)-1][3] != len(f.Content) {
			break
		}
		last := at[len(at)-1]
		f.Tags = append(slices.Clip(f.Tags), f.Content[last[2]:])
		f.Content = strings.TrimSpace(f.Content[:last[2]])
	}
	if n := utf8.RuneCountInString(f.Content); n < 1 || n > MaxLength {
		return ErrSize
	}
	if f.Tags, err = normalTags(f.Tags); err != nil {
		return err
	}
	if f.Scope == "" {
		f.Scope = ScopePerson
	}
	if f.Type == "" {
		f.Type = factTypes[0]
	}
	if f.Author == "" {
		f.Author = Authors[0]
	}
	if f.Confidence == 0 {
		f.Confidence = 1
	}
	if f.Rank == 0 {
		f.Rank = Kept
		if f.Author == Authors[1] {
			f.Rank = Guessed
		}
	}
	if f.Rank < Guessed || f.Rank > Kept || !slices.Contains(factTypes, f.Type) || !slices.Contains(Authors, f.Author) ||
		f.Confidence < 0 || f.Confidence > 1 {
		return fmt.Errorf("a fact is a %s by %s, with a confidence from 0 to 1", strings.Join(factTypes, ", "), strings.Join(Authors, ", "))
	}
	return nil
}

// subjectOf returns whom a fact of a scope is about when v says it.
func subjectOf(v Viewer, s Scope) (string, error) {
	switch {
	case s == ScopePerson || v.Direct:
		return v.User, nil
	case s == ScopeChannel:
		return v.Place(), nil
	case v.Server() != "":
		return v.Server(), nil
	}
	return "", text.Tell("there is no server here to remember that for")
}

// ownerWord returns a subject as one word of the full-text index.
func ownerWord(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return "o" + hex.EncodeToString(sum[:8])
}

// forgottenSince says that a person had something forgotten after they said
// some words.
func forgottenSince(tx *engine.Tx, user string, said time.Time) (bool, error) {
	if said.IsZero() {
		return false, nil
	}
	var since string
	err := tx.QueryRow("SELECT coalesce(max(learn_after), '') FROM people WHERE user_id = ?", user).Scan(&since)
	return since >= engine.Stamp(said), err
}

// learnFromNow makes nothing said so far be learned from again.
func learnFromNow(tx *engine.Tx, user, now string) error {
	_, err := tx.Exec("INSERT INTO people (user_id, learn_after) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET "+
		"learn_after = excluded.learn_after", user, now)
	return err
}

func one(list []Fact) Fact {
	if len(list) == 0 {
		return Fact{}
	}
	return list[0]
}

// changeFact runs fn on a fact that v can see; ErrNone when there is none.
func (s *Store) changeFact(ctx context.Context, v Viewer, id int64, fn func(*engine.Tx, Fact) error) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		list, err := facts(tx.Query, v, byID, engine.Named{"id": id})
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return ErrNone
		}
		return fn(tx, list[0])
	})
}

// MarkFact makes a fact important or not.
func (s *Store) MarkFact(ctx context.Context, v Viewer, id int64, important bool) (Fact, error) {
	var marked Fact
	err := s.changeFact(ctx, v, id, func(tx *engine.Tx, f Fact) (err error) {
		tags := slices.DeleteFunc(slices.Clone(f.Tags), func(t string) bool { return t == shortTag })
		if important {
			tags = append(tags, shortTag)
			slices.Sort(tags)
		}
		f.Tags = tags
		marked, err = s.mark(tx, v, f, 0)
		return err
	})
	return marked, engine.During("mark fact", err)
}

// PruneFacts deletes untagged facts beyond limit of each subject, guesses first and
// then the oldest; 0 keeps them all.
func (s *Store) PruneFacts(ctx context.Context, limit int) (n int64, err error) {
	if limit <= 0 {
		return 0, nil
	}
	n, err = chunked.Sweep{
		Keys: `SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY subject ORDER BY valid_to = '' DESC, rank DESC, updated_at DESC, id DESC) AS n FROM key_facts WHERE tags = '') numbered WHERE n > :limit`,
		Do:   []string{"DELETE FROM key_facts WHERE id = :key AND tags = ''"},
	}.Run(ctx, s.db, engine.Named{"limit": limit})
	return n, engine.During("prune facts", err)
}
