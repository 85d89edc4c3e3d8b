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
	"parley/internal/provenance"
	"parley/internal/sqlite"
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
	ValidFrom  time.Time
	ValidTo    time.Time // zero while it holds
	Superseded int64     // the fact that took its place
	Previous   string    // what it said before the last correction
	Uses       int       // answers it was fetched for
	Created    time.Time
	Updated    time.Time
	// Origin is how the words came, and whose they are besides the Subject's.
	Origin provenance.Origin
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
	// Said is when the words were said: they do not correct what was said
	// later, and do not bring back what was forgotten later. Zero is now.
	Said time.Time
	// CallKey makes a second save with the same key return the first's result.
	CallKey string
	// Origin is where the words come from besides who saves the fact.
	Origin provenance.Origin
}

// Saved is what became of a fact.
type Saved struct {
	Fact
	// Replaced is what the fact said before; "" when it is new or known.
	Replaced string
	// Known says that this was remembered already.
	Known bool
}

// Errors about facts; the text is fit for people.
var (
	ErrNone = text.Tell("there is no such fact")
	ErrSize = text.Tell("a fact has 1 to %d characters", MaxLength)
)

// TagError is a tag that cannot be one.
type TagError struct{ Tag string }

// Error implements error.
func (e *TagError) Error() string {
	return fmt.Sprintf("%q is not a tag: use letters, digits, - and _, without spaces, such as #important", e.Tag)
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
			return nil, text.Tell("%w", &TagError{t})
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
	if !slices.Contains(factTypes, f.Type) || !slices.Contains(Authors, f.Author) || f.Confidence < 0 || f.Confidence > 1 {
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

// SaveFact remembers something v said. A fact that says nearly the same is
// corrected in place and keeps its id and age; one that says exactly the same
// stays, with the tags of both. Nothing else is touched.
func (s *Store) SaveFact(ctx context.Context, v Viewer, f NewFact) (Saved, error) {
	if err := f.normalize(); err != nil {
		return Saved{}, err
	}
	if v.Direct {
		f.Scope = ScopePerson
	}
	subject, err := subjectOf(v, f.Scope)
	if err != nil {
		return Saved{}, err
	}
	var saved Saved
	err = s.db.Write(ctx, func(tx *sqlite.Tx) (err error) {
		if late, err := s.outdated(tx, v.User, f); err != nil || late {
			saved = Saved{}
			return err
		}
		saved, err = s.saveFact(tx, v, subject, f)
		return err
	})
	return saved, sqlite.During("save fact", err)
}

// outdated reports whether a fact was learned from words that are forgotten.
func (s *Store) outdated(tx *sqlite.Tx, user string, f NewFact) (bool, error) {
	if f.Generation != 0 {
		if now, err := s.o.Generation(tx, f.Session); err != nil || now != f.Generation {
			return true, err
		}
	}
	return forgottenSince(tx, user, f.Said)
}

// forgottenSince reports whether a person had something forgotten after they said
// some words.
func forgottenSince(tx *sqlite.Tx, user string, said time.Time) (bool, error) {
	if said.IsZero() {
		return false, nil
	}
	var since string
	err := tx.QueryRow("SELECT coalesce(max(learn_after), '') FROM people WHERE user_id = ?", user).Scan(&since)
	return since >= sqlite.Stamp(said), err
}

// learnFromNow makes nothing said so far be learned from again.
func learnFromNow(tx *sqlite.Tx, user, now string) error {
	_, err := tx.Exec("INSERT INTO people (user_id, learn_after) VALUES (?, ?) ON CONFLICT DO UPDATE SET learn_after = excluded.learn_after", user, now)
	return err
}

func (s *Store) saveFact(tx *sqlite.Tx, v Viewer, subject string, f NewFact) (Saved, error) {
	if f.CallKey != "" {
		done, err := facts(tx.Query, v, byCall, sqlite.Named{"call": f.CallKey})
		if err != nil || len(done) > 0 {
			return Saved{Fact: one(done), Known: len(done) > 0, Replaced: one(done).Previous}, err
		}
	}
	old, err := twin(tx, v, Fact{Scope: f.Scope, Subject: subject}, f.Content)
	if err != nil {
		return Saved{}, err
	}
	if old.ID != 0 {
		if !f.Said.IsZero() && old.Updated.After(f.Said) {
			return Saved{Fact: old, Known: true}, nil
		}
		return s.correct(tx, v, old, f)
	}
	now := sqlite.Stamp(s.o.Now())
	res, err := tx.Exec(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, tags, important, type, author,
			session_id, message_id, quote, confidence, valid_from, call_key, created_at, updated_at, via, people)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(f.Scope), subject, ownerWord(subject), v.Key.Platform, v.Key.Channel, f.Content, strings.Join(f.Tags, " "), slices.Contains(f.Tags, shortTag),
		f.Type, f.Author, f.Session, f.MessageID, f.Quote, f.Confidence, now, f.CallKey, now, now,
		int(f.Origin.Via), f.origin(v, subject).Names())
	if err != nil {
		return Saved{}, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return Saved{}, err
	}
	list, err := facts(tx.Query, v, byID, sqlite.Named{"id": id})
	return Saved{Fact: one(list)}, err
}

func one(list []Fact) Fact {
	if len(list) == 0 {
		return Fact{}
	}
	return list[0]
}

// origin returns whose words a fact about subject is made of that v has saved: v's,
// too, unless it is about v.
func (f NewFact) origin(v Viewer, subject string) provenance.Origin {
	return f.Origin.Of(v.User).But(subject)
}

// correct makes an old fact say something new. What it said is kept in its
// history.
func (s *Store) correct(tx *sqlite.Tx, v Viewer, old Fact, f NewFact) (Saved, error) {
	tags, err := normalTags(append(slices.Clone(old.Tags), f.Tags...))
	if err != nil {
		return Saved{}, err
	}
	known := strings.EqualFold(old.Content, f.Content)
	now := sqlite.Stamp(s.o.Now())
	if !known {
		if err := keepHistory(tx, old.ID, now); err != nil {
			return Saved{}, err
		}
		_, err := tx.Exec(`UPDATE key_facts SET content = ?, previous = ?, author = ?, session_id = ?, message_id = ?, quote = ?, confidence = ?,
			valid_from = ?, updated_at = ?, call_key = ?, via = via | ?, people = ? WHERE id = ?`,
			f.Content, old.Content, f.Author, f.Session, f.MessageID, f.Quote, f.Confidence, now, now, f.CallKey,
			int(f.Origin.Via), old.Origin.And(f.origin(v, old.Subject)).Names(), old.ID)
		if err != nil {
			return Saved{}, err
		}
	}
	if !slices.Equal(tags, old.Tags) {
		if err := retag(tx, old.ID, tags, now); err != nil {
			return Saved{}, err
		}
	}
	list, err := facts(tx.Query, v, byID, sqlite.Named{"id": old.ID})
	saved := Saved{Fact: one(list), Known: known}
	if !known {
		saved.Replaced = old.Content
	}
	return saved, err
}

func retag(tx *sqlite.Tx, id int64, tags []string, now string) error {
	_, err := tx.Exec("UPDATE key_facts SET tags = ?, important = ?, updated_at = ? WHERE id = ?",
		strings.Join(tags, " "), slices.Contains(tags, shortTag), now, id)
	return err
}

// UpdateFact makes a fact that v can see say something else. Another fact of
// the same subject that then says nearly the same is superseded by it.
func (s *Store) UpdateFact(ctx context.Context, v Viewer, id int64, f NewFact) (Saved, error) {
	if err := f.normalize(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := s.changeFact(ctx, v, id, func(tx *sqlite.Tx, old Fact) error {
		if f.CallKey != "" {
			done, err := facts(tx.Query, v, byCall, sqlite.Named{"call": f.CallKey})
			if err != nil || len(done) > 0 {
				saved = Saved{Fact: one(done), Replaced: one(done).Previous}
				return err
			}
		}
		other, err := twin(tx, v, old, f.Content)
		if err != nil {
			return err
		}
		if saved, err = s.correct(tx, v, old, f); err != nil || other.ID == 0 || other.ID == id {
			return err
		}
		_, err = tx.Exec("UPDATE key_facts SET valid_to = ?, superseded_by = ? WHERE id = ?", sqlite.Stamp(s.o.Now()), id, other.ID)
		return err
	})
	return saved, sqlite.During("update fact", err)
}

// changeFact runs fn on a fact that v can see; ErrNone when there is none.
func (s *Store) changeFact(ctx context.Context, v Viewer, id int64, fn func(*sqlite.Tx, Fact) error) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		list, err := facts(tx.Query, v, byID, sqlite.Named{"id": id})
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
	err := s.changeFact(ctx, v, id, func(tx *sqlite.Tx, f Fact) error {
		tags := slices.DeleteFunc(slices.Clone(f.Tags), func(t string) bool { return t == shortTag })
		if important {
			tags = append(tags, shortTag)
			slices.Sort(tags)
		}
		marked = f
		marked.Tags, marked.Important = tags, important
		return retag(tx, id, tags, sqlite.Stamp(s.o.Now()))
	})
	return marked, sqlite.During("mark fact", err)
}

// ForgetFact deletes a fact that v can see, with its history and what it
// superseded, and returns what it was.
func (s *Store) ForgetFact(ctx context.Context, v Viewer, id int64) (Fact, error) {
	var gone Fact
	err := s.changeFact(ctx, v, id, func(tx *sqlite.Tx, f Fact) error {
		gone = f
		if _, err := tx.Exec("DELETE FROM key_facts WHERE id = :id OR superseded_by = :id", sqlite.Named{"id": id}); err != nil {
			return err
		}
		if f.Scope != ScopePerson {
			return nil
		}
		return learnFromNow(tx, f.Subject, sqlite.Stamp(s.o.Now()))
	})
	return gone, sqlite.During("forget fact", err)
}

// ClearFacts deletes every fact about v that v can see from here and returns
// how many. What belongs to a channel or server stays.
func (s *Store) ClearFacts(ctx context.Context, v Viewer) (n int64, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		n = 0
		if err := learnFromNow(tx, v.User, sqlite.Stamp(s.o.Now())); err != nil {
			return err
		}
		return tx.Count(&n, "DELETE FROM key_facts AS f WHERE f.scope = 'person' AND f.subject = :user AND (:direct OR (f.platform = :platform AND f.channel = :channel))", v.Named(nil))
	})
	return n, sqlite.During("clear facts", err)
}

// PruneFacts deletes the oldest untagged facts beyond limit of each subject;
// 0 keeps them all.
func (s *Store) PruneFacts(ctx context.Context, limit int) (n int64, err error) {
	if limit <= 0 {
		return 0, nil
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		n = 0
		return tx.Count(&n, `DELETE FROM key_facts WHERE id IN (SELECT id FROM (
			SELECT id, row_number() OVER (PARTITION BY subject ORDER BY updated_at DESC, id DESC) AS n FROM key_facts WHERE tags = '') WHERE n > ?)`, limit)
	})
	return n, sqlite.During("prune facts", err)
}
