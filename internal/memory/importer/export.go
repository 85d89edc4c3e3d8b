package importer

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/text"
)

// Export is what another program handed out: a file, an archive of files or a folder. It is
// only read, and nothing is unpacked to a disk. Close it.
type Export struct {
	Format Format
	// Told hears of the bytes that are read; nil does not.
	Told func(done, of int64)

	files  []member // that the format reads
	other  int64    // files that it does not
	closer io.Closer
	done   int64
	size   int64
}

// member is a file of an export. Its name has slashes.
type member struct {
	name string
	size int64
	open func() (io.ReadCloser, error)
}

// Bounds of archives and folders: what needs more is refused.
const (
	mostFiles = 200_000
	// A file of an archive that is larger than this and unpacks to more than mostPacked times
	// its size was made to fill a disk.
	largeFile  = 64 << 20
	mostPacked = 200
)

// Errors about exports; they are fit for people.
var (
	errManyFiles = text.Tell("it holds more than %d files", mostFiles)
	errBomb      = text.Tell("a file in it unpacks to more than %d times its size: that is no export", mostPacked)
)

// Open opens an export, in the format of this name, or, with "", in the one that fits.
func Open(at, format string) (*Export, error) {
	x := &Export{}
	st, err := os.Stat(at)
	if err != nil {
		return nil, err
	}
	var all []member
	switch {
	case st.IsDir():
		all, err = x.folder(at)
	default:
		all, err = x.file(at)
	}
	if err == nil {
		err = x.choose(all, format)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Close lets go of the files.
func (x *Export) Close() error {
	if x.closer == nil {
		return nil
	}
	return x.closer.Close()
}

// folder lists the files of a folder. What leads out of it is not followed.
func (x *Export) folder(at string) (all []member, err error) {
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	x.closer = root
	within := root.FS()
	err = fs.WalkDir(within, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if len(all) == mostFiles {
			return errManyFiles
		}
		open := func() (io.ReadCloser, error) { return within.Open(name) }
		all = append(all, member{inChat(name, filepath.Base(at)), st.Size(), open})
		return nil
	})
	return all, err
}

// file lists the one file, or those in it.
func (x *Export) file(at string) ([]member, error) {
	file, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	x.closer = file
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	if _, err := file.ReadAt(head, 0); err == nil && string(head) == "PK\x03\x04" {
		return archived(file, st.Size(), strings.TrimSuffix(filepath.Base(at), filepath.Ext(at)))
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, st.Size())), nil }
	return []member{{filepath.Base(at), st.Size(), open}}, nil
}

// archived lists the files of an archive of this name. Those whose names lead out of it are
// left out.
func archived(file io.ReaderAt, size int64, called string) (all []member, err error) {
	z, err := zip.NewReader(file, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	if len(z.File) > mostFiles {
		return nil, errManyFiles
	}
	for _, f := range z.File {
		name := strings.ReplaceAll(f.Name, "\\", "/")
		if !f.Mode().IsRegular() || !fs.ValidPath(name) {
			continue
		}
		if f.UncompressedSize64 > largeFile && f.UncompressedSize64/mostPacked > max(f.CompressedSize64, 1) {
			return nil, errBomb
		}
		open := func() (io.ReadCloser, error) {
			in, err := f.Open()
			return &bounded{in, f.UncompressedSize64}, err
		}
		all = append(all, member{inChat(name, called), int64(f.UncompressedSize64), open}) //nolint:gosec // bounded when it is read
	}
	return all, nil
}

// inChat names a file of WhatsApp by what holds it: which chat it is says that alone.
func inChat(name, called string) string {
	if name == "_chat.txt" {
		return called + "/" + name
	}
	return name
}

// bounded ends a file of an archive with an error where it is longer than was said.
type bounded struct {
	io.ReadCloser
	left uint64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if uint64(n) > b.left { //nolint:gosec // never negative
		return 0, errBomb
	}
	b.left -= uint64(n) //nolint:gosec // never negative
	return n, err
}

// choose finds the format and the files that it reads.
func (x *Export) choose(all []member, name string) error {
	slices.SortFunc(all, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for _, f := range Formats {
		if name != "" && f.Name != name {
			continue
		}
		var files []member
		for _, m := range all {
			if len(all) == 1 || f.reads(m.name) {
				files = append(files, m)
			}
		}
		fits := len(files) > 0
		if fits && name == "" {
			head, err := beginning(files[0])
			if err != nil {
				return err
			}
			fits = f.fits(files, head)
		}
		if fits {
			x.Format, x.files, x.other = f, files, int64(len(all)-len(files))
			for _, m := range files {
				x.size += m.size
			}
			return nil
		}
	}
	return unknown(name)
}

// unknown says what was expected.
func unknown(format string) error {
	var list []string
	for _, f := range Formats {
		if f.Name == format {
			return text.Tell("it has nothing of %s: %s is expected", f.Title, f.Expects)
		}
		list = append(list, fmt.Sprintf("\n- %s (%s): %s", f.Title, f.Name, f.Expects))
	}
	return text.Tell("that is no export that I know. I read, and --format takes the names in brackets: %s", strings.Join(list, ""))
}

// headBytes are enough to see what a file is.
const headBytes = 64 << 10

// beginning reads the head of a file.
func beginning(m member) (head []byte, err error) {
	in, err := m.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	head, err = io.ReadAll(io.LimitReader(in, headBytes))
	return head, err
}

// read opens a file of the export and has it read; sum gets its bytes, too.
func (x *Export) read(m member, sum io.Writer, fn func(*bufio.Reader) error) error {
	in, err := m.open()
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	var from io.Reader = &watched{in, x}
	if sum != nil {
		if len(x.files) > 1 {
			_, _ = io.WriteString(sum, m.name+"\n") // a hash never fails
		}
		from = io.TeeReader(from, sum)
	}
	err = fn(bufio.NewReaderSize(from, 1<<16))
	if err != nil && len(x.files) > 1 {
		err = fmt.Errorf("%s: %w", m.name, err)
	}
	return errors.Join(err, in.Close())
}

// watched tells an export what was read of it.
type watched struct {
	io.Reader
	x *Export
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if w.x.done += int64(n); w.x.Told != nil {
		w.x.Told(w.x.done, w.x.size)
	}
	return n, err
}

// base is the name of a file without its folder.
func (m member) base() string { return path.Base(m.name) }
