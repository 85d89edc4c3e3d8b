package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/importer"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsNoSuchSession = "I know no such conversation of yours, or more than one begins like that. /session list shows them."
	wordsElsewhere     = "That conversation belongs to %s. Please write it there."
)

// SessionControl is who may do what with sessions, and for how long they live.
type SessionControl struct {
	// Everyone reports whether members of a group may end, reset, take up and sum
	// up its conversation; otherwise its administrators may.
	Everyone func() bool
	// Attest finds out where a person still is; nil finds out nothing.
	Attest func(ctx context.Context, user string)
	// Resume makes a session the live one again, and reports whether it could.
	Resume func(ctx context.Context, id string) (bool, error)
}

// who may change the conversation that a message is written in.
func (s Session) who(m chat.Message) gate.Role {
	if m.Direct || s.Place(m).User != "" || s.Control.Everyone != nil && s.Control.Everyone() {
		return gate.Member
	}
	return gate.Admin
}

// viewer is who looks at sessions: alone, they see those of all places where
// they still are.
func (s Session) viewer(ctx context.Context, r gate.Request) provenance.Viewer {
	v := provenance.ViewerOf(r.Message)
	if v.Direct && s.Control.Attest != nil {
		s.Control.Attest(ctx, v.User)
	}
	return v
}

func (s Session) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	const most = 200
	list, err := s.Past.List(ctx, s.viewer(ctx, r), most, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, "There are no conversations yet.")
	}
	lines := make([]string, len(list))
	for i, se := range list {
		lines[i] = fmt.Sprintf("`%s` %s · %s", se.ID[:8], catalog.Ago(ctx, s.Now(), se.Last), titleOf(ctx, se))
		if se.Alive {
			lines[i] += " · " + catalog.Text(ctx, "going on")
		}
		if r.Message.Direct && !se.Direct {
			lines[i] += " · " + se.Key.String()
		}
	}
	return gate.Page(ctx, lines, r.Number("page", 1), listPage, "/session list"), nil
}

// titleOf is what a session is called; the first words of its summary where it
// has no title.
func titleOf(ctx context.Context, se sessions.Session) string {
	const most = 60
	first, _, _ := strings.Cut(se.Closing, "\n")
	return cmp.Or(se.Title, text.ShortenWords(first, most), catalog.Text(ctx, "(no title)"))
}

// find is the session that a command names.
func (s Session) find(ctx context.Context, r gate.Request) (sessions.Session, error) {
	se, err := s.Past.Find(ctx, s.viewer(ctx, r), strings.TrimSpace(r.Args["id"]))
	return se, text.Instead(err, memory.ErrNotFound, wordsNoSuchSession)
}

func (s Session) show(ctx context.Context, r gate.Request) (chat.Answer, error) {
	const most, line = 10, 200
	se, err := s.find(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	said, err := s.Past.Words(ctx, se.ID, most)
	if err != nil {
		return chat.Answer{}, err
	}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "**%s** `%s`\n- begun %s UTC, last message %s\n", titleOf(ctx, se), se.ID[:8], catalog.Time(ctx, se.Began.UTC(), "2 January 2006 15:04"),
		catalog.Ago(ctx, s.Now(), se.Last)))
	if len(se.Decisions) > 0 {
		fmt.Fprintf(&b, "- %s: %s\n", catalog.Text(ctx, wordsDecided), strings.Join(sessions.Told(se.Decisions), "; "))
	}
	if se.Closing != "" {
		fmt.Fprintf(&b, "\n%s\n", se.Closing)
	}
	if len(said) > 0 {
		b.WriteString("\n" + catalog.Text(ctx, "The last words:") + "\n")
	}
	for _, w := range said {
		who := provenance.Label(w.Name)
		if w.Bot {
			who = provenance.Assistant
		}
		fmt.Fprintf(&b, "- %s: %s\n", who, quoted(w.Text, line))
	}
	return chat.Answer{Text: b.String()}, nil
}

// resume ends the conversation that goes on and takes an earlier one of the same
// place up again.
func (s Session) resume(ctx context.Context, r gate.Request) (chat.Answer, error) {
	se, err := s.find(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	here := s.Place(r.Message)
	switch {
	case se.Key.Platform == importer.Platform:
		return say(ctx, "That conversation was brought along from elsewhere. I find what was said there, and nobody goes on with it.")
	case se.Key != here.Key || se.User != here.User:
		return say(ctx, wordsElsewhere, se.Key)
	case se.Alive && r.Message.Attempt > 0: // resumed by a process that died before it could say so
		return say(ctx, wordsResumed, titleOf(ctx, se))
	case se.Alive:
		return say(ctx, "That is the conversation we are having.")
	}
	if now, ok, err := s.Rows.LiveSession(ctx, here); err != nil {
		return chat.Answer{}, err
	} else if ok {
		if ok, err = s.Agent.End(ctx, now.ID, true); err != nil {
			return chat.Answer{}, err
		}
		if ok {
			s.Archive(now)
		}
	}
	if ok, err := s.Control.Resume(ctx, se.ID); err != nil {
		return chat.Answer{}, err
	} else if !ok {
		return say(ctx, wordsNoSuchSession)
	}
	return say(ctx, wordsResumed, titleOf(ctx, se))
}

// removable is the session that a command names, if its author may delete it:
// their own, and as an administrator one of the place they are in.
func (s Session) removable(ctx context.Context, r gate.Request) (sessions.Session, error) {
	se, err := s.find(ctx, r)
	if err != nil {
		return se, err
	}
	own := se.Direct || se.User == r.Message.From.ID
	if !own && (r.Role < gate.Admin || se.Key != r.Message.Key) {
		return se, text.Tell("Only the administrators of a group can delete its conversations, and only there.")
	}
	if own && se.Key != r.Message.Key && !(r.Message.Direct && se.Key.Platform == importer.Platform) {
		return se, text.Tell(wordsElsewhere, se.Key)
	}
	return se, nil
}

func (s Session) askRemove(ctx context.Context, r gate.Request) (string, error) {
	se, err := s.removable(ctx, r)
	if err != nil {
		return "", err
	}
	return catalog.Say(ctx, "Delete the conversation “%s” of %s, with all messages in it? Facts that I learned from it stay; /facts shows them.", titleOf(ctx, se), se.Last.UTC().Format(time.DateOnly)), nil
}

func (s Session) remove(ctx context.Context, r gate.Request) (chat.Answer, error) {
	se, err := s.removable(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	if err := s.Past.Delete(ctx, se.ID); err != nil {
		return chat.Answer{}, text.Instead(err, memory.ErrNotFound, wordsNoSuchSession)
	}
	return say(ctx, "The conversation is deleted.")
}

// mostChoices is how many rows are offered to choose from; platforms show fewer.
const mostChoices = 200

// offer lists the sessions that somebody may see.
func (s Session) offer(ctx context.Context, m chat.Message) (choices []chat.Choice) {
	list, err := s.Past.List(ctx, s.viewer(ctx, gate.Request{Message: m}), mostChoices, 0)
	if err != nil {
		return nil
	}
	for _, se := range list {
		choices = append(choices, chat.Choice{Value: se.ID[:8], Label: fmt.Sprintf("%s – %s", se.ID[:8], titleOf(ctx, se))})
	}
	return choices
}
