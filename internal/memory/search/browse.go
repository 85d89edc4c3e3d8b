package search

import (
	"cmp"
	"context"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/catalog"
)

// Shelf searches all conversations of a database. It is safe for concurrent use.
type Shelf struct{ db *engine.DB }

// NewShelf returns the Shelf of a database with the current schema.
func NewShelf(db *engine.DB) *Shelf { return &Shelf{db} }

// Filter selects conversations and messages. The zero Filter selects everything.
type Filter struct {
	Words    string // all of them
	Platform string
	Person   string        // a part of a name, or an id
	Rule     string        // id of a guideline that applied
	Tool     string        // name of a tool that was called
	Errors   bool          // only failures
	ByAgent  bool          // only answers of the agent whose memory is Agent
	Agent    string        // "" is the only agent of earlier versions
	Took     time.Duration // at least
	Tokens   int           // at least
	Cost     float64       // at least
}

// Single reports whether the filter selects messages, not conversations.
func (f Filter) Single() bool {
	return f.Words != "" || f.Rule != "" || f.Tool != "" || f.Errors || f.Took > 0 || f.Tokens > 0 || f.Cost > 0
}

// Place is a conversation.
type Place struct {
	Key      chat.Key
	Title    string   // "" if unknown
	People   []string // names of those who wrote, the latest first, at most maxNames
	More     int      // people who are not in People
	Text     string   // the last words
	By       string   // their author, "" for the bot
	At       time.Time
	Outcome  chat.Outcome // of the last message, "" if unknown
	Messages int          // among the newest
	Failed   int          // of Messages
	Cost     float64      // of Messages
}

// Bounds of a Place.
const (
	newest   = 200 // messages
	shortest = 200 // characters of the last words
	maxNames = 3
)

// matching returns the parameters for platform, people and agent. people is a JSON list, ""
// for anybody.
func (s *Shelf) matching(ctx context.Context, f Filter) (args engine.Named, err error) {
	args = engine.Named{"platform": f.Platform, "people": "", "by_agent": f.ByAgent, "agent": f.Agent}
	if f.Person != "" {
		args["people"], err = s.people(ctx, f.Person)
	}
	return args, err
}

// people returns the ids of people whose name contains a text, or whose id it is, as JSON.
func (s *Shelf) people(ctx context.Context, part string) (ids string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT json_group_array(user_id) FROM (SELECT p.user_id FROM
		(SELECT user_id, max(last_id) AS last FROM participants GROUP BY user_id) p LEFT JOIN messages m ON m.id = p.last
		WHERE p.user_id = :part OR instr(lower(coalesce(m.name, '')), lower(:part)) > 0 LIMIT 200) found`, engine.Named{"part": part}).Scan(&ids)
	return ids, engine.During("find people", err)
}

// Places lists conversations, the latest first. Those with nothing but refused messages come
// last.
func (s *Shelf) Places(ctx context.Context, f Filter, limit, offset int) ([]Place, error) {
	args, err := s.matching(ctx, f)
	if err != nil {
		return nil, err
	}
	args["limit"], args["offset"] = limit, offset
	rows, err := s.db.QueryContext(ctx, `WITH RECURSIVE channels(platform, channel) AS (
			SELECT * FROM (SELECT platform, channel FROM decisions ORDER BY platform, channel LIMIT 1) first_of
			UNION ALL SELECT (SELECT platform FROM decisions d WHERE (d.platform, d.channel) > (c.platform, c.channel) ORDER BY d.platform, d.channel LIMIT 1),
				(SELECT channel FROM decisions d WHERE (d.platform, d.channel) > (c.platform, c.channel) ORDER BY d.platform, d.channel LIMIT 1)
				FROM channels c WHERE c.platform IS NOT NULL),
		all_places AS (SELECT platform, channel, thread FROM places
			UNION ALL SELECT platform, channel, '' FROM channels c WHERE platform IS NOT NULL
				AND NOT EXISTS (SELECT 1 FROM places p WHERE p.platform = c.platform AND p.channel = c.channel))
		SELECT platform, channel, thread FROM (SELECT platform, channel, thread,
				(SELECT id FROM messages m WHERE m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread ORDER BY id DESC LIMIT 1) AS last
				FROM all_places p WHERE :platform IN ('', platform)
				AND (:people = '' OR EXISTS (SELECT 1 FROM participants x WHERE x.platform = p.platform AND x.channel = p.channel AND x.thread = p.thread
					AND x.user_id IN (SELECT value FROM json_each(:people))))
				AND (NOT :by_agent OR EXISTS (SELECT 1 FROM sessions x WHERE x.platform = p.platform AND x.channel = p.channel AND x.thread = p.thread AND x.agent = :agent)
					OR EXISTS (SELECT 1 FROM decisions x WHERE x.platform = p.platform AND x.channel = p.channel AND x.thread = p.thread AND x.agent = :agent))) all_
		WHERE last IS NOT NULL OR EXISTS (SELECT 1 FROM decisions d WHERE d.platform = all_.platform AND d.channel = all_.channel)
		ORDER BY coalesce(last, 0) DESC, platform, channel, thread LIMIT :limit OFFSET :offset`, args)
	if err != nil {
		return nil, engine.During("list conversations", err)
	}
	list, err := engine.Collect(rows, func(r engine.Scanner) (p Place, err error) {
		return p, r.Scan(&p.Key.Platform, &p.Key.Channel, &p.Key.Thread)
	})
	for i := range list {
		if err == nil {
			err = s.look(ctx, &list[i])
		}
	}
	return list, engine.During("list conversations", err)
}

// look fills in a Place.
func (s *Shelf) look(ctx context.Context, p *Place) error {
	args := engine.Named{"platform": p.Key.Platform, "channel": p.Key.Channel, "thread": p.Key.Thread, "newest": newest, "shortest": shortest}
	const here = " WHERE platform = :platform AND channel = :channel AND thread = :thread "
	var said, decided string
	err := s.db.QueryRowContext(ctx,
		`SELECT coalesce(max(at), ''), coalesce(max(text), ''), coalesce(max(by), '') FROM (SELECT at, substr(content, 1, :shortest) AS text, iif(role = 'user', name, '') AS by
		FROM messages `+here+" AND role <> 'tool' AND content <> '' ORDER BY id DESC LIMIT 1) newest", args).Scan(&said, &p.Text, &p.By)
	if err != nil {
		return err
	}
	err = s.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(outcome = 'failed'), 0), coalesce(sum(cost), 0), coalesce(max(at), ''),
		coalesce((SELECT outcome FROM decisions`+here+`AND outcome <> 'overheard' ORDER BY at DESC LIMIT 1), '')
		FROM (SELECT outcome, cost, at FROM decisions`+here+"ORDER BY at DESC LIMIT :newest) latest", args).Scan(&p.Messages, &p.Failed, &p.Cost, &decided, &p.Outcome)
	if err != nil {
		return err
	}
	p.At = engine.ParseStamp(max(said, decided))
	if p.Title, err = s.title(ctx, chat.PlaceID(p.Key)); err != nil {
		return err
	}
	p.People, p.More, err = s.names(ctx, p.Key)
	return err
}

