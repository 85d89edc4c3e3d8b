package postgres

import (
	"database/sql"
	"time"
)

// How many connections read. A far server answers each of them a few times a second, and
// where something has changed that many had kept, each conversation reads some ten values.
const (
	fewReaders  = 4
	mostReaders = 16
	perReader   = 5 * time.Millisecond // of a trip, for one more
)

// near has as many readers as the way to a server is long. It is the writer's.
type near struct {
	readers *sql.DB
	trip    time.Duration // the shortest of late, 0 before the first: others may be long for other reasons
	now     int           // readers
}

// took notes how long a trip was; nil does nothing.
func (n *near) took(trip time.Duration) {
	if n == nil {
		return
	}
	if n.trip == 0 || trip < n.trip {
		n.trip = trip
	}
	n.trip += (trip - n.trip) / 32
	if most := min(fewReaders+int(n.trip/perReader), mostReaders); most != n.now {
		n.now = most
		n.readers.SetMaxOpenConns(most)
		n.readers.SetMaxIdleConns(most)
	}
}
