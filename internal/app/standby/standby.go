// Package standby waits beside a bot that runs, and takes its data folder over when
// that one ends, however it ends: the folder's lock goes with its process. It starts
// nothing and makes no database.
package standby

import (
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

// errNothing is that there is no bot to stand by for. A folder that is not mounted
// yet looks like this, so a database is never begun there.
var errNothing = errors.New("there is no database in it: it is not mounted here yet, or no bot ever ran in it")

// Options of Wait. Dir and Log are required.
type Options struct {
	Dir        string
	Log        *slog.Logger
	Supervisor systemd.Supervisor // is told that waiting is what this process is there for
}

// Wait returns the lock of a data folder, as datadir.Lock does, once nobody else
// holds it and a database is in it. It returns an error at once where locks do not
// work at all, and nil with none when ctx ends first. What hinders it later is logged
// and may pass: storage may be on its way from another machine.
func Wait(ctx context.Context, o Options) (*os.File, error) {
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

// reason says in a few words why this process has to wait.
func reason(err error) string {
	var held *datadir.InUseError
	if errors.As(err, &held) {
		return "process " + held.Holder + " uses it"
	}
	return err.Error()
}

// take tries once. The folder is looked at anew each time, for another may have been
// mounted in its place.
func take(dir string) (*os.File, error) {
	if err := there(dir); err != nil {
		return nil, err
	}
	lock, err := datadir.Lock(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(there(dir), same(lock)); err != nil { // it was changed meanwhile
		_ = lock.Close()
		return nil, err
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

// same reports an error unless the lock still has its name.
func same(lock *os.File) error {
	held, err := lock.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(lock.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(held, named) {
		return errNothing
	}
	return nil
}
