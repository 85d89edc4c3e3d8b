package memory

import (
	"embed"
	"sync"

	"parley/internal/sqlite"
)

//go:embed schema/*.sql
var schema embed.FS

// migrations are the embedded steps in order.
var migrations = sync.OnceValue(func() sqlite.Migrations { return sqlite.ReadMigrations(schema, "schema") })
