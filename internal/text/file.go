package text

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all, and puts it on the disk. may is asked when
// only the name is missing, and false leaves what there was; nil is yes.
func WriteFile(path string, data []byte, perm os.FileMode, may func() (bool, error)) error {
	f, err := Draft(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // locked until it has its name
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Sync())
	ok := err == nil
	if ok && may != nil {
		ok, err = may()
	}
	if ok {
		if err = os.Rename(f.Name(), path); err == nil {
			return syncFolder(filepath.Dir(path))
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}
