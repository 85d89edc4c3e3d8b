package memory

import (
	"time"

	"parley/internal/provenance"
	"parley/internal/sqlite"
)

// Words of other rooms that nearly every row here has.
type (
	Origin = provenance.Origin
	Via    = provenance.Via
	Viewer = provenance.Viewer

	names = provenance.Names
)

// ofOwner is the condition on rows that belong to one person: theirs, and in
// company only those from the same channel. Its parameters come from
// Viewer.Named.
const ofOwner = ` user_id = :user AND (:direct OR (platform = :platform AND channel = :channel)) `

// morePeople returns the column people with those of a parameter added.
func morePeople(parameter string) string {
	return "iif(" + parameter + " = '', people, (SELECT json_group_array(value) FROM (SELECT value FROM json_each(iif(people = '', '[]', people)) UNION SELECT value FROM json_each(" + parameter + "))))"
}

// Stamp writes a time as rows hold it; the zero time is "".
func Stamp(t time.Time) string { return sqlite.Stamp(t) }

// ParseStamp reads what Stamp wrote; anything else is the zero time.
func ParseStamp(s string) time.Time { return sqlite.ParseStamp(s) }
