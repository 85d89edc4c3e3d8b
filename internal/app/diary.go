package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/text"
)

// Kinds of lines that are kept.
const (
	Journal  = "journal"
	Sessions = "sessions"
	Both     = "both"
)

// Diary is the daily notes of the owner.
type Diary struct {
	Keeps string // a kind; "" and anything else is none
	// Add adds a line to the note of a day; vault.AddDaily.
	Add      func(ctx context.Context, day time.Time, line string) (path string, err error)
	Store    *memory.Store
	Owns     func(ctx context.Context, user string) bool // whether somebody is an owner
	Location func(ctx context.Context, who chat.User) *time.Location
	Log      *slog.Logger
}

// maxLine is how many characters of a line are kept.
const maxLine = 1000

func (d Diary) keeps(kind string) bool { return d.Keeps == kind || d.Keeps == Both }

// Logged adds a line of the owner's journal. What others said stays out: a note is the
// owner's own words later.
func (d Diary) Logged(ctx context.Context, who chat.User, e agenda.LogEntry) {
	if d.keeps(Journal) && !e.Origin.Outside(who.ID) && d.Owns(ctx, who.ID) {
		d.add(ctx, who, e.At, e.Content)
	}
}

func (d Diary) add(ctx context.Context, who chat.User, at time.Time, said string) {
	at = at.In(d.Location(ctx, who))
	line := fmt.Sprintf("- %s %s", at.Format("15:04"), text.Shorten(strings.Join(strings.Fields(said), " "), maxLine))
	if _, err := d.Add(ctx, at, line); err != nil {
		d.Log.Warn("write daily note", "err", err)
	}
}

// Ended adds how a conversation of the owner's in a direct chat ended. Of one that
// words of others went into it tells only what the owner began it with.
func (d Diary) Ended(ctx context.Context, session string) {
	if !d.keeps(Sessions) {
		return
	}
	se, err := d.Store.Sessions.SessionByID(ctx, session)
	if err != nil || !se.Direct || se.Status != memory.Archived || se.Closing == "" {
		return
	}
	who, first, err := d.spoke(ctx, session)
	if err != nil || who.ID == "" || !d.Owns(ctx, who.ID) {
		return
	}
	said := fmt.Sprintf("Conversation “%s”: %s", se.Title, se.Closing)
	if se.Origin.Outside(who.ID) {
		said = fmt.Sprintf("Conversation that began with: “%s”", text.ShortenWords(first, 80))
	}
	d.add(ctx, who, se.Ended, said)
}

// spoke returns who a direct chat is with, and what they said first.
func (d Diary) spoke(ctx context.Context, session string) (who chat.User, first string, err error) {
	entries, err := d.Store.Transcript(ctx, session, 0, 0)
	for _, e := range entries {
		if e.Role == llm.RoleUser && e.User != "" {
			return chat.User{ID: e.User, Name: e.Name}, e.Content, err
		}
	}
	return who, "", err
}
