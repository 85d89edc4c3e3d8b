package catalog

import (
	"context"
	"strings"
	"time"

	"parley/internal/text"
)

// Many returns a number of things: "1 fact", "2 facts". The thing is the English
// singular; its forms stand in the catalogs under "%d fact" and "%d facts".
func (p Printer) Many(n int, thing string) string {
	one, more := "%d "+thing, "%d "+thing+"s"
	if p.c == nil || !p.c.words().IsTranslated(one) {
		return text.Many(n, thing)
	}
	return p.c.words().GetN(one, more, n, n)
}

// Many is Of(ctx).Many.
func Many(ctx context.Context, n int, thing string) string { return Of(ctx).Many(n, thing) }

// Count is a number of things as an argument of Say.
type Count struct {
	N     int
	Thing string // as for Many
}

// String implements Phrase.
func (c Count) String() string { return text.Many(c.N, c.Thing) }

// In implements Phrase.
func (c Count) In(p Printer) string { return p.Many(c.N, c.Thing) }

// Words are words as an argument of Say.
type Words string

// String implements Phrase.
func (w Words) String() string { return string(w) }

// In implements Phrase.
func (w Words) In(p Printer) string { return p.Text(string(w)) }

// Filled is a format with its arguments, as an argument of Say.
type Filled struct {
	Words string
	Args  []any
}

// Fill makes a Filled.
func Fill(words string, args ...any) Filled { return Filled{words, args} }

// String implements Phrase.
func (f Filled) String() string { return Printer{}.Say(f.Words, f.Args...) }

// In implements Phrase.
func (f Filled) In(p Printer) string { return p.Say(f.Words, f.Args...) }

// Ago returns a time before now, as people say it.
func (p Printer) Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return p.Text("just now")
	case d < time.Hour:
		return p.Say("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return p.Say("%d h ago", int(d.Hours()))
	}
	if n := int(d.Hours() / 24); p.c != nil && p.c.words().IsTranslated("%d day ago") {
		return p.c.words().GetN("%d day ago", "%d days ago", n, n)
	}
	return text.Many(int(d.Hours()/24), "day") + " ago"
}

// Figure returns a number written with a point, such as "1.5", with the language's decimal
// mark.
func (p Printer) Figure(number string) string {
	return strings.Replace(number, ".", p.header("X-Decimal", "."), 1)
}

// HowLong returns a duration as people say it.
func (p Printer) HowLong(d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return p.Many(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return p.Many(int(d.Hours()), "hour")
	}
	return p.Many(int(d.Hours()/24), "day")
}

// Ago is Of(ctx).Ago.
func Ago(ctx context.Context, now, t time.Time) string { return Of(ctx).Ago(now, t) }

// HowLong is Of(ctx).HowLong.
func HowLong(ctx context.Context, d time.Duration) string { return Of(ctx).HowLong(d) }

// Placeholders for names in a layout while the rest is formatted.
const atWeekday, atMonth = "\x01", "\x02"

// Time writes a time in a layout of package time. The layout is looked up as
// words are, so that a language has its own order, and so are the whole names
// of weekdays and months.
func (p Printer) Time(t time.Time, layout string) string {
	switch {
	case p.c == nil:
		return t.Format(layout)
	case layout == "Monday": // a name is a word of its own
		return p.Text(t.Weekday().String())
	}
	bare := strings.NewReplacer("Monday", atWeekday, "January", atMonth).Replace(p.Text(layout))
	return strings.NewReplacer(atWeekday, p.Text(t.Weekday().String()), atMonth, p.Text(t.Month().String())).Replace(t.Format(bare))
}

// Time is Of(ctx).Time.
func Time(ctx context.Context, t time.Time, layout string) string { return Of(ctx).Time(t, layout) }
