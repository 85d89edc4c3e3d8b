// Package standby waits beside a running bot and takes over its data folder when that bot
// ends, however it ends: the folder's lock goes with its process. It starts nothing and
// makes no database.
package standby

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/internal/app/systemd"
	"parley/internal/memory/datadir"
)

// lookEvery is how often the lock is tried: a bot takes over well within a second.
const lookEvery = 250 * time.Millisecond

// errNothing: there is no bot to stand by for. A folder that is not mounted yet looks the
// same, so no database is ever created there.
var errNothing = errors.New("there is no database in it: it is not mounted here yet, or no bot ever ran in it")

// Options of Wait. Dir and Log are required.
type Options struct {
	Dir        string
	Log        *slog.Logger
	Supervisor systemd.Supervisor // is told that the process is ready while it waits
}

// Wait returns the lock of a data folder, like datadir.Lock, once nobody else holds it and
// it contains a database. If locks do not work at all, it fails at once; if ctx ends
// first, it returns nil and no error. Later problems are logged and may pass: storage may
// be moving from another machine.
func Wait(ctx context.Context, o Options) (*datadir.Held, error) {
	began, told := time.Now(), ""
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		lock, err := take(o.Dir)
		var held *datadir.InUseError
		switch {
		case err == nil && told != "":
			o.Log.Info("taking over", "folder", o.Dir, "waited", time.Since(began).Round(time.Millisecond))
			return lock, nil
		case err == nil:
			return lock, nil
		case told == "" && !errors.As(err, &held) && !errors.Is(err, errNothing):
			return nil, err
		}
		if why := reason(err); why != told {
			o.Log.Info("standing by", "folder", o.Dir, "because", why)
			o.Supervisor.Tell("READY=1", "STATUS=standing by: "+why)
			told = why
		}
		if o.Supervisor.Every > 0 {
			o.Supervisor.Tell("WATCHDOG=1")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// reason explains briefly why this process must wait.
func reason(err error) string {
	var held *datadir.InUseError
	if errors.As(err, &held) {
		return "process " + held.Holder + " uses it"
	}
	return err.Error()
}

// take tries once. It looks at the folder anew each time, because another may have been
// mounted there.
func take(dir string) (*datadir.Held, error) {
	if err := there(dir); err != nil {
		return nil, err
	}
	lock, err := datadir.Lock(dir)
	if err != nil {
		return nil, err
	}
	if err := there(dir); err != nil || !lock.Still() { // changed in the meantime
		_ = lock.Close()
		return nil, cmp.Or(err, errNothing)
	}
	return lock, nil
}

func there(dir string) error {
	_, err := os.Stat(filepath.Join(dir, datadir.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return errNothing
	}
	return err
}
