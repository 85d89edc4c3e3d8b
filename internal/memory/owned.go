package memory

import (
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/privacy"
	"parley/internal/memory/provenance"
)

// Types of other packages that nearly every row here uses.
type (
	Origin = provenance.Origin
	Via    = provenance.Via
	Viewer = provenance.Viewer

	// A person's export, and the audit of a tool call.
	Export     = privacy.Person
	CallRecord = privacy.Call

	names = provenance.Names
)

// Stamp writes a time as rows hold it; the zero time is "".
func Stamp(t time.Time) string { return engine.Stamp(t) }

// ParseStamp reads what Stamp wrote; anything else is the zero time.
func ParseStamp(s string) time.Time { return engine.ParseStamp(s) }
