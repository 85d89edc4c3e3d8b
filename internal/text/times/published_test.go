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

// TestPublishedTimes prints what is made of the times in published corpora; make times.
func TestPublishedTimes(t *testing.T) {
	f, err := os.Open(os.Getenv("PARLEY_TIMES_SET"))
	if err != nil {
		t.Skip("make times")
	}
	defer func() { _ = f.Close() }()
	alone, within := map[string]*[past + 1]int{}, map[string]*[past + 1]int{}
	count := func(table map[string]*[past + 1]int, p published, w Time, err error) {
		if table[p.Lang] == nil {
			table[p.Lang] = new([past + 1]int)
		}
		v := p.judged(w, err)
		if table[p.Lang][v]++; v == other {
			t.Logf("%s %q, said at %s, is %s, and there %s", p.Lang, p.Text, p.Now.Format(shown), w.At.Format(shown), p.Want)
		}
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p published
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		w, err := Parse(p.Text, p.Now, p.Now.Location(), p.Lang)
		count(alone, p, w, err)
		when, _, err := Split(p.Said, p.Now, p.Lang)
		if err == nil && when == "" {
			err = errors.New("none")
		}
		if w = (Time{}); err == nil {
			w, err = Parse(when, p.Now, p.Now.Location(), p.Lang)
		}
		count(within, p, w, err)
	}
	for _, table := range []map[string]*[past + 1]int{alone, within} {
		fmt.Println("| language | ahead | right | other | asked | as a rhythm |\n|---|---|---|---|---|---|")
		for _, lang := range []string{"en", "de", "fr", "es", "ru", "zh"} {
			if n := table[lang]; n != nil {
				all := n[right] + n[other] + n[asked] + n[rhythm]
				fmt.Printf("| %s | %d | %d (%d %%) | %d | %d | %d |\n", lang, all, n[right], (100*n[right]+all/2)/all, n[other], n[asked], n[rhythm])
			}
		}
	}
}
