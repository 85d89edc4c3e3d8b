package tools

import (
	"context"
	"strconv"
	"strings"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// keyed is the RowKey or the id of a row, which a button or the control page gives instead of its
// number. Models do not have the argument, and people do not type it: the number of a row is
// its person's, and may be another's once that person was forgotten.
type keyed struct {
	Row int64 `json:"row,omitempty"`
}

// named is which of a person's reminders, tasks or facts is meant: by its number, or by
// words of it.
type named struct {
	keyed
	ID    int64  `json:"id,omitempty" jsonschema:"its number"`
	Words string `json:"words,omitempty"`
}

// namedItem is one of those that may be meant.
type namedItem struct {
	id, number int64
	text       string
	from       provenance.Origin
}

// mostNamed is how many are listed where several may be meant.
const mostNamed = 5

// of returns the key of the one of who's that is meant by its words. Where none or several
// are, the error says so to people.
func (n named) of(who string, list []namedItem) (int64, error) {
	if strings.TrimSpace(n.Words) == "" {
		return 0, &ArgumentError{[]string{"arguments: give id, or words"}}
	}
	best, score := []namedItem(nil), 1
	for _, item := range list {
		if strings.EqualFold(item.text, strings.TrimSpace(n.Words)) {
			return item.id, nil
		}
		switch s := likeness(n.Words, item.text); {
		case s > score:
			best, score = []namedItem{item}, s
		case s == score:
			best = append(best, item)
		}
	}
	switch len(best) {
	case 0:
		return 0, text.Tell("I find nothing that fits “%s”.", n.Words)
	case 1:
		return best[0].id, nil
	}
	var lines strings.Builder
	for _, item := range best[:min(len(best), mostNamed)] {
		lines.WriteString("\n- #" + strconv.FormatInt(item.number, 10))
		if !item.from.Outside(who) { // an error shows nobody else's words
			lines.WriteString(" " + item.text)
		}
	}
	return 0, text.Tell("Several fit “%s”; say the number of the one you mean:%s", n.Words, lines.String())
}

// likeness counts the telling words that two texts share, of whatever form; texts
// without such words are alike where one is in the other.
func likeness(words, of string) (n int) {
	mine, theirs := ranking.Stems(words), ranking.Stems(of)
	for stem := range mine {
		if theirs[stem] {
			n++
		}
	}
	if len(strings.Fields(of)) == 1 || n == 0 { // Chinese has no spaces
		said, stored := strings.ToLower(strings.TrimSpace(words)), strings.ToLower(of)
		if said != "" && (strings.Contains(stored, said) || strings.Contains(said, stored)) {
			n = max(n, 1)
		}
	}
	return n
}

// key returns the id of the row that is meant: of its key, its number, or of its words among a list.
func (n named) key(c Call, numbered func(number int64) (int64, error), list func() ([]namedItem, error)) (int64, error) {
	switch {
	case n.Row != 0:
		if _, keyed := provenance.Keyed(n.Row); keyed {
			return numbered(n.Row)
		}
		return n.Row, nil
	case n.ID != 0:
		return numbered(n.ID)
	}
	items, err := list()
	if err != nil {
		return 0, err
	}
	return n.of(c.Who.ID, items)
}

// taskOf returns the task that is meant; open leaves out what is done.
func taskOf(ctx context.Context, store *memory.Store, c Call, n named, open bool) (agenda.Task, error) {
	numbered := func(number int64) (int64, error) { return store.Agenda.TaskID(ctx, viewer(c), number) }
	id, err := n.key(c, numbered, func() (list []namedItem, err error) {
		all, err := store.Agenda.Tasks(ctx, viewer(c), maxTasks, 0)
		for _, t := range all {
			if !open || !t.Done {
				list = append(list, namedItem{t.ID, t.Number, t.Description, t.Origin})
			}
		}
		return list, err
	})
	if err != nil {
		return agenda.Task{}, err
	}
	return store.Agenda.Task(ctx, viewer(c), id)
}

// reminderOf returns the reminder that is meant.
func reminderOf(ctx context.Context, store *memory.Store, c Call, n named) (agenda.Reminder, error) {
	numbered := func(number int64) (int64, error) { return store.Agenda.ReminderID(ctx, viewer(c), number) }
	id, err := n.key(c, numbered, func() (list []namedItem, err error) {
		all, err := store.Agenda.Reminders(ctx, viewer(c))
		for _, r := range all {
			list = append(list, namedItem{r.ID, r.Number, r.Text, r.Origin})
		}
		return list, err
	})
	if err != nil {
		return agenda.Reminder{}, err
	}
	return store.Agenda.Reminder(ctx, viewer(c), id)
}

// factOf returns the key of the fact that is meant.
func factOf(ctx context.Context, store *facts.Store, c Call, n named, w facts.Which) (int64, error) {
	return n.key(c, func(number int64) (int64, error) {
		w.Number = number
		return store.Meant(ctx, viewer(c), w)
	}, func() (list []namedItem, err error) {
		all, err := store.Facts(ctx, viewer(c), maxNamedFacts, 0)
		for _, f := range all {
			if w.Scope == "" || f.Scope == w.Scope {
				list = append(list, namedItem{f.ID, f.Number, f.Content, f.Heard()})
			}
		}
		return list, err
	})
}

// maxNamedFacts is how many facts are looked through for the one that is meant.
const maxNamedFacts = 1000

// mostOffered is how many rows are offered to choose from; platforms show fewer.
const mostOffered = 200

// Offered lists rows to choose from by their numbers, and their keys for buttons; none if
// they cannot be read.
func Offered[T any](list func(context.Context, provenance.Viewer) ([]T, error),
	show func(T) (key, number int64, words string)) func(context.Context, provenance.Viewer) []chat.Choice {
	return func(ctx context.Context, v provenance.Viewer) (choices []chat.Choice) {
		rows, err := list(ctx, v)
		if err != nil {
			return nil
		}
		for _, row := range rows {
			key, number, words := show(row)
			n := strconv.FormatInt(number, 10)
			choices = append(choices, chat.Choice{Value: n, Pressed: Key(key), Label: n + " – " + strings.Join(strings.Fields(words), " ")})
		}
		return choices
	}
}

// Key writes the RowKey of a row as a command takes it in place of the number: buttons have
// it, because the key never means another row.
func Key(key int64) string { return "=" + strconv.FormatInt(key, 10) }
