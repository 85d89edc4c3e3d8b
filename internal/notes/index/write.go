package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/db/engine"
	"parley/internal/notes/daily"
	"parley/internal/notes/edit"
	"parley/internal/notes/frontmatter"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// How a note is written.
const (
	ModeCreate         = "create"          // a new note; ErrExists if there is one
	ModeAppend         = "append"          // at the end of an existing note
	ModeReplaceSection = "replace_section" // the text below Heading, up to the next heading of its level
)

// What was done.
const (
	Created = "created"
	Updated = "updated"
)

// maxContent limits the characters of one write.
const maxContent = 100_000

// Note describes one write.
type Note struct {
	Path    string // below the write folder; may begin with the folder's name
	Mode    string
	Heading string // of ModeReplaceSection
	Title   string // of ModeCreate; "" takes it from the content or the file name
	Content string
	By      Who
}

// Who is the person for whom a note is written; the zero Who is the program itself.
type Who struct {
	ID, Name string
	Key      string // the same for each attempt at what they asked for once
}

// Written reports what was done, with the path from the folder of notes.
type Written struct {
	Path, Title, Action string
	Before, After       string // the whole text; Before is "" of a new note
}

// Write writes a note and returns once searches find it. A hidden folder keeps the
// previous version of an existing note.
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
		done.Before, done.After, err = p.Update(name, v.writer(n.By), func(raw []byte) (string, error) {
			old, err := asWritten(raw)
			if err != nil {
				return "", err
			}
			if n.Mode == ModeReplaceSection {
				return old.replaced(n)
			}
			return old.appended(n.Content), nil
		})
		return err
	})
	if err != nil {
		return Written{}, fmt.Errorf("write %s: %w", name, err)
	}
	done.Title = parseNote(name, clean(done.After)).title
	v.show(ctx, name)
	return done, nil
}

func (v *Vault) writer(who Who) edit.Writer {
	return edit.Writer{ID: who.ID, Name: who.Name, At: v.o.Now(), Key: who.Key}
}

// withPen opens the folder of notes for writing, for one caller at a time. It first
// finishes the changes that a crash interrupted.
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

// checkPath checks whether a note may be written at a path.
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

// titled returns the text of a new note. A title that the text lacks becomes its first
// heading.
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

// show indexes one written note at once. If that fails, the next full check does it.
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

// notes returns the first source of notes, which is written to; nil if there is none.
func (v *Vault) notes() *Source {
	i := slices.IndexFunc(v.o.Sources, func(s Source) bool { return s.Kind == KindNotes })
	if i < 0 {
		return nil
	}
	return &v.o.Sources[i]
}

// Versions lists the earlier texts of a note in the write folder, the newest first. The
// note itself may be gone.
func (v *Vault) Versions(ctx context.Context, name string) (all []edit.Version, err error) {
	name, err = v.Target(name)
	if err == nil {
		err = v.withPen(ctx, func(p *edit.Pen) error {
			all, err = p.Versions(name)
			return err
		})
	}
	return all, err
}

// Restore gives a note the text of an earlier version again, and keeps its present text as a
// version.
func (v *Vault) Restore(ctx context.Context, name string, which edit.Which, who Who) (w Written, err error) {
	name, err = v.Target(name)
	if err != nil {
		return w, err
	}
	w = Written{Path: name, Action: Updated}
	err = v.withPen(ctx, func(p *edit.Pen) (err error) {
		w.Before, w.After, err = p.Restore(name, which, v.writer(who))
		return err
	})
	if err != nil {
		return Written{}, fmt.Errorf("restore %s: %w", name, err)
	}
	w.Title = parseNote(name, clean(w.After)).title
	v.show(ctx, name)
	return w, nil
}

// Fingerprint returns the hash that an indexed file had when it was last read, or
// ErrNotFound. source "" means any.
func (v *Vault) Fingerprint(ctx context.Context, source, name string) (hash []byte, err error) {
	err = v.asking(func(ix *index) error {
		err := ix.db.QueryRowContext(ctx, "SELECT hash FROM docs WHERE path = ? AND (? = '' OR source = ?) AND skipped = ''",
			name, source, source).Scan(&hash)
		if errors.Is(err, engine.ErrNotFound) {
			return ErrNotFound
		}
		return err
	})
	return hash, err
}

// Target returns the path, from the folder of notes, at which a note is written: below the
// folders that exist, in the form they have there.
func (v *Vault) Target(name string) (string, error) {
	full := path.Join(v.o.WriteDir, strings.TrimPrefix(name, v.o.WriteDir+"/"))
	err := checkPath(name)
	if err == nil {
		err = checkPath(full)
	}
	if err != nil {
		return "", fmt.Errorf("write note: %w", err)
	}
	if s := v.notes(); s != nil {
		if root, err := os.OpenRoot(s.Dir); err == nil {
			full = edit.Folders(root, full)
			_ = root.Close()
		}
	}
	return full, nil
}

// Writes reports whether a path is in the write folder.
func (v *Vault) Writes(name string) bool { return strings.HasPrefix(name, v.o.WriteDir+"/") }

// Remove deletes a note in the write folder for good, earlier versions included. A
// missing note is no error.
func (v *Vault) Remove(ctx context.Context, name string) error {
	name, err := v.Target(name)
	if err == nil {
		err = v.withPen(ctx, func(p *edit.Pen) error { return p.Remove(name) })
	}
	if err != nil {
		return fmt.Errorf("remove %.300s: %w", name, err)
	}
	v.show(ctx, name)
	return nil
}

// Disown removes a person's name from all versions of notes, and the record of notes
// that they moved.
func (v *Vault) Disown(ctx context.Context, who string) error {
	if v.notes() == nil {
		return nil
	}
	if err := v.withPen(ctx, func(p *edit.Pen) error { return p.Forget(who) }); err != nil {
		return fmt.Errorf("remove a name from notes: %w", err)
	}
	return nil
}

// AddDaily adds a line to the daily note of a day and returns its path. It makes a
// missing note where Obsidian keeps them, or else in the write folder.
func (v *Vault) AddDaily(ctx context.Context, day time.Time, line string) (name string, err error) {
	err = v.withPen(ctx, func(p *edit.Pen) error {
		place := v.daily(p)
		name = place.Path(day)
		if err := checkPath(name); err != nil {
			return err
		}
		return p.Add(name, func(was string, there bool) (string, error) {
			if template := place.TemplatePath(); !there && template != "" && checkPath(template) == nil {
				made, err := p.Text(template)
				if err != nil && !errors.Is(err, ErrNotFound) {
					return "", err
				}
				was = place.New(clean(made), day)
			}
			if _, err := asWritten([]byte(was)); err != nil {
				return "", err
			}
			next, _ := daily.With(was, line)
			return next, nil
		})
	})
	if err != nil {
		return "", fmt.Errorf("write daily note %s: %w", name, err)
	}
	v.show(ctx, name)
	return name, nil
}

// daily returns where this vault keeps its daily notes.
func (v *Vault) daily(p *edit.Pen) daily.Place {
	if _, err := os.Stat(path.Join(v.notes().Dir, ".obsidian")); err != nil {
		return daily.Place{Folder: path.Join(v.o.WriteDir, "daily")}
	}
	set, _ := p.Text(".obsidian/daily-notes.json") // a missing one is Obsidian's default
	return daily.Settings(set)
}
