package vault

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// How a note is written.
const (
	ModeCreate         = "create"          // a new one; ErrExists when it is there
	ModeAppend         = "append"          // to the end of one that is there
	ModeReplaceSection = "replace_section" // what stands below Heading, down to the next of its level
)

// What was done.
const (
	Created = "created"
	Updated = "updated"
)

// Bounds of writing.
const (
	maxContent   = 100_000 // characters
	keptVersions = 10      // of each note
	versionsDir  = ".versions"
)

// Note is what is to be written.
type Note struct {
	Path    string // below the write folder, with or without its name before it
	Mode    string
	Heading string // of ModeReplaceSection
	Title   string // of ModeCreate; "" leaves it to the content or the file name
	Content string
}

// Written reports what was done, with the path from the folder of notes.
type Written struct{ Path, Title, Action string }

// Write writes a note and returns once it can be found. The previous version of an
// existing note is kept in a hidden folder; nothing is ever deleted.
func (v *Vault) Write(ctx context.Context, n Note) (Written, error) {
	rel, err := v.target(n.Path)
	if err == nil {
		err = checkContent(n)
	}
	if err != nil {
		return Written{}, fmt.Errorf("write note: %w", err)
	}
	v.writing.Lock()
	defer v.writing.Unlock()
	w, err := v.openWriter()
	if err != nil {
		return Written{}, fmt.Errorf("write note: %w", err)
	}
	defer w.close()
	done := Written{Path: path.Join(v.o.WriteDir, rel), Action: Updated}
	var text string
	if n.Mode == ModeCreate {
		done.Action, text = Created, titled(n)
		err = w.create(rel, text)
	} else {
		text, err = w.update(rel, n, v.o.Now().UTC().Format("20060102T150405.000000000Z"))
	}
	if err != nil {
		return Written{}, fmt.Errorf("write %s: %w", done.Path, err)
	}
	done.Title = parseNote(done.Path, text).title
	v.show(ctx, done.Path)
	return done, nil
}

// Move renames a note inside the write folder.
func (v *Vault) Move(ctx context.Context, from, to string) (Written, error) {
	old, err := v.target(from)
	if err != nil {
		return Written{}, fmt.Errorf("move note: %w", err)
	}
	rel, err := v.target(to)
	if err != nil {
		return Written{}, fmt.Errorf("move note: %w", err)
	}
	v.writing.Lock()
	defer v.writing.Unlock()
	w, err := v.openWriter()
	if err != nil {
		return Written{}, fmt.Errorf("move note: %w", err)
	}
	defer w.close()
	c, err := w.read(old)
	if err != nil {
		return Written{}, fmt.Errorf("move %s: %w", path.Join(v.o.WriteDir, old), err)
	}
	done := Written{Path: path.Join(v.o.WriteDir, rel), Action: Updated}
	if err := w.claim(rel); err != nil {
		return Written{}, fmt.Errorf("move to %s: %w", done.Path, err)
	}
	if err := w.dir.Rename(old, rel); err != nil {
		return Written{}, fmt.Errorf("move to %s: %w", done.Path, errors.Join(err, w.dir.Remove(rel)))
	}
	w.settle(path.Dir(rel))
	w.settle(path.Dir(old))
	done.Title = parseNote(done.Path, c.text).title
	v.show(ctx, path.Join(v.o.WriteDir, old))
	v.show(ctx, done.Path)
	return done, nil
}

// target returns a path as it is inside the write folder.
func (v *Vault) target(name string) (string, error) {
	if err := checkPath(name); err != nil {
		return "", err
	}
	rel := strings.TrimPrefix(name, v.o.WriteDir+"/")
	return rel, checkPath(path.Join(v.o.WriteDir, rel))
}

func checkContent(n Note) error {
	no := func(why string) error { return text.Tell("%w: %s", ErrContent, why) }
	switch {
	case n.Mode != ModeCreate && n.Mode != ModeAppend && n.Mode != ModeReplaceSection:
		return no(fmt.Sprintf("the mode is %s, %s or %s", ModeCreate, ModeAppend, ModeReplaceSection))
	case n.Mode == ModeReplaceSection && n.Heading == "":
		return no("which section is not said; give its heading")
	case !utf8.ValidString(n.Content) || strings.ContainsRune(n.Content, 0):
		return no("it is not text")
	case strings.TrimSpace(n.Content) == "":
		return no("there is nothing in it")
	case utf8.RuneCountInString(n.Content) > maxContent:
		return no(fmt.Sprintf("it has more than %d characters", maxContent))
	}
	return nil
}

// titled returns the text of a new note. A title that the text does not show becomes
// its first heading.
func titled(n Note) string {
	text := clean(n.Content)
	title := plain(strings.ToValidUTF8(n.Title, ""))
	if title == "" || parseNote("", text).title == title {
		return ended(text)
	}
	front, rest := frontmatter(text)
	if front.lines > 0 {
		head := text[:len(text)-len(rest)]
		if front.title == "" {
			return ended(head + "\n# " + title + "\n\n" + strings.TrimLeft(rest, "\n"))
		}
		return ended(text)
	}
	return ended("# " + title + "\n\n" + strings.TrimLeft(text, "\n"))
}

// ended returns text with one newline at its end.
func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

// show indexes one note at once. The note is already written: a failure here is
// repaired by the next full check.
func (v *Vault) show(ctx context.Context, name string) {
	err := v.check(ctx, job{source: *v.notes(), scope: name, enter: func(string) {}})
	if err == nil {
		err = v.count(ctx)
	}
	if err != nil {
		v.o.Log.Warn("a written note is not indexed yet", "path", name, "err", err)
		v.nudge()
	}
}

// notes returns the source that is written to, nil when there is none.
func (v *Vault) notes() *Source {
	i := slices.IndexFunc(v.o.Sources, func(s Source) bool { return s.Kind == KindNotes })
	if i < 0 {
		return nil
	}
	return &v.o.Sources[i]
}
