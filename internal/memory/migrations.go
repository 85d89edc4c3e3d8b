package memory

import (
	"embed"
	"sync"

	"parley/internal/sqlite"
)

//go:embed schema/*.sql
var schema embed.FS

// Migrations are the steps to the schema of this version, in order.
var Migrations = sync.OnceValue(func() sqlite.Migrations { return sqlite.ReadMigrations(schema, "schema") })
