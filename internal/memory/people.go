package memory

import (
	"context"
	"errors"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// People are the rows about people, except facts.
type People struct {
	db        *engine.DB
	languages *engine.Kept[string, [2]string] // chosen and heard, by person
	voices    *engine.Kept[string, string]
}

// Person is what is kept about somebody, except facts.
type Person struct {
	ID       string
	TimeZone string // IANA name, "" when unknown
	Playbook string // opaque JSON
}

// ofAgent reads the note of the playbook of an agent other than "".
const ofAgent = "coalesce((SELECT a.playbook FROM agent_people a WHERE a.user_id = :id AND a.agent = :agent), '')"

// Person returns what is kept about somebody, by the playbook of an agent; nothing
// yet is no error.
func (s *People) Person(_ context.Context, id, agent string) (Person, error) {
	p := Person{ID: id}
	err := s.db.QueryRow("SELECT time_zone, iif(:agent = '', playbook, "+ofAgent+") FROM people WHERE user_id = :id",
		engine.Named{"id": id, "agent": agent}).Scan(&p.TimeZone, &p.Playbook)
	return p, engine.NoRow(err, nil)
}

// DirectChat returns where somebody last wrote to the bot alone; ErrNotFound when
// they never did.
func (s *People) DirectChat(_ context.Context, id string) (k chat.Key, err error) {
	err = s.db.QueryRow(`SELECT m.platform, m.channel, m.thread FROM messages m JOIN sessions s ON s.id = m.session_id
		WHERE m.user_id = ? AND m.role = 'user' AND s.direct AND m.platform <> ? ORDER BY m.id DESC LIMIT 1`, id, chat.Programs).Scan(&k.Platform, &k.Channel, &k.Thread)
	return k, during("find direct chat", err)
}

// PersonNote is the playbook's note on somebody, a JSON object or "", as it was
// read and as it was changed.
type PersonNote struct{ From, To string }

// SavePersonPlaybook stores what was changed of an agent's playbook note on somebody.
// What somebody else changed meanwhile stays: people may talk in several places
// at once while the owner says something about them.
func (s *People) SavePersonPlaybook(ctx context.Context, id, agent string, note PersonNote) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error { return savePersonPlaybook(tx, id, agent, note) })
}

// noteDepth is how deep such a note is a set of things that change by
// themselves: its parts, and each variable.
const noteDepth = 1

func savePersonPlaybook(tx *engine.Tx, id, agent string, note PersonNote) error {
	var now string
	err := tx.QueryRow("SELECT iif(:agent = '', playbook, "+ofAgent+") FROM people WHERE user_id = :id",
		engine.Named{"id": id, "agent": agent}).Scan(&now)
	gone := errors.Is(err, ErrNotFound)
	if gone && note.From != "" || err != nil && !gone { // it was forgotten meanwhile
		return engine.NoRow(err, nil)
	}
	to := mergeObjects(note.From, note.To, now, noteDepth)
	if agent != "" {
		_, e1 := tx.Exec("INSERT INTO people (user_id) VALUES (?) ON CONFLICT DO NOTHING", id)
		_, e2 := tx.Exec("INSERT INTO agent_people VALUES (?, ?, ?) ON CONFLICT (user_id, agent) DO UPDATE SET playbook = excluded.playbook",
			id, agent, to)
		return errors.Join(e1, e2)
	}
	_, err = tx.Exec("INSERT INTO people (user_id, playbook) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET playbook = excluded.playbook",
		id, to)
	return err
}

// SetTimeZone stores a person's IANA time zone; the caller has checked it.
func (s *People) SetTimeZone(ctx context.Context, id, zone string) error {
	return s.db.Exec(ctx, "INSERT INTO people (user_id, time_zone) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET "+
		"time_zone = excluded.time_zone", id, zone)
}

// Languages returns the tag of the language that somebody chose, and of the one
// they were last heard to speak; "" is unknown.
func (s *People) Languages(_ context.Context, id string) (chosen, heard string, err error) {
	both, err := s.languages.Get(id, func() (both [2]string, err error) {
		err = s.db.QueryRow("SELECT language, heard FROM people WHERE user_id = ?", id).Scan(&both[0], &both[1])
		return both, engine.NoRow(err, nil)
	})
	return both[0], both[1], err
}

// SetLanguage stores the tag of the language that somebody chose; "" when they
// take that back.
func (s *People) SetLanguage(ctx context.Context, id, tag string) error {
	return s.db.Exec(ctx, "INSERT INTO people (user_id, language) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET language = excluded.language", id, tag)
}

// SetHeard stores the tag of the language that somebody was heard to speak, with what may
// follow it after a space.
func (s *People) SetHeard(ctx context.Context, id, tag string) error {
	return s.db.Exec(ctx, "INSERT INTO people (user_id, heard) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET heard = excluded.heard", id, tag)
}

// Voice returns when somebody wants answers spoken, as SetVoice stored it; "" is never.
func (s *People) Voice(_ context.Context, id string) (string, error) {
	return s.voices.Get(id, func() (when string, err error) {
		err = s.db.QueryRow("SELECT voice FROM people WHERE user_id = ?", id).Scan(&when)
		return when, engine.NoRow(err, nil)
	})
}

// SetVoice stores it.
func (s *People) SetVoice(ctx context.Context, id, when string) error {
	return s.db.Exec(ctx, "INSERT INTO people (user_id, voice) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET voice = excluded.voice", id, when)
}

// Settings are small values by name that were changed from the chat.
type Settings struct {
	db       *engine.DB
	settings *engine.Kept[string, string]
}

// Setting reads a setting that was changed from the chat; "" when it was not.
func (s *Settings) Setting(_ context.Context, name string) (string, error) {
	return s.settings.Get(name, func() (v string, err error) {
		err = s.db.QueryRow("SELECT value FROM settings WHERE name = ?", name).Scan(&v)
		return v, engine.NoRow(err, nil)
	})
}

// Passing begins the names of settings that hold people's words for minutes,
// such as a plan that waits for a yes. They go when anybody is forgotten, and
// in the night.
const Passing = "passing."

const dropPassing = "DELETE FROM settings WHERE name >= '" + Passing + "' AND name < 'passing/'"

// Menus begins the names of settings that say which menus platforms show. They are not
// what a restored copy says.
const Menus = "menu."

const dropMenus = "DELETE FROM settings WHERE name >= '" + Menus + "' AND name < 'menu/'"

// SetSetting stores one; "" forgets it.
func (s *Settings) SetSetting(ctx context.Context, name, value string) error {
	if value == "" {
		return s.db.Exec(ctx, "DELETE FROM settings WHERE name = ?", name)
	}
	return s.db.Exec(ctx, "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}
