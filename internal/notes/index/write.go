package index

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/notes/edit"
	"parley/internal/notes/frontmatter"
	"parley/internal/text"
	"parley/internal/text/catalog"
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

// maxContent is how many characters are written at once.
const maxContent = 100_000

// Note is what is to be written.
type Note struct {
	Path    string // below the write folder, with or without its name before it
	Mode    string
	Heading string // of ModeReplaceSection
	Title   string // of ModeCreate; "" leaves it to the content or the file name
	Content string
	By      Who
}

// Who is somebody who has notes written; the zero Who is the program itself.
type Who struct{ ID, Name string }

// Written reports what was done, with the path from the folder of notes.
type Written struct {
	Path, Title, Action string
	Before, After       string // the whole text; Before is "" of a new note
}

// Write writes a note and returns once it can be found. The previous version of an
// existing note is kept in a hidden folder; nothing is ever deleted.
func (v *Vault) Write(ctx context.Context, n Note) (Written, error) {
	name, err := v.Target(n.Path)
	if err != nil {
		return Written{}, err
	}
	if err := checkContent(n); err != nil {
		return Written{}, fmt.Errorf("write note: %w", err)
	}
	done := Written{Path: name, Action: Updated}
	err = v.withPen(ctx, func(p *edit.Pen) (err error) {
		if n.Mode == ModeCreate {
			done.Action, done.After = Created, titled(n)
			return p.Create(name, done.After, v.writer(n.By))
		}
		done.Before, done.After, err = p.Update(name, v.writer(n.By), n.changed)
		return err
	})
	if err != nil {
		return Written{}, fmt.Errorf("write %s: %w", name, err)
	}
	done.Title = parseNote(name, clean(done.After)).title
	v.show(ctx, name)
	return done, nil
}

// changed returns a note's new text.
func (n Note) changed(raw []byte) (string, error) {
	old, err := asWritten(raw)
	if err != nil {
		return "", err
	}
	if n.Mode == ModeReplaceSection {
		return old.replaced(n)
	}
	return old.appended(n.Content), nil
}

func (v *Vault) writer(who Who) edit.Writer {
	return edit.Writer{ID: who.ID, Name: who.Name, At: v.o.Now()}
}

// withPen has the folder of notes open for writing, for one at a time. What a crash
// left of a change is finished first.
func (v *Vault) withPen(ctx context.Context, do func(*edit.Pen) error) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	s := v.notes()
	if s == nil {
		return text.Tell("%w: no folder of notes is set up", ErrNotFound)
	}
	p, err := edit.Open(s.Dir, v.o.WriteDir, v.o.HardLinks)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := v.finish(ctx, p); err != nil {
		return err
	}
	return do(p)
}

// target returns a path as it is inside the write folder.
func (v *Vault) target(name string) (string, error) {
	if err := checkPath(name); err != nil {
		return "", err
	}
	rel := strings.TrimPrefix(name, v.o.WriteDir+"/")
	return rel, checkPath(path.Join(v.o.WriteDir, rel))
}

// checkPath checks whether a note may be written under a path.
func checkPath(name string) error {
	if err := edit.CheckPath(name); err != nil {
		return err
	}
	if hidden(name) {
		return text.Tell("%w: a folder in it is for tools (%.300q)", ErrPath, name)
	}
	return nil
}

func checkContent(n Note) error {
	no := func(why string, args ...any) error {
		return text.Tell("%w: %s", ErrContent, catalog.Fill(why, args...))
	}
	switch {
	case n.Mode != ModeCreate && n.Mode != ModeAppend && n.Mode != ModeReplaceSection:
		return no("the mode is %s, %s or %s", ModeCreate, ModeAppend, ModeReplaceSection)
	case n.Mode == ModeReplaceSection && n.Heading == "":
		return no("which section is not said; give its heading")
	case !utf8.ValidString(n.Content) || strings.ContainsRune(n.Content, 0):
		return no("it is not text")
	case strings.TrimSpace(n.Content) == "":
		return no("there is nothing in it")
	case utf8.RuneCountInString(n.Content) > maxContent:
		return no("it has more than %d characters", maxContent)
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
	matter, rest := frontmatter.Parse(text)
	if matter.Lines > 0 {
		head := text[:len(text)-len(rest)]
		if matter.Title == "" {
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
