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
