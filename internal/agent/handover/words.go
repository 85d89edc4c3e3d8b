package handover

import (
	"fmt"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory/handoff"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// How much the desk is shown of a conversation.
const (
	maxRead  = 60   // lines of the session that are looked at
	maxWords = 6    // messages of the person
	maxLine  = 1000 // characters of each
	maxFile  = 8 << 20
	maxFiles = 4
)

// What the person reads.
const (
	wordsHandedOver = "I have asked a person to take over. They get what you wrote here, and answer here; until then I " +
		"am silent. If nobody comes within %s, I tell you. To go on with me, send /handoff back."
	wordsHere      = "**%s** is here now and answers you."
	wordsGivenBack = "**%s** has left the conversation. I am with you again."
	wordsBack      = "I am with you again."
	wordsMissed    = "Nobody could answer in time. I am with you again. Your messages stay with the desk: whoever takes " +
		"them writes to you here."
	wordsSaid     = "**%s**: %s"
	wordsFileLost = "(a file that could not be passed on: %s)"
)

// What the desk reads.
const (
	wordsCase      = "**%s** (%s, %s) asks for a person. Conversation %d."
	wordsOpenedBy  = "Asked by %s%s"
	wordsWrote     = "What they wrote:"
	wordsTried     = "What was tried:"
	wordsYouHaveIt = "You are with **%s** now. What you write here goes to them until you give the conversation back; " +
		"lines that begin with // stay here. With several conversations, reply to a message of the one you mean."
	wordsTakenBy   = "**%s** has taken the conversation with **%s**."
	wordsWith      = "**%s** is with **%s**."
	wordsGaveBack  = "The conversation with **%s** is over; the assistant answers them again."
	wordsLeft      = "**%s** went back to the assistant."
	wordsLate      = "Nobody wrote to **%s** in time; the assistant answers again. You can still take the conversation."
	wordsWhich     = "You are in several conversations: %s. Reply to a message of the one you mean."
	wordsOver      = "This conversation is over."
	wordsAfter     = "(after the conversation was given back)"
	wordsNothing   = "No conversation waits at the desk."
	wordsOne       = "- %d: **%s**, %s, %s"
	wordsMayNot    = "Only those at the desk may take conversations."
	wordsOtherOpen = "This person has asked again since; take that conversation."
	wordsNotBack   = "There is no conversation to give back here."
	labelTake      = "Take"
	labelBack      = "Give back"
)

// What /why and /handoff list say.
const (
	wordsByCommand  = "the person themselves, with /handoff"
	wordsWhyOpened  = "You asked for a person. Somebody at the desk answers you here."
	wordsWhyPassed  = "Your message went to the desk: a person answers it."
	wordsWhyAnswer  = "%s (%s) answered this, from the desk. No model had a part in it."
	wordsWhyRelayed = "What you wrote went to %s."
	wordsEdited     = "(corrected) "
	wordsPassedOn   = "(forwarded) "
	wordsIsDirect   = "in a direct chat"
	wordsInGroup    = "in a group"
	wordsWaiting    = "waiting"
	wordsMissedList = "nobody came in time"
)

func takeButton(p catalog.Printer, id int64) chat.Button {
	return chat.Button{Label: p.Text(labelTake), Data: fmt.Sprintf("/handoff take %d", id)}
}

func backButton(p catalog.Printer, id int64) chat.Button {
	return chat.Button{Label: p.Text(labelBack), Data: fmt.Sprintf("/handoff back %d", id)}
}

func bothButtons(p catalog.Printer, id int64) [][]chat.Button {
	return [][]chat.Button{{takeButton(p, id), backButton(p, id)}}
}

// shown returns what somebody wrote, every character as it is, line by line.
func shown(said string) string {
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		lines[i] = text.Literal(line)
	}
	return strings.Join(lines, "\n")
}

// named returns how a person is called, or else their id.
func named(u chat.User) string {
	if u.Name != "" {
		return text.Literal(text.Shorten(u.Name, 60))
	}
	return text.Literal(u.ID)
}

// dossier is what the desk gets first.
type dossier struct {
	m     chat.Message
	h     tools.HandOver
	words []string
	calls []handoff.Attempt
}

func (f dossier) text(p catalog.Printer, id int64) string {
	place := wordsInGroup
	if f.m.Direct {
		place = wordsIsDirect
	}
	var b strings.Builder
	b.WriteString(p.Say(wordsCase, named(f.m.From), text.Literal(f.m.From.ID), p.Text(place), id) + "\n")
	reason := "."
	if f.h.Reason != "" {
		reason = ": " + shown(text.Shorten(f.h.Reason, maxLine))
	}
	b.WriteString(p.Say(wordsOpenedBy, text.Literal(f.h.By.In(p)), reason) + "\n")
	if len(f.words) > 0 {
		b.WriteString("\n" + p.Text(wordsWrote) + "\n")
		for _, w := range f.words {
			b.WriteString("- " + strings.ReplaceAll(shown(text.Shorten(w, maxLine)), "\n", "\n  ") + "\n")
		}
	}
	if len(f.calls) > 0 {
		b.WriteString("\n" + p.Text(wordsTried) + "\n")
		for _, c := range f.calls {
			if c.Class == "" {
				c.Class = c.Status
			}
			b.WriteString("- " + text.Literal(strings.ReplaceAll(c.Tool, "_", " ")) + ": " +
				text.Literal(strings.ToLower(strings.ReplaceAll(c.Class, "_", " "))) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}
