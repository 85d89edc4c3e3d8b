package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	helpAnswerID  = "the id of the answer; the last one if you leave it out"
	wordsNoSource = "That answer has no such source."
	wordsTogether = "Together: %s."
)

// Insight is /why, /trace, /stats and /debug.
type Insight struct {
	Rows  Audit
	Spent Spending // nil where nothing is counted
	// ReadsNotes tells whether a message's author may read the owner's notes at
	// all, ShowsNote whether one of them.
	ReadsNotes func(context.Context, chat.Message) bool
	ShowsNote  func(ctx context.Context, m chat.Message, path string) bool
	// Debug shows calls and timings under answers in a place, until the next
	// start, or no longer.
	Debug func(k chat.Key, on bool)
	Now   func() time.Time
	// Kept tells how many exact requests to models are kept for an answer, and where the
	// owner reads them, "" for nowhere; nil is none.
	Kept func(ctx context.Context, d memory.Decision) (n int, where string, err error)
	// Currency is that of what answers cost.
	Currency string
}

// Audit is what became of each message; memory.Decisions.
type Audit interface {
	// LastDecision returns the newest in a place, for one person or for anybody ("").
	LastDecision(ctx context.Context, p memory.Place) (memory.Decision, error)
	Named
	Accounts
	Stats(ctx context.Context, since time.Time) ([]memory.Stat, error)
}

// Named is an answer that somebody means; memory.Decisions.
type Named interface {
	DecisionByID(ctx context.Context, prefix string) (memory.Decision, error)
	// DecisionOf returns that of an answer by the platform's id of one of its messages.
	DecisionOf(ctx context.Context, k chat.Key, message string) (memory.Decision, error)
}

// Accounts is what there is besides about a decision; memory.Decisions.
type Accounts interface {
	Calls(ctx context.Context, decision string) ([]memory.CallRecord, error)
	// Asked returns what was said in a message, "" where that is not kept.
	Asked(ctx context.Context, d memory.Decision) (string, error)
}

// Spending is what model calls took; usage.Ledger.
type Spending interface {
	UsageSince(ctx context.Context, since time.Time) ([]memory.Used, error)
}

// shortestID is how much of an answer's id names it.
const shortestID = 8

// found makes "there is none" of an error that says so.
func found(d memory.Decision, err error) (memory.Decision, bool, error) {
	if errors.Is(err, memory.ErrNotFound) {
		return d, false, nil
	}
	return d, err == nil, err
}

func (i Insight) why() gate.Command {
	return gate.Command{Name: "why", Help: "Why the last answer looks as it does", First: 7, Effect: gate.Reads,
		Run: i.explain, Private: true, Options: []gate.Option{
			{Name: "source", Help: "number of a source: what it says", Kind: gate.Number}, {Name: "answer", Help: helpAnswerID},
		}}
}