// names returns the people who wrote in a place, the latest first.
func (s *Shelf) names(ctx context.Context, k chat.Key) (list []string, more int, err error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT coalesce(nullif(m.name, ''), p.user_id) FROM participants p LEFT JOIN messages m ON m.id = p.last_id
		WHERE p.platform = ? AND p.channel = ? AND p.thread = ? ORDER BY p.last_id DESC LIMIT 100`, k.Platform, k.Channel, k.Thread)
	if err != nil {
		return nil, 0, err
	}
	list, err = engine.Collect(rows, engine.Value[string])
	if len(list) > maxNames {
		list, more = list[:maxNames], len(list)-maxNames
	}
	return list, more, err
}

// title returns the title of a place by its id, "" if unknown.
func (s *Shelf) title(ctx context.Context, id string) (string, error) {
	return s.db.Word("read a title", "SELECT title FROM titles WHERE id = ?", id)
}

// Called returns the title of a place, or else the names of those who wrote there.
func (s *Shelf) Called(ctx context.Context, k chat.Key) (string, error) {
	if title, err := s.title(ctx, chat.PlaceID(k)); err != nil || title != "" {
		return title, err
	}
	list, more, err := s.names(ctx, k)
	return Names(catalog.Of(ctx), list, more), engine.During("name a conversation", err)
}

// Person returns the last name of a person, or the title of a place, or else the id.
func (s *Shelf) Person(ctx context.Context, id string) (string, error) {
	if title, err := s.title(ctx, id); err != nil || title != "" {
		return cmp.Or(title, id), err
	}
	rows, err := s.db.QueryContext(ctx,
		`SELECT m.name FROM (SELECT max(last_id) AS last FROM participants WHERE user_id = ?) p JOIN messages m ON m.id = p.last WHERE m.name <> ''`, id)
	if err != nil {
		return id, engine.During("name somebody", err)
	}
	list, err := engine.Collect(rows, engine.Value[string])
	if len(list) == 0 {
		return id, engine.During("name somebody", err)
	}
	return list[0], engine.During("name somebody", err)
}

// Names joins names as people write them.
func Names(p catalog.Printer, list []string, more int) string {
	switch {
	case more > 0:
		return strings.Join(list, ", ") + p.Say(" and %d more", more)
	case len(list) > 1:
		return strings.Join(list[:len(list)-1], ", ") + p.Text(" and ") + list[len(list)-1]
	}
	return strings.Join(list, "")
}
