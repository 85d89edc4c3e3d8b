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

// today is what the steps make of a file that is new, without the steps:
// TestToday writes it. Steps that it lacks follow it.
//
//go:embed today.sql
var today string
