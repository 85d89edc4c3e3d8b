package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"parley/internal/notes/document"
	"parley/internal/notes/edit"
	"parley/internal/text"
	"parley/internal/text/machine"
)

// skipLinked is said in more than one place.
const skipLinked = "a hard link, a second name of a file that may be outside of the folder"

// Bounds of what is read.
const (
	maxNote  = 16 << 20
	maxCode  = 1 << 20
	maxDepth = 40 // folders below each other
)

// builtFolders hold what tools made, not what people wrote.
var builtFolders = []string{"node_modules", "vendor", "__pycache__"}

var errNotRegular = errors.New("not a regular file")

// file is a file that a walk found.
type file struct {
	path        string // with slashes, from the folder of its source
	size, mtime int64  // from stampOf
}

// barred is recorded as the size of a file that is not opened because of hard links: another
// name may be anywhere, and reading or writing one reads or writes the other.
const barred = -1

// stampOf returns the size and time that identify an unchanged file. A file with hard
// links gets the size barred, because adding or removing a link changes nothing else.
func stampOf(info os.FileInfo, links bool) (size, mtime int64) {
	if !links && machine.Linked(info, nil) {
		return barred, info.ModTime().UnixNano()
	}
	return info.Size(), info.ModTime().UnixNano()
}

// anyKind is the kind of source of which a walk lists every file.
const anyKind = "any"

// walk lists the files of a source at or below a path: only documents, or only the
// others. It follows no link, enters no dot folder and opens only folders.
type walk struct {
	root   *os.Root
	source Source
	papers bool
	links  bool              // allows files with more than one name
	shut   []os.FileInfo     // never entered or read
	enter  func(path string) // called with each folder before it is listed
	files  []file
	met    int      // files of the source, documents included
	unread []string // paths that could not be read
}

// visit checks one path and everything below it. Its only error is the context's.
func (w *walk) visit(ctx context.Context, name string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := w.root.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		w.unread = append(w.unread, name)
		return nil
	case w.isShut(info):
		return nil
	case info.Mode().IsRegular() && readable(name, w.source.Kind):
		w.met++
		if document.Is(name) == w.papers || w.source.Kind == anyKind {
			size, mtime := stampOf(info, w.links)
			w.files = append(w.files, file{name, size, mtime})
		}
	case info.IsDir() && depth < maxDepth:
		w.enter(name)
		entries, err := edit.List(w.root, name)
		if err != nil {
			w.unread = append(w.unread, name)
		}
		for _, e := range entries {
			below := path.Join(name, e)
			if hidden(below) {
				continue
			}
			if err := w.visit(ctx, below, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) isShut(info os.FileInfo) bool {
	return slices.ContainsFunc(w.shut, func(s os.FileInfo) bool { return os.SameFile(s, info) })
}

// reaches reports whether a walk from the top would reach a path, through real and
// readable folders.
func (w *walk) reaches(name string) bool {
	above := []string{}
	for dir := path.Dir(name); name != "."; name, dir = dir, path.Dir(dir) {
		above = append(above, dir)
	}
	for _, dir := range slices.Backward(above) {
		info, err := w.root.Lstat(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			w.unread = append(w.unread, dir)
		}
		if err != nil || !info.IsDir() || w.isShut(info) || hidden(dir) {
			return false
		}
	}
	return true
}

// hidden reports whether a path is never read: dot files, and anything in dot folders
// and folders made by tools.
func hidden(name string) bool {
	if name == "." {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || slices.Contains(builtFolders, part) {
			return true
		}
	}
	return false
}

// readable reports, by the ending, whether a file belongs to this kind of source.
func readable(name, kind string) bool {
	if kind == anyKind {
		return true
	}
	ending := strings.ToLower(path.Ext(name))
	if kind == KindCode {
		return slices.Contains(codeEndings, ending)
	}
	return isNote(name) || isBase(name) || document.Is(name)
}

// isNote reports whether a file is Markdown, by its ending.
func isNote(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".md" || ending == ".markdown"
}

// isBase reports whether a file is one of Obsidian's views of notes, which is YAML.
func isBase(name string) bool { return text.Fold(path.Ext(name)) == ".base" }

// isUnread reports whether a path is unread or inside something unread.
func (w *walk) isUnread(name string) bool {
	return slices.ContainsFunc(w.unread, func(u string) bool {
		return u == "." || name == u || strings.HasPrefix(name, u+"/")
	})
}

// content is a file that was read; text is "" when it was skipped.
type content struct {
	text    string // cleaned
	raw     []byte // as on disk
	skipped string
	info    os.FileInfo
	size    int64 // from stampOf
	hash    []byte
}

// read reads a regular file below root. It refuses a link, a pipe, or another file
// that took its place since it was listed. With links it also reads files that have
// more than one name.
func read(root *os.Root, name, kind string, links bool) (content, error) {
	limit := int64(maxNote)
	switch {
	case kind == KindCode:
		limit = maxCode
	case document.Is(name):
		limit = maxPaper
	}
	looked, err := root.Lstat(name)
	if err != nil {
		return content{}, err
	}
	if !looked.Mode().IsRegular() {
		return content{}, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	c := content{hash: []byte{}, info: looked}
	if c.size, _ = stampOf(looked, links); c.size == barred { // do not even open it: it may be a database
		c.skipped = skipLinked
		return c, nil
	}
	f, err := root.OpenFile(name, os.O_RDONLY|machine.Nonblock, 0)
	if err != nil {
		return content{}, err
	}
	defer func() { _ = f.Close() }()
	if c.info, err = f.Stat(); err != nil {
		return content{}, err
	}
	if !os.SameFile(looked, c.info) {
		return content{}, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	if c.size, _ = stampOf(c.info, links); c.size == barred || !links && machine.Linked(c.info, f) {
		c.skipped = skipLinked
		return c, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return content{}, err
	}
	if int64(len(data)) > limit {
		c.skipped = "too large"
		return c, nil
	}
	sum := sha256.Sum256(data)
	c.hash = sum[:16]
	if kind != KindCode && document.Is(name) {
		c.raw = data
		return c, nil
	}
	data = decoded(data)
	if bytes.IndexByte(data, 0) >= 0 {
		c.skipped = "not text"
		return c, nil
	}
	c.text, c.raw = text.Composed(clean(string(data))), data
	return c, nil
}

// decoded returns a text in UTF-16 as UTF-8. Only a byte order mark tells that it is one.
func decoded(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// clean turns any text into valid UTF-8 with plain newlines and no byte order mark.
func clean(s string) string {
	s = strings.TrimPrefix(strings.ToValidUTF8(s, "\uFFFD"), "\uFEFF")
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// parse parses a file. A panicking parser costs only this file. An error means that
// the file could not be parsed now, not that it is bad.
func (v *Vault) parse(ctx context.Context, s Source, name string, c content) (d indexed, err error) {
	defer func() {
		if recover() != nil {
			d, err = indexed{skipped: "cannot be parsed", title: path.Base(name)}, nil
		}
		d.source, d.path, d.kind = s.Name, name, s.Kind
		d.stamp = stamp{c.size, c.info.ModTime().UnixNano(), string(c.hash)}
	}()
	switch {
	case c.skipped != "":
		return indexed{skipped: c.skipped, title: path.Base(name)}, nil
	case s.Kind == KindCode && !isNote(name):
		return parseCode(name, c.text, v.defines(ctx, name, c.text)), nil
	case s.Kind == KindNotes && document.Is(name):
		return v.parsePaper(ctx, name, c.raw)
	case isBase(name):
		return parsePlain(name, c.text), nil
	}
	return parseNote(name, c.text), nil
}
