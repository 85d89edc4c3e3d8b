package times

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// published is an expression of a published corpus, with what it means there.
type published struct {
	Lang, Text, Said, Kind string
	Now                    time.Time
	Want                   []string
}

// shown is how moments are printed.
const shown = "2006-01-02 15:04"

// verdict is what became of one.
type verdict int

const (
	right  verdict = iota
	other          // another moment
	asked          // none; people are asked
	rhythm         // one that comes again
	past           // it was past then, and the next one is taken, or none
)

// judged returns what became of a reading.
func (p published) judged(w Time, err error) verdict {
	ahead, fits := p.Kind == "time", false
	for _, want := range p.Want {
		at, day, ok := p.read(want)
		if !ok {
			continue
		}
		is := w.At.In(p.Now.Location())
		switch {
		case p.Kind == "time":
			fits = fits || at.Format("15:04") == is.Format("15:04")
		case day:
			ahead = ahead || at.Format(time.DateOnly) >= p.Now.Format(time.DateOnly)
			fits = fits || at.Format(time.DateOnly) == is.Format(time.DateOnly)
		default:
			ahead = ahead || at.After(p.Now)
			fits = fits || at.Sub(is).Abs() < time.Minute
		}
	}
	switch {
	case err == nil && w.Schedule != "":
		return rhythm
	case err == nil && fits:
		return right
	case !ahead:
		return past
	case err != nil:
		return asked
	}
	return other
}

// read reads one of the right answers; day says that it is one.
func (p published) read(want string) (at time.Time, day, ok bool) {
	for _, form := range []string{"2006-01-02T15:04:05", time.DateOnly, time.TimeOnly, "15:04"} {
		if at, err := time.ParseInLocation(form, strings.TrimSuffix(want, "Z"), p.Now.Location()); err == nil {
			return at, p.Kind == "date" || form == time.DateOnly, true
		}
	}
	return at, false, false
}

// forms are the sentences in which the times are read.
var forms = []string{"Alone", "In their sentences", "Before what it is for", "Behind what it is for"}

// todo is what a reminder is for.
var todo = map[string]string{"en": "call mum", "de": "Mama anrufen", "fr": "appeler maman", "es": "llamar a mamá",
	"ru": "позвонить маме", "zh": "给妈妈打电话"}

// within reads the time in a sentence.
func (p published) within(said string) (Time, error) {
	when, _, err := Split(said, p.Now, p.Lang)
	if err == nil && when == "" {
		err = errors.New("none")
	}
	if err != nil {
		return Time{}, err
	}
	return Parse(when, p.Now, p.Now.Location(), p.Lang)
}

// TestPublishedTimes prints what is made of the times in published corpora; make times.
func TestPublishedTimes(t *testing.T) {
	f, err := os.Open(os.Getenv("PARLEY_TIMES_SET"))
	if err != nil {
		t.Skip("make times")
	}
	defer func() { _ = f.Close() }()
	tables := make([]map[string]*[past + 1]int, len(forms))
	count := func(form int, p published, w Time, err error) {
		if tables[form] == nil {
			tables[form] = map[string]*[past + 1]int{}
		}
		if tables[form][p.Lang] == nil {
			tables[form][p.Lang] = new([past + 1]int)
		}
		v := p.judged(w, err)
		if tables[form][p.Lang][v]++; v == other || v == rhythm || v == asked && os.Getenv("PARLEY_TIMES_ASKED") != "" {
			t.Logf("%s %s %q in %q, said at %s, is %s, and there %s: %v", forms[form], p.Lang, p.Text, p.Said, p.Now.Format(shown),
				w.At.Format(shown), p.Want, err)
		}
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p published
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		w, err := Parse(p.Text, p.Now, p.Now.Location(), p.Lang)
		count(0, p, w, err)
		for i, said := range []string{p.Said, p.Text + " " + todo[p.Lang], todo[p.Lang] + " " + p.Text} {
			w, err := p.within(said)
			count(i+1, p, w, err)
		}
	}
	for i, table := range tables {
		fmt.Printf("\n%s:\n\n| language | ahead | right | other | asked | as a rhythm |\n|---|---|---|---|---|---|\n", forms[i])
		for _, lang := range []string{"en", "de", "fr", "es", "ru", "zh"} {
			if n := table[lang]; n != nil {
				all := n[right] + n[other] + n[asked] + n[rhythm]
				fmt.Printf("| %s | %d | %d (%d %%) | %d | %d | %d |\n", lang, all, n[right], (100*n[right]+all/2)/all, n[other], n[asked], n[rhythm])
			}
		}
	}
}
