package access

import (
	"context"
	"errors"
	"time"

	"parley/internal/db/engine"
)

// WebFile is a file that came with a message from a browser or a program.
type WebFile struct {
	ID, User, Name string
	Data           []byte
}

// errNoRoom rolls back what does not fit.
var errNoRoom = errors.New("too many bytes")

// webFileAge is how long such a file is kept at least; one whose message waits, for as long
// as it does.
const webFileAge = time.Hour

const sweepFiles = "DELETE FROM web_files WHERE at < :hour AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.state = 'new' AND i.body LIKE '%' || web_files.id || '%')"

// SaveWebFiles stores files of one person, unless they have more than limit bytes then;
// false means that. One that is there already stays.
func (g *Register) SaveWebFiles(ctx context.Context, list []WebFile, limit int64) (fits bool, err error) {
	err = g.db.Write(ctx, func(tx *engine.Tx) error {
		fits = true
		for _, f := range list {
			var has int64
			if err := tx.QueryRow("SELECT coalesce(sum(length(data)), 0) FROM web_files WHERE user_id = ? AND id <> ?", f.User, f.ID).Scan(&has); err != nil {
				return err
			}
			if fits = has+int64(len(f.Data)) <= limit; !fits {
				return errNoRoom
			}
			if _, err := tx.Exec("INSERT INTO web_files (id, user_id, name, data, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				f.ID, f.User, f.Name, f.Data, engine.Stamp(g.now())); err != nil {
				return err
			}
		}
		return nil
	})
	if !fits {
		err = nil
	}
	return fits, engine.During("store files from a browser", err)
}

// SweepWebFiles deletes files of messages that were answered an hour ago.
func (g *Register) SweepWebFiles(ctx context.Context) error {
	return engine.During("sweep files", g.db.Write(ctx, func(tx *engine.Tx) error {
		return tx.ExecAll(engine.Named{"hour": engine.Stamp(g.now().Add(-webFileAge))}, sweepFiles)
	}))
}

// WebFile reads a file of a person; ok is false if they have no such one.
func (g *Register) WebFile(_ context.Context, user, id string) (data []byte, ok bool, err error) {
	data, ok, err = engine.Found(engine.Value[[]byte](g.db.QueryRow("SELECT data FROM web_files WHERE id = ? AND user_id = ?", id, user)))
	return data, ok, engine.During("read a file from a browser", err)
}