// explain tells about an answer that its asker got, in plain words.
func (i Insight) explain(ctx context.Context, r gate.Request) (chat.Answer, error) {
	d, ok, err := i.answered(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	if !ok {
		return say(ctx, "I have not answered anything here yet.")
	}
	if n := r.Number("source", 0); n > 0 {
		return i.source(ctx, r.Message, d, n)
	}
	var rests []string
	for _, s := range d.Detail.Sources {
		rests = append(rests, strings.TrimSpace(s.Title+" "+s.Path))
	}
	calls, err := i.Rows.Calls(ctx, d.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "**About my last answer to you** (%s)", catalog.Ago(ctx, i.Now(), d.At)) + "\n")
	for _, list := range []struct {
		title string
		lines []string
	}{
		{catalog.Text(ctx, "Rules and steps:"), d.Detail.Why}, {catalog.Text(ctx, "What I remembered:"), d.Detail.Facts},
		{catalog.Text(ctx, "What it rests on:"), rests}, {catalog.Text(ctx, "What I read:"), d.Detail.Read}, {catalog.Text(ctx, "What I did:"),
			d.Detail.Tools}, {catalog.Text(ctx, "What waits for a yes:"), waiting(calls)},
		{catalog.Text(ctx, "What did not work:"), notWorked(ctx, calls)},
	} {
		if len(list.lines) > 0 {
			fmt.Fprintf(&b, "%s\n- %s\n\n", list.title, strings.Join(list.lines, "\n- "))
		}
	}
	if len(d.Detail.Why)+len(d.Detail.Facts)+len(d.Detail.Read)+len(calls) == 0 && d.End.Outcome == chat.Answered {
		b.WriteString(catalog.Text(ctx, "It came from our conversation alone: no rule, no remembered fact, no note and no action shaped it.") + "\n")
	}
	if d.End.Outcome != chat.Answered {
		b.WriteString(catalog.Say(ctx, "How it ended: %s.", ended(d.End)) + "\n")
	}
	if d.End.ErrorID != "" {
		b.WriteString(catalog.Say(ctx, "Something went wrong then; my owner finds it as %s.", d.End.ErrorID) + "\n")
	}
	took := catalog.Many(ctx, d.Usage.Total, "token") + i.cost(d.Usage.Cost)
	if model := d.Answerer(); model != "" && d.Calls > 0 {
		b.WriteString(catalog.Say(ctx, "It took %.1f s and %s; %s answered.", d.Took.Seconds(), took, model))
	} else {
		b.WriteString(catalog.Say(ctx, "It took %.1f s and %s.", d.Took.Seconds(), took))
	}
	return chat.Answer{Text: b.String()}, nil
}

// waiting names the calls that were asked about and are not answered yet.
func waiting(calls []memory.CallRecord) (list []string) {
	for _, c := range calls {
		if tools.Class(c.Class) == tools.NeedsYes {
			list = append(list, quoted(strings.ReplaceAll(c.Name, "_", " "), maxNamed))
		}
	}
	return list
}

// notWorked says in plain words which calls of tools did not do what they were
// for.
func notWorked(ctx context.Context, calls []memory.CallRecord) (list []string) {
	for _, c := range calls {
		if c.Class == "" || tools.Class(c.Class) == tools.NeedsYes {
			continue
		}
		why, known := map[tools.Class]string{
			tools.NotFound: catalog.Text(ctx, "there is no such tool"), tools.Invalid: catalog.Text(ctx, "it was asked for something it cannot do"),
			tools.NotAllowed: catalog.Text(ctx, "it is not allowed here"), tools.TimedOut: catalog.Text(ctx, "it took too long"),
			tools.Guarded: catalog.Text(ctx, "a rule that code enforces stopped it"), tools.Cancelled: catalog.Text(ctx, "it was stopped"),
			tools.NotRun: catalog.Text(ctx, "it was not begun"), tools.Refused: catalog.Text(ctx, "the answer was no"),
			tools.NeedsInput: catalog.Text(ctx, "its server asked something first"),
			tools.Lapsed:     catalog.Text(ctx, "it waited for a yes, and what it was for no longer stood"),
		}[tools.Class(c.Class)]
		switch {
		case c.Status == string(tools.Unknown):
			why = catalog.Text(ctx, "whether it was done cannot be told")
		case !known:
			why = catalog.Text(ctx, "it failed")
		}
		list = append(list, quoted(strings.ReplaceAll(c.Name, "_", " "), maxNamed)+": "+catalog.Text(ctx, why))
	}
	return list
}

// maxNamed is how much of a tool's name is shown.
const maxNamed = 64

// answered returns the answer a person asks about: one they name, in this place, or
// the last one they got here.
func (i Insight) answered(ctx context.Context, r gate.Request) (memory.Decision, bool, error) {
	if r.Args["answer"] == "" && r.Message.ReplyTo != "" {
		d, ok, err := found(i.Rows.DecisionOf(ctx, r.Message.Key, r.Message.ReplyTo))
		if err != nil || ok && d.Agent == r.Message.Agent.ID && (d.User == r.Message.From.ID || r.Role >= gate.Admin) {
			return d, ok, err
		}
		return d, false, nil
	}
	id := strings.ToLower(r.Args["answer"])
	if len(id) < shortestID {
		return found(i.Rows.LastDecision(ctx, memory.Place{Key: r.Message.Key, User: r.Message.From.ID, Agent: r.Message.Agent.ID}))
	}
	d, ok, err := found(i.Rows.DecisionByID(ctx, id))
	return d, ok && d.Key == r.Message.Key, err
}

