package text

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all, and puts it on the disk. may is asked when
// only the name is missing, and false leaves what there was; nil is yes.
func WriteFile(path string, data []byte, perm os.FileMode, may func() (bool, error)) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".parley-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
	ok := err == nil
	if ok && may != nil {
		ok, err = may()
	}
	if ok {
		if err = os.Rename(f.Name(), path); err == nil {
			syncFolder(filepath.Dir(path))
			return nil
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// syncFolder puts the names in a folder on the disk, where the file system can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_, _ = d.Sync(), d.Close() // the name is there; some file systems sync no folders
	}
}
