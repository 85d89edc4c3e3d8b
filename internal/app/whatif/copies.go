package whatif

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"

	"parley/config"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/memory/modellog"
	"parley/internal/memory/transfer"
)

// Folder is how the names of folders with copies begin.
const Folder = "parley-whatif-"

// Copies puts copies of the database and of the traces of a bot, which may be running, into a
// folder and opens them; it fills in Record, World, Tape and Clock, and gives both sides
// folders of their own. shut closes the copies. seen is nil, or is told of a server's rows.
func (o *Options) Copies(ctx context.Context, cfg config.Config, dir string, seen func(done, of int64)) (shut func() error, err error) {
	var open []func() error
	shut = func() (err error) {
		for i := len(open) - 1; i >= 0; i-- {
			err = errors.Join(err, open[i]())
		}
		return err
	}
	o.Clock = &Clock{}
	o.Base.DataDir, o.Changed.DataDir = filepath.Join(dir, "as-is"), filepath.Join(dir, "changed")
	o.Base.Database, o.Changed.Database = config.Database{}, config.Database{}
	record, world := filepath.Join(dir, "record"), filepath.Join(dir, "world")
	err = errors.Join(os.MkdirAll(record, 0o700), os.MkdirAll(world, 0o700))
	if err == nil {
		err = copyTo(ctx, cfg, record, seen)
	}
	if err == nil {
		err = os.CopyFS(world, os.DirFS(record))
	}
	for to, store := range map[string]**memory.Store{record: &o.Record, world: &o.World} {
		if err == nil {
			*store, err = memory.Open(ctx, to, memory.Options{Now: o.Clock.Now, Scratch: true})
		}
		if err != nil {
			return nil, errors.Join(err, shut())
		}
		open = append(open, (*store).Close)
	}
	traces := filepath.Join(dir, "traces.db")
	ok, err := modellog.Copy(ctx, filepath.Join(cfg.DataDir, "traces.db"), traces)
	if ok && err == nil {
		o.Tape, err = modellog.Open(ctx, modellog.Options{File: traces, Keep: math.MaxInt64, MaxSize: math.MaxInt64,
			Witness: o.Record.Witness()})
		if err == nil {
			open = append(open, o.Tape.Close)
		}
	}
	if err != nil {
		return nil, errors.Join(err, shut())
	}
	return shut, nil
}

// copyTo copies the database into a folder.
func copyTo(ctx context.Context, cfg config.Config, to string, seen func(done, of int64)) error {
	if cfg.Database.URL != "" {
		_, err := CopyOut(ctx, string(cfg.Database.URL), to, seen)
		return err
	}
	from := datadir.Folder{Dir: cfg.DataDir, Migrations: memory.Migrations()}
	_, err := from.Backup(ctx, filepath.Join(to, datadir.Name), false)
	return err
}

// CopyOut writes a server's database into a new file in a folder.
func CopyOut(ctx context.Context, url, dir string, seen func(done, of int64)) (c transfer.Copied, err error) {
	local, err := memory.Open(ctx, dir, memory.Options{})
	if err != nil {
		return c, err
	}
	if err := local.Close(); err != nil {
		return c, err
	}
	if seen == nil {
		seen = func(int64, int64) {}
	}
	return transfer.ToFile(ctx, transfer.Copy{File: filepath.Join(dir, datadir.Name), URL: url, Seen: seen})
}
