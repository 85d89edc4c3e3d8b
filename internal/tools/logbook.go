package tools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"strings"
	"time"

	"parley/internal/memory/agenda"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

// Said in more than one place.
const (
	wordsToday     = "today"
	wordsYesterday = "yesterday"
)

//go:embed log_entry.md
var logEntryText string

//go:embed list_log.md
var listLogText string

// LogOperations are what can be done with a person's journal.
func LogOperations(k Planner) []Operation {
	day := listLog(k)
	search := day
	search.Face = Face{Command: "log search", Help: "Find lines by their words", Private: true,
		Args: []Arg{{Name: "query", Help: "words", Required: true}}}
	return []Operation{logEntry(k), day, search}
}

func logEntry(k Planner) Operation {
	type args struct {
		Content string `json:"content" jsonschema:"the entry"`
		Type    string `json:"type,omitempty" jsonschema:"what it is; thought if left out"`
		Author  string `json:"author,omitempty" jsonschema:"user for their own words, assistant for yours; user if left out"`
	}
	meta := core("log_entry", logEntryText, Thread).writes().onDemand().says("writes a line into your journal")
	meta.Refine = oneOf(map[string][]string{"type": {"thought", "decision", "research", "insight"}, "author": {"user", "assistant"}})
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		return withRest(sentence(ctx, "Write this into your journal: \"%s\"?", a.Content), c, a.Type != "" || a.Author != ""), nil
	})
	meta.Own = owning(func(a args) string { return a.Content })
	face := Face{Command: "log add", Help: "Write a line into it", Private: true, Text: "content",
		Args: []Arg{{Name: "text", Of: "content", Help: "the line", Long: true}, {Name: "type", Help: "what it is"}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		e, err := k.AddLog(ctx, c, agenda.LogEntry{Content: a.Content, Type: a.Type, Author: a.Author, Origin: c.Origin})
		return worded(ctx, deed{e.Origin, err}, "Logged (#%d): %s", e.Number, e.Content)
	})
}

// AddLog writes a line into the journal of who calls, and tells of it.
func (k Planner) AddLog(ctx context.Context, c Call, e agenda.LogEntry) (agenda.LogEntry, error) {
	e, err := k.Store.Agenda.AddLog(ctx, viewer(c), e, c.Key)
	if err == nil && k.Logged != nil {
		k.Logged(ctx, c, e)
	}
	return e, err
}

func listLog(k Planner) Operation {
	type args struct {
		Day   string `json:"day,omitempty"`
		Query string `json:"query,omitempty" jsonschema:"words that stand in the entry"`
	}
	meta := core("list_log", listLogText, Thread).reads().onDemand().says("reads your journal")
	face := Face{Command: "log day", Help: "What you logged on a day", Private: true,
		Args: []Arg{{Name: "day", Help: "today, yesterday, Tuesday, 2026-05-01"}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		return k.Journal(ctx, c, a.Day, a.Query)
	})
}

// Journal returns the journal of a day in the person's own words, "" for the latest
// lines, narrowed to those with all words of query.
func (k Planner) Journal(ctx context.Context, c Call, day, query string) (r Result, err error) {
	loc, _ := k.place(ctx, c.Who)
	q := agenda.LogQuery{Text: query}
	if strings.TrimSpace(day) != "" {
		from, err := ParseDay(catalog.Of(ctx), day, k.Now(), loc)
		if err != nil {
			return r, err
		}
		q.From, q.To, q.Limit = from, from.AddDate(0, 0, 1), 200
	}
	list, err := k.Store.Agenda.Log(ctx, viewer(c), q)
	if err != nil {
		return r, err
	}
	r.Private = true
	if len(list) == 0 {
		r.Content = catalog.Text(ctx, "Nothing is logged there.")
		return r, nil
	}
	var b strings.Builder
	date := ""
	for _, e := range list {
		at := e.At.In(loc)
		if d := catalog.Time(ctx, at, layoutDay); d != date {
			date = d
			fmt.Fprintf(&b, "**%s**\n", d)
		}
		fmt.Fprintf(&b, "- %s %s%s\n", at.Format("15:04"), e.Content, remark(e))
		r.found(c.Who.ID, e.Origin)
	}
	r.Content = strings.TrimSpace(b.String())
	return r, nil
}

// remark returns what is unusual about a line: a kind other than a thought, and an
// author other than the person.
func remark(e agenda.LogEntry) string {
	var of []string
	if e.Type != "thought" {
		of = append(of, e.Type)
	}
	if e.Author == "assistant" {
		of = append(of, "by me")
	}
	if of == nil {
		return ""
	}
	return " (" + strings.Join(of, ", ") + ")"
}

// ParseDay reads a day that is past or today, in English or the language of p: its
// first moment in loc.
func ParseDay(p catalog.Printer, said string, now time.Time, loc *time.Location) (time.Time, error) {
	said = strings.ReplaceAll(strings.ToLower(strings.Trim(strings.TrimSpace(said), ".!?")), "'", "’")
	said = strings.TrimPrefix(strings.TrimPrefix(said, "on "), "last ")
	local := now.In(loc)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, loc)
	switch said {
	case wordsToday, p.Text(wordsToday):
		return today, nil
	case wordsYesterday, p.Text(wordsYesterday):
		return today.AddDate(0, 0, -1), nil
	}
	for d := range 7 {
		t := today.AddDate(0, 0, -d-1)
		if name := strings.ToLower(t.Weekday().String()); said == name || said == name[:3] || said == strings.ToLower(p.Time(t, "Monday")) {
			return t, nil
		}
	}
	for _, form := range []string{time.DateOnly, "2 January 2006", "January 2, 2006", "2.1.2006"} {
		if t, err := time.ParseInLocation(form, said, loc); err == nil {
			return t, nil
		}
	}
	for _, form := range []string{"2 January", "January 2", "2 Jan", "Jan 2"} {
		if t, err := time.ParseInLocation(form, said, loc); err == nil {
			if t = time.Date(today.Year(), t.Month(), t.Day(), 0, 0, 0, 0, loc); t.After(today) {
				t = t.AddDate(-1, 0, 0)
			}
			return t, nil
		}
	}
	if span, rest, ok := times.FindSpan(said, local); ok && rest == "" && span.To.Equal(span.From.AddDate(0, 0, 1)) {
		return span.From, nil
	}
	return time.Time{}, text.Tell("I don't understand the day “%s”. Try today, yesterday, Tuesday or 2026-05-01.", said)
}
