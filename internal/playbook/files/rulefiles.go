package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/playbook"
	"parley/internal/text"
)

// Folder is a playbook's folder. It is safe for many goroutines.
type Folder struct {
	Dir string
	// Check reads a folder of such files as the bot would. notes are probable mistakes,
	// err certain ones.
	Check func(dir string) (notes []string, err error)
}

// maxFile is how long a file may be, in bytes.
const maxFile = 1 << 20

// List names the files.
func (f Folder) List() (names []string, err error) {
	list, err := os.ReadDir(f.Dir)
	for _, e := range list {
		if e.Type().IsRegular() && playbook.IsFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// ErrNone means that there is no such file.
var ErrNone = errors.New("no such file of rules")

// Read returns the text of a file, and a version that changes with it.
func (f Folder) Read(name string) (words, version string, err error) {
	names, err := f.List()
	if err != nil {
		return "", "", err
	}
	if !slices.Contains(names, name) { // which also keeps to this folder
		return "", "", ErrNone
	}
	b, err := os.ReadFile(filepath.Join(f.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNone
	}
	sum := sha256.Sum256(b)
	return string(b), hex.EncodeToString(sum[:8]), err
}

// Try reads the folder with another text in place of a file. notes are probable
// mistakes; an error that can be told to people is a certain one.
func (f Folder) Try(name, words string) (notes []string, err error) {
	if _, _, err := f.Read(name); err != nil {
		return nil, err
	}
	beside, err := os.MkdirTemp("", "rules")
	if err != nil {
		return nil, fmt.Errorf("try rules: %w", err)
	}
	defer func() { _ = os.RemoveAll(beside) }()
	names, err := f.List()
	if err != nil {
		return nil, fmt.Errorf("try rules: %w", err)
	}
	for _, one := range names {
		text := []byte(words)
		if one != name {
			if text, err = os.ReadFile(filepath.Join(f.Dir, one)); err != nil {
				return nil, fmt.Errorf("try rules: %w", err)
			}
		}
		if err := os.WriteFile(filepath.Join(beside, one), text, 0o600); err != nil {
			return nil, fmt.Errorf("try rules: %w", err)
		}
	}
	notes, err = f.Check(beside)
	if err != nil {
		return nil, text.Tell("with this text the rules cannot be read: %s", strings.ReplaceAll(err.Error(),
			beside+string(filepath.Separator), ""))
	}
	return notes, nil
}

// Errors of Save, for people.
var (
	ErrChanged = text.Tell("The file was changed meanwhile, so nothing was saved. Copy your text, open the file anew and put it in.")
	ErrLong    = text.Tell("The text is too long for a file of rules; nothing was saved.")
)

// Save puts a text in a file's place, in one step, unless the whole could not be read
// with it or the file is not of that version any more.
func (f Folder) Save(name, version, words string) (notes []string, err error) {
	if len(words) > maxFile {
		return nil, ErrLong
	}
	if notes, err = f.Try(name, words); err != nil {
		return nil, err
	}
	_, now, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	if now != version {
		return nil, ErrChanged
	}
	path := filepath.Join(f.Dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("save rules: %w", err)
	}
	if err := text.WriteFile(path, []byte(words), info.Mode().Perm(), nil); err != nil {
		return nil, fmt.Errorf("save rules: %w", err)
	}
	return notes, nil
}
