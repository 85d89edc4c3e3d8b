package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/command/language"
	"parley/internal/memory"
	"parley/internal/notes/index"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// wordsForgetMe is said in more than one place.
const wordsForgetMe = "Shall I delete everything about you, in all our conversations: what you said and what I " +
	"answered, facts, tasks, reminders, journal? This cannot be undone."

// Person is /export, /forget-me and /language.
type Person struct {
	Language language.Language
	Rows     PersonRows
	Authors  tools.Authors
	// Served is true where a server holds the rows: of that we cannot say what it keeps
	// of what was deleted.
	Served bool
	Vault  *index.Vault // to which people dictate; nil without notes
	// Elsewhere deletes what the front ends keep of a person; nil is nothing.
	Elsewhere func(ctx context.Context, user string) error
	// Daily reports whether lines go into daily notes for a person, which stay; nil is for nobody.
	Daily func(ctx context.Context, user string) bool
}

// PersonRows is everything that is stored about a person; memory.Store.
type PersonRows interface {
	ExportPerson(ctx context.Context, user string) (memory.Export, error)
	// ForgetPerson leaves the row of the message that asks for it. memory.ErrTraces is
	// that the file's log has to keep traces for now.
	ForgetPerson(ctx context.Context, user string, except int64) error
}

// export hands somebody everything about them, in a direct chat only: the files
// hold what was said elsewhere.
func (p Person) export() gate.Command {
	return gate.Command{Name: "export", Help: "Everything I have stored about you, as files",
		Effect: gate.Reads, Private: true, Run: func(ctx context.Context,
			r gate.Request) (chat.Answer, error) {
			if !r.Message.Direct {
				return say(ctx, "The export holds everything you told me, also elsewhere. Ask me in a direct chat.")
			}
			e, err := p.Rows.ExportPerson(ctx, r.Message.From.ID)
			if err != nil {
				return chat.Answer{}, err
			}
			b, err := json.MarshalIndent(e, "", "  ")
			if err != nil {
				return chat.Answer{}, err
			}
			files := []chat.File{
				{Name: "parley-export.md", MIME: "text/markdown", Data: []byte(e.Markdown())},
				{Name: "parley-export.json", MIME: "application/json", Data: b},
			}
			notes, err := p.Notes(ctx, r.Message.From.ID)
			if err != nil {
				return chat.Answer{}, err
			}
			if notes != "" {
				files = append(files, chat.File{Name: "parley-notes.md", MIME: "text/markdown", Data: []byte(notes)})
			}
			return chat.Answer{Text: catalog.Say(ctx, "This is everything stored about you (facts: %d, tasks: %d, reminders: %d, journal lines: %d, "+
				"messages and answers: %d). What I know of your access (that you may talk to me) is an id only.", len(e.Facts), len(e.Tasks), len(e.Reminders), len(e.Journal),
				len(e.Messages)), Files: files}, nil
		}}
}

// dictated lists the notes that a person had written.
func (p Person) dictated(ctx context.Context, user string) (own []memory.NoteAuthor, err error) {
	if p.Vault == nil {
		return nil, nil
	}
	all, err := p.Authors.NoteAuthors(ctx)
	for _, n := range all {
		if n.User == user {
			own = append(own, n)
		}
	}
	return own, err
}

// Notes returns a person's notes one after the other, "" when there are none.
func (p Person) Notes(ctx context.Context, user string) (string, error) {
	own, err := p.dictated(ctx, user)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, n := range own {
		d, err := p.Vault.Read(ctx, index.Part{Path: n.Path})
		if errors.Is(err, index.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "<!-- %s -->\n%s\n\n", n.Path, strings.TrimSpace(d.Text))
	}
	return b.String(), nil
}

func (p Person) forgetMe() gate.Command {
	return gate.Command{Name: "forget-me", Help: "Delete everything about you", Run: p.forget, Again: true, Confirm: func(ctx context.Context,
		r gate.Request) (string, error) {
		if r.Message.Key.Platform == "terminal" {
			return catalog.Text(ctx, wordsForgetMe) + " " + catalog.Text(ctx, "The lines you typed here and the files I saved in exports go too: copy first what you want to keep."), nil
		}
		return catalog.Text(ctx, wordsForgetMe), nil
	}}
}

// forget runs once the person said yes.
func (p Person) forget(ctx context.Context, r gate.Request) (chat.Answer, error) {
	// Stopping in the middle would leave half of it: it is finished once begun.
	ctx = context.WithoutCancel(ctx)
	own, err := p.dictated(ctx, r.Message.From.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	for _, n := range own {
		if err := p.Vault.Remove(ctx, n.Path); err != nil {
			return chat.Answer{}, err
		}
	}
	if p.Vault != nil {
		if err := p.Vault.Disown(ctx, r.Message.From.ID); err != nil {
			return chat.Answer{}, err
		}
	}
	if len(own) > 0 {
		if err := p.Vault.Scrub(ctx); err != nil {
			return chat.Answer{}, err
		}
	}
	stays := ""
	if p.Daily != nil && p.Daily(ctx, r.Message.From.ID) {
		stays = " " + catalog.Text(ctx, "The lines that I wrote into your daily notes remain as well: those files are yours.")
	}
	err = p.Rows.ForgetPerson(ctx, r.Message.From.ID, r.Message.Row)
	traces := errors.Is(err, memory.ErrTraces)
	if err != nil && !traces {
		return chat.Answer{}, err
	}
	if p.Elsewhere != nil {
		if err := p.Elsewhere(ctx, r.Message.From.ID); err != nil {
			return chat.Answer{}, err
		}
	}
	a, err := p.forgotten(ctx, traces)
	a.Text += stays
	return a, err
}

// forgotten says what became of a person's words, and what remains.
func (p Person) forgotten(ctx context.Context, traces bool) (chat.Answer, error) {
	if p.Served {
		return say(ctx, "Done: I have deleted everything about you from the database. Its server may keep traces for a "+
			"while: in its log, and in pages that it has not used again. What remains: that you may talk to me (your id), what "+
			"other people said about you, the messages that the platform itself still shows, and backups that my owner made earlier.")
	}
	if traces {
		return say(ctx, "Done: I have deleted everything about you. Another program is reading the log of my file, so "+
			"that log may keep traces until the program ends. What remains: that you may talk to me (your id), what other "+
			"people said about you, the messages that the platform itself still shows, and backups that my owner made earlier.")
	}
	return say(ctx, "Done: I have deleted everything about you, and the file is rewritten so that no trace of it is "+
		"left in it. What remains: that you may talk to me (your id), what other people said about you, the messages that "+
		"the platform itself still shows, and backups that my owner made earlier.")
}