// source returns what a source of an answer says, for those who may read it.
func (i Insight) source(ctx context.Context, m chat.Message, d memory.Decision, n int) (chat.Answer, error) {
	for _, s := range d.Detail.Sources {
		switch {
		case s.N != n:
			continue
		case s.Kind != "web" && !i.ReadsNotes(ctx, m):
			return say(ctx, "The notes are not for everybody: only my owner may have them tidied.")
		case s.Kind == "note" && !i.ShowsNote(ctx, m, s.Path):
			return say(ctx, wordsNoSource)
		}
		shown := fmt.Sprintf("[%d] **%s** — %s\n\n> %s", n, s.Title, strings.TrimSpace(s.Path+" "+s.URL),
			strings.ReplaceAll(s.Snippet, "\n", "\n> "))
		if s.Score > 0 {
			shown += catalog.Say(ctx, "\n\nScore in that search: %s", strconv.FormatFloat(s.Score, 'g', 3, 64))
		}
		return chat.Answer{Text: shown}, nil
	}
	return say(ctx, wordsNoSource)
}

func (i Insight) stats() gate.Command {
	return gate.Command{Name: "stats", Help: "Totals of messages, tokens and errors, and how many succeeded", Effect: gate.Reads, Who: gate.Owner, Run: i.total,
		Options: []gate.Option{{Name: "days", Help: "how many days back, 7 if you leave it out", Kind: gate.Number}}}
}

func (i Insight) total(ctx context.Context, r gate.Request) (chat.Answer, error) {
	days := max(r.Number("days", 7), 1)
	stats, err := i.Rows.Stats(ctx, i.Now().AddDate(0, 0, -days))
	if err != nil {
		return chat.Answer{}, err
	}
	var b strings.Builder
	b.WriteString(catalog.Say(ctx, "**The last %s**", catalog.Many(ctx, days, "day")) + "\n")
	var all memory.Stat
	var tally memory.Tally
	for _, o := range chat.Outcomes {
		var sum memory.Stat
		var reasons []string
		for _, s := range stats {
			if s.Outcome == o {
				sum = sum.And(s)
				if s.Reason != "" {
					reasons = append(reasons, fmt.Sprintf("%s %d", s.Reason, s.Messages))
				}
			}
		}
		if sum.Messages == 0 {
			continue
		}
		tally.Count(o, sum.Messages)
		all = all.And(sum)
		fmt.Fprintf(&b, "- %s: %s", o, figures(ctx, sum))
		if len(reasons) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(reasons, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + catalog.Say(ctx, wordsTogether, figures(ctx, all)) + "\n\n")
	if rate := tally.Rate(); rate != "" {
		b.WriteString(catalog.Say(ctx, "Success: %s of %s that asked for something. Answered, asked, confirmed and declined count as "+
			"success, failed and shed do not; what was refused on purpose, stopped or only overheard is not counted.", rate, catalog.Many(ctx, tally.Good+tally.Bad, "message")))
	} else {
		b.WriteString(catalog.Text(ctx, "Success: nothing has asked for anything yet."))
	}
	err = i.spent(ctx, &b, days)
	return chat.Answer{Text: b.String()}, err
}

// figures returns those of a line of /stats.
func figures(ctx context.Context, s memory.Stat) string {
	return fmt.Sprintf("%s, %s, %s", catalog.Many(ctx, s.Messages, "message"), catalog.Many(ctx, s.Calls, "model call"),
		catalog.Many(ctx, s.Tokens, "token"))
}

func (i Insight) debug() gate.Command {
	return gate.Command{Name: "debug", Help: "Show calls and timings under answers here", Who: gate.Owner,
		Options: []gate.Option{{Name: "state", Help: "on or off", Kind: gate.Switch, Required: true}},
		Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			on := r.Args["state"] == "on"
			i.Debug(r.Message.Key, on)
			if on {
				return say(ctx, "Answers here will show calls and timings to you.")
			}
			return say(ctx, "Answers here no longer show calls and timings.")
		}}
}
