package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/text"
	"parley/internal/tools"
)

// Kinds of lines in the owner's daily note, as vault.daily_note names them.
const (
	dailyJournal  = "journal"
	dailySessions = "sessions"
	dailyBoth     = "both"
)

// maxLine is the longest line kept, in characters.
const maxLine = 1000

// daily reports whether the daily note gets lines of a kind.
func (n *notes) daily(kind string) bool {
	return (n.cfg.Vault.DailyNote == kind || n.cfg.Vault.DailyNote == dailyBoth) && n.index != nil && n.written() != ""
}

// apart reports whether only this agent reads the daily note.
func (n *notes) apart(agent string) bool {
	return n.mind.roster == nil || setup.Alone(*n.inForce.Load(), n.mind.roster, agent, n.written())
}

// logged adds an entry of the owner's journal to their daily note. Entries that quote
// others stay out: a note later counts as the owner's own words.
func (n *notes) logged(ctx context.Context, c tools.Call, e agenda.LogEntry) {
	if n.daily(dailyJournal) && n.apart(c.Memory.ID) && !e.Origin.Outside(c.Who.ID) && n.people.owns(ctx, c.Who.ID) {
		if err := n.addDaily(ctx, c.Who, e.At, e.Content); err != nil {
			n.log.Warn("write daily note", "err", err)
		}
	}
}

// noted reports whether lines about a person go into the daily note.
func (n *notes) noted(ctx context.Context, user string) bool {
	return (n.daily(dailyJournal) || n.daily(dailySessions)) && n.people.owns(ctx, user)
}

// addDaily adds a line to the note of the owner's day. Where their time zone is not known, it
// is this machine's: their notes are here.
func (n *notes) addDaily(ctx context.Context, who chat.User, at time.Time, said string) error {
	zone := n.people.location(ctx, who)
	if n.people.zone(ctx, who) == "" {
		if home, err := time.LoadLocation(n.people.home); err == nil {
			zone = home
		}
	}
	at = at.In(zone)
	line := fmt.Sprintf("- %s %s", at.Format("15:04"), text.Shorten(strings.Join(strings.Fields(said), " "), maxLine))
	_, err := n.index.AddDaily(ctx, at, line)
	return err
}

// ended adds to the owner's daily note how one of their direct chats ended. If others'
// words were part of it, the note gets only how the owner began it. A line that the note has
// already is not added again.
func (n *notes) ended(ctx context.Context, session string) error {
	if !n.daily(dailySessions) {
		return nil
	}
	se, err := n.store.Sessions.SessionByID(ctx, session)
	if errors.Is(err, memory.ErrNotFound) {
		return nil // it was deleted, or its person was forgotten
	}
	if err != nil || !se.Direct || se.Status != memory.Archived || se.Closing == "" || !n.apart(se.Agent) {
		return err
	}
	who, first, err := n.spoke(ctx, session)
	if err != nil || who.ID == "" || !n.people.owns(ctx, who.ID) {
		return err
	}
	said := fmt.Sprintf("Conversation “%s”: %s", se.Title, se.Closing)
	if se.Origin.Outside(who.ID) {
		said = fmt.Sprintf("Conversation that began with: “%s”", text.ShortenWords(first, 80))
	}
	return n.addDaily(ctx, who, se.Ended, said)
}

// spoke returns who a direct chat is with, and what they said first.
func (n *notes) spoke(ctx context.Context, session string) (who chat.User, first string, err error) {
	entries, err := n.store.Transcript(ctx, session, 0, 0)
	for _, e := range entries {
		if e.Role == llm.RoleUser && e.User != "" {
			return chat.User{ID: e.User, Name: e.Name}, e.Content, err
		}
	}
	return who, "", err
}
