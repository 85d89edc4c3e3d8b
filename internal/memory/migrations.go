package memory

import (
	"embed"
	"sync"

	"parley/internal/db/sqlite"
)

//go:embed schema/*.sql
var schema embed.FS

// Migrations are the steps to the schema of this version, in order.
var Migrations = sync.OnceValue(func() sqlite.Migrations { return sqlite.ReadMigrations(schema, "schema") })

// today is the schema that the steps make, as one script for new files; TestToday writes
// it. Steps newer than it run after it.
//
//go:embed today.sql
var today string

// todayFile is the file that today makes, but for seed; TestToday writes it, too.
//
//go:embed today.db.gz
var todayFile []byte

// seed is what no two files have in common.
const seed = "INSERT INTO secrets (name, value) VALUES ('nonce', randomblob(16));\n"
