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

// Scope says who can see a fact.
type Scope string

// The scopes.
const (
	ScopePerson  Scope = "person"  // the person it is about
	ScopeChannel Scope = "channel" // everybody in the channel
	ScopeGuild   Scope = "guild"   // everybody in the server
)

// The types of facts, and their authors.
var (
	factTypes = []string{"fact", "preference", "decision", "insight"}
	Authors   = []string{"user", "assistant", "system"}
)

// MaxLength is the longest fact in characters.
const MaxLength = 10_000

// Fact is a remembered statement.
type Fact struct {
	ID         int64 // its key; people know it by Number
	Number     int64 // in the book of its Subject
	Scope      Scope
	Subject    string   // the person, channel or server that it is about
	Key        chat.Key // where it was said, without thread
	Content    string
	Tags       []string // with '#', sorted
	Important  bool     // has the tag #important
	Type       string   // fact, preference, decision, insight
	Author     string   // user, assistant, system
	Session    string
	MessageID  string
	Quote      string // the words of the person that it rests on
	Confidence float64
	Rank       Rank
	ValidFrom  time.Time
	ValidTo    time.Time // zero while it holds
	Superseded int64     // the fact that replaced it
	Previous   string    // the content before the last correction
	Uses       int       // answers that used it
	Created    time.Time
	Updated    time.Time
	// Ends is when its own words say that it ends; zero means never.
	Ends time.Time
	// Origin says how the words came, and from whom else than the Subject.
	Origin provenance.Origin
	Agent  string // that was told
}

// RowKey is what buttons call a fact.
func (f Fact) RowKey() int64 { return provenance.RowKey(string(f.Scope), f.Number, f.Created) }

// Heard returns the origin of a fact as far as readers depend on it. A person's own fact
// was kept with their consent; one for everybody contains somebody's words.
func (f Fact) Heard() provenance.Origin {
	if f.Scope == ScopePerson {
		return provenance.Origin{Via: f.Origin.Via}
	}
	return f.Origin
}

// NewFact is a fact to save. Content is required, 1 to MaxLength characters.
type NewFact struct {
	Scope      Scope // "" means ScopePerson
	Content    string
	Tags       []string // with or without '#'
	Type       string   // "" means fact
	Author     string   // "" means user
	Session    string
	Generation int // of the session it was learned from; 0 if it was not learned
	MessageID  string
	Quote      string
	Confidence float64 // 0 means 1
	Worth
	// Said is when the words were said. They do not correct what was said later, nor
	// restore what was forgotten later. Zero means now.
	Said time.Time
	// CallKey makes a second save with the same key return the result of the first.
	CallKey string
	// Origin says from whom and how the words came, besides the person who saves them.
	Origin provenance.Origin
}

// Worth says how firmly a new fact stands, and what it may replace.
type Worth struct {
	// Rank 0 means Kept, or Guessed if the author is the assistant.
	Rank Rank
	// Spoken is what the person said. A fact or a correction with other words than these
	// is Guessed. "" trusts Rank.
	Spoken string
	// Explicit replaces any fact, because the person pointed at it.
	Explicit bool
	// Later leaves it to Untold to tell the person.
	Later bool
	// Source says where they did it themselves, outside of the chat.
	Source Source
}

// Saved is the result of saving a fact.
type Saved struct {
	Fact
	// Replaced is the content before; "" if the fact is new or known.
	Replaced string
	// Known reports that the fact was remembered already.
	Known bool
	// Change is the change to tell people about; zero for none.
	Change Change
}

// Errors about facts; the text is fit for people.
var (
	ErrNone = text.Tell("there is no such fact")
	ErrSize = text.Tell("a fact has 1 to %d characters", MaxLength)
)

// TagError reports an invalid tag.
type TagError struct{ Tag string }

// Error implements error.
func (e *TagError) Error() string { return e.Unwrap().Error() }

// Unwrap returns an error that people may read.
func (e *TagError) Unwrap() error {
	return text.Tell("%q is not a tag: use letters, digits, - and _, without spaces, such as #important", e.Tag)
}

const (
	shortTag = "#important"
	maxTag   = 40 // characters after the #
)

// tagsIn is compiled on first use, because the letters of all languages make it large.
var tagsIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)(#[\p{L}\p{M}\p{N}_/-]*\p{L}[\p{L}\p{M}\p{N}_/-]*)`)
})

// isTag reports whether a text is a tag: # and then letters, digits, _, / and -.
func isTag(text string) bool {
	rest, marked := strings.CutPrefix(text, "#")
	n := utf8.RuneCountInString(rest)
	other := func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("_/-", r)
	}
	return marked && n >= 1 && n <= maxTag && !strings.ContainsFunc(rest, other)
}

// normalTags returns tags as they are stored: with '#', lower case, each once, sorted.
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

// normalize checks a new fact and fills in defaults. Tags at the end of the content move
// to Tags.
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

// subjectOf returns the subject of a fact that v saves in a scope.
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

// forgottenSince reports whether a person had something forgotten since said.
func forgottenSince(tx *engine.Tx, user string, said time.Time) (bool, error) {
	if said.IsZero() {
		return false, nil
	}
	var since string
	err := tx.QueryRow("SELECT coalesce(max(learn_after), '') FROM people WHERE user_id = ?", user).Scan(&since)
	return since >= engine.Stamp(said), err
}

// learnFromNow keeps facts from being learned from anything said before now.
func learnFromNow(tx *engine.Tx, user, now string) error {
	return setPerson(tx, user, "learn_after", now)
}

// setPerson stores a value of a person in a column of the table people.
func setPerson(tx *engine.Tx, user, column, value string) error {
	_, err := tx.Exec("INSERT INTO people (user_id, "+column+") VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET "+
		column+" = excluded."+column, user, value)
	return err
}

// changeFact runs fn on a fact that v can see, or returns ErrNone.
func (s *Store) changeFact(ctx context.Context, v Viewer, id int64, fn func(*engine.Tx, Fact) error) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		f, err := factOf(tx, v, id)
		if err == nil && f.ID == 0 {
			err = ErrNone
		}
		if err != nil {
			return err
		}
		return fn(tx, f)
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

// PruneFacts keeps limit untagged facts of each subject, of a person in each chat, and deletes
// the rest, guesses first and then the oldest; 0 keeps all. What a person says in private
// displaces nothing that they said in company.
func (s *Store) PruneFacts(ctx context.Context, limit int) (n int64, err error) {
	if limit <= 0 {
		return 0, nil
	}
	n, err = chunked.Sweep{
		Keys: `SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY subject, iif(scope = 'person', platform || ':' || channel, '') ORDER BY valid_to = '' DESC, rank DESC, updated_at DESC, id DESC) AS n FROM key_facts WHERE tags = '') numbered WHERE n > :limit`,
		Do:   []string{"DELETE FROM key_facts WHERE id = :key AND tags = ''"},
	}.Run(ctx, s.db, engine.Named{"limit": limit})
	return n, engine.During("prune facts", err)
}
