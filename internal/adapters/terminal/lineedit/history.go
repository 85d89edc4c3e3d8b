package lineedit

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"parley/internal/llm/provider"
)

// How many lines are kept, and how long one may be, in bytes: a long paste is not
// typed again.
const (
	mostLines   = 1000
	longestLine = 4000
)

// History is the lines that were typed before, the last one at the end. It may be
// used from several goroutines.
type History struct {
	path   string
	tokens provider.Forms
	mu     sync.Mutex // guards list and the file
	list   []string
}

// OpenHistory reads the lines of earlier starts; without a path none are kept. What
// cannot be read is not offered, and the error says why. Lines that hold one of tokens, or
// another secret, are not kept.
func OpenHistory(path string, tokens provider.Forms) (*History, error) {
	h := &History{path: path, tokens: tokens}
	if path == "" {
		return h, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("typed lines: %w", err)
	}
	defer func() { _ = f.Close() }()
	_ = f.Chmod(0o600) // another program may have made it
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	read := 0
	for lines.Scan() {
		read++
		h.list = append(h.list, unescape.Replace(lines.Text()))
	}
	h.list = h.list[max(0, len(h.list)-mostLines):]
	if read > 2*mostLines {
		err = h.rewrite()
	}
	return h, errors.Join(err, lines.Err())
}

// A line of several rows is one line of the file.
var (
	escape   = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// Add keeps a line, in the file too, unless it is blank, repeats the last one, is long,
// begins with a space, or holds a secret.
func (h *History) Add(line string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.list) - 1
	if strings.TrimSpace(line) == "" || line[0] == ' ' || len(line) > longestLine || Secret(line, h.tokens) ||
		last >= 0 && h.list[last] == line {
		return nil
	}
	h.list = append(h.list, line)
	if h.path == "" {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("keep what was typed: %w", err)
	}
	_, err = f.WriteString(escape.Replace(line) + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep what was typed: %w", err)
	}
	return nil
}

// rewrite shortens the file to the kept lines.
func (h *History) rewrite() error {
	var b strings.Builder
	for _, l := range h.list {
		b.WriteString(escape.Replace(l) + "\n")
	}
	part := h.path + ".part"
	if err := os.WriteFile(part, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("shorten typed lines: %w", err)
	}
	return os.Rename(part, h.path)
}

// Forget drops every line and the file.
func (h *History) Forget() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = nil
	if h.path == "" {
		return nil
	}
	if err := os.Remove(h.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget typed lines: %w", err)
	}
	return nil
}

// lines returns all lines; the caller must not change the slice.
func (h *History) lines() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.list
}
