package memory

import (
	"parley/internal/chat"
	"parley/internal/db/engine"
)

// kept is what every message asks for and hardly ever changes.
type kept struct {
	salt      []byte                          // of this database's nonces
	settings  *engine.Kept[string, string]    // by name
	languages *engine.Kept[string, [2]string] // chosen and heard, of a person
	questions *engine.Kept[standing, bool]    // whether there may be one that waits
	waiting   *engine.Kept[struct{}, bool]    // whether any part waits for its person
	windows   *engine.Growing[Entry]          // of sessions
}

// standing is a person in a place.
type standing struct {
	user string
	key  chat.Key
}

func (s *Store) keeping(db *engine.DB) kept {
	return kept{
		settings:  engine.Keep[string, string](db, "settings"),
		languages: engine.Keep[string, [2]string](db, "people"),
		questions: engine.Keep[standing, bool](db, "questions"),
		waiting:   engine.Keep[struct{}, bool](db, waitingParts),
		windows: engine.KeepGrowing(db, engine.List[Entry]{Table: "messages", Read: s.entries,
			ID:     func(e Entry) int64 { return e.ID },
			Weight: func(e Entry) int { return 400 + len(e.Content) + len(e.Attached) + 200*len(e.ToolCalls) }}),
	}
}
