package agent

import (
	"strings"
	"unicode/utf8"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// job is what a turn has to do: which message it answers, for whom and as whom. All
// parts of the turn share it.
type job struct {
	a    *Agent
	m    chat.Message
	w    chat.Reply
	sub  *Subagent // whose turn it is; nil is the conversation's own
	keep bool      // the turn belongs to a session and leaves a transcript
	in   input
}

func (j *job) maxCalls() int {
	if j.sub != nil {
		return j.sub.MaxTurns
	}
	return j.a.o.MaxCalls
}

func (j *job) agentName() string {
	if j.sub != nil {
		return j.sub.Name
	}
	return ""
}

func (j *job) modelName() string {
	if j.sub != nil && j.sub.Model != nil {
		return ""
	}
	return j.a.ModelName()
}

func (j *job) models() llm.Model {
	if j.sub != nil && j.sub.Model != nil {
		return j.sub.Model
	}
	return j.a.o.Model
}

// judge returns the model that decides the playbook's conditions, nil for none.
func (j *job) judge() llm.Model {
	if j.a.o.BookModel == nil && !j.a.o.NoBookModel {
		return j.a.o.Model
	}
	return j.a.o.BookModel
}

// Ways returns how the words of a message came.
func Ways(m chat.Message) provenance.Via {
	via := provenance.ViaTyped
	for way, is := range map[provenance.Via]bool{provenance.ViaForwarded: m.Forwarded, provenance.ViaQuoted: m.Relayed,
		provenance.ViaShared: m.Shared, provenance.ViaEdited: m.Kind == chat.KindEdit, provenance.ViaOverheard: m.Overhears()} {
		if is {
			via |= way
		}
	}
	return via
}

// via returns how this turn's message came, with its files.
func (j *job) via() provenance.Via { return Ways(j.m) | j.in.files.Via | j.in.quoted }

// How many runes of a message are used, and from which length on it is refused.
const (
	maxUsed   = 4000
	maxTaken  = 10_000
	maxQuoted = 500
	// maxPreface bounds what a program adds, in runes.
	maxPreface = 4000
	maxName    = 64
)

type input struct {
	p      catalog.Printer // the language of its author
	chosen bool            // which they chose themselves
	text   string
	notice string // said before the answer: the text was cut
	files  attachments.Opened
	quoted provenance.Via // ViaQuoted where the quotation is not the person's own
}

// readInput applies the limits. refusal is said instead of an answer; an empty text without
// one means that there is nothing to answer.
func readInput(p catalog.Printer, m chat.Message) (in input, refusal string) {
	in.p = p
	s := strings.TrimSpace(text.Plain(m.Text))
	n := utf8.RuneCountInString(s)
	switch {
	case n > maxTaken:
		return input{}, p.Text("That message is too long for me (more than 10,000 characters). Please send it in smaller pieces.")
	case n > maxUsed:
		in.notice = p.Text(wordsCut)
		s = text.Clip(s, maxUsed)
	}
	in.text = s
	return in, ""
}
