package pgschema

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"parley/internal/memory/datadir"
)

// own holds the triggers, written for PostgreSQL.
//
//go:embed own.sql
var own string

// steps are the migrations that no translation fits, by the names they have for SQLite.
//
//go:embed steps
var steps embed.FS

// effects says of each step what it is to processes of the version before, which answer
// while it is made: a step that only adds is made beside them, any other once they are gone.
// Steps before the first one here are older than the sharing of databases.
var effects = map[string]datadir.Effect{
	"0039_spent_of_all.sql": datadir.Takes, // what all spent, which they read
	"0041_spent.sql":        datadir.Adds,
	"0045_sorted.sql":       datadir.Adds,
	"0049_world.sql":        datadir.Adds,
	"0050_asked_again.sql":  datadir.Adds,

	"0054_attested.sql":        datadir.Adds, // they ask again, too
	"0055_places.sql":          datadir.Adds,
	"0056_restored.sql":        datadir.Adds,
	"0058_handoff_numbers.sql": datadir.Adds,
	"0059_unknown_calls.sql":   datadir.Adds,
	"0062_closed_places.sql":   datadir.Adds,
	"0060_ledger.sql":          datadir.Adds,
	"0063_ends.sql":            datadir.Adds,
	"0066_sources.sql":         datadir.Adds,
	"0077_imports.sql":         datadir.Adds,
	"0080_sessions_begun.sql":  datadir.Adds,
	"0090_web.sql":             datadir.Adds,
	"0092_hooks.sql":           datadir.Adds,
	"0097_voice.sql":           datadir.Adds,
	"0100_api.sql":             datadir.Adds,
	"0115_bring.sql":           datadir.Adds,
	"0140_ambient.sql":         datadir.Adds, // they answer there when addressed
	"0141_listening.sql":       datadir.Adds,
	"0151_index_changes.sql":   datadir.Adds,
	"0152_json_escapes.sql":    datadir.Adds,

	"0065_plain_results.sql":  datadir.Takes, // the marks, which they do not write
	"0068_numbers.sql":        datadir.Takes, // they read the numbers that people type as ids
	"0150_change_numbers.sql": datadir.Takes, // so do they those of Undo
	"0074_decided.sql":        datadir.Takes, // the lists of decisions, which they read and write
}

// Schema is how the schema of memory is made on a server.
var Schema = sync.OnceValue(func() datadir.Served {
	texts := map[string]string{}
	files, err := fs.Glob(steps, "steps/*.sql")
	for _, name := range files {
		var b []byte
		if b, err = steps.ReadFile(name); err == nil {
			texts[strings.TrimPrefix(name, "steps/")] = string(b)
		}
	}
	if err != nil {
		panic(err) // it was embedded
	}
	return datadir.Served{Own: own, Steps: texts, Words: words, Effects: effects}
})
