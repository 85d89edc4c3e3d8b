package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/internal/app/trial"
	"parley/internal/app/whatif"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Trial tries changes on the past; trial.Desk is one.
type Trial interface {
	State() trial.State
	Start(trial.Change, trial.Budget) error
	Stop()
	Judge(ctx context.Context, id, verdict string) (path string, ok bool, err error)
}

// Bounds of what the page shows of what was tried.
const (
	linesPerPage = 10
	maxTried     = 600 // of each text
	maxSame      = 120 // of words between those that differ
	maxAsked     = 10000
)

// tryoutView is how it stands with what is tried.
type tryoutView struct {
	trial.State
	Percent  int64
	Told     string // why it failed, if that is for people
	Kinds    []kindCount
	Shown    []triedLine
	Edit     string // where the change is edited and saved; "" for nowhere
	Persona  string
	File     string // of the persona; "" for the built-in one
	Model    bool   // the model can be another
	Page     int
	Previous string
	Next     string
}

type kindCount struct {
	Kind string
	N    int
}

// triedLine is a message that comes out differently.
type triedLine struct {
	trial.Line
	Pairs []pair
	Notes []string
}

// pair is a part of what came of a message, as it is and with the change.
type pair struct {
	Name    string
	Was, Is []whatif.Piece
}

func (p *Page) tryout(r *http.Request) (any, error) {
	s := p.o.Views.Trial.State()
	v := tryoutView{State: s, Page: max(1, number(r.URL.Query().Get("page"))), Model: true}
	v.Told, _ = catalog.Sentence(r.Context(), s.Why)
	if s.Of > 0 {
		v.Percent = 100 * s.Ran / s.Of
	}
	for _, k := range whatif.Kinds {
		if n := s.Tally.Kinds[k]; n > 0 {
			v.Kinds = append(v.Kinds, kindCount{string(k), n})
		}
	}
	from := min((v.Page-1)*linesPerPage, len(s.Lines))
	to := min(from+linesPerPage, len(s.Lines))
	for _, l := range s.Lines[from:to] {
		v.Shown = append(v.Shown, triedOf(r.Context(), l, p.o.Currency))
	}
	v.Previous, v.Next = pager("tryout", url.Values{}, v.Page, to < len(s.Lines))
	if s.Kind == trial.File {
		v.Edit = (&url.URL{Path: "rules/" + s.Name, RawQuery: about(url.Values{"tried": {"1"}}, s.Agent).Encode()}).String()
	}
	var err error
	if p.o.Views.Persona != nil {
		v.Persona, v.File, err = p.o.Views.Persona()
	}
	if s.Kind == trial.Persona {
		v.Persona = s.Value
	}
	return v, err
}

// triedOf lays a difference out.
func triedOf(ctx context.Context, l trial.Line, currency string) triedLine {
	in, line := catalog.Of(ctx), triedLine{Line: l}
	both := func(name string, was, is []string) {
		if !slices.Equal(was, is) {
			line.Pairs = append(line.Pairs, markedPair(name, joined(was), joined(is)))
		}
	}
	both(in.Text("Guards"), l.Before.Ruled(), l.After.Ruled())
	cut := func(args string) string { return clip(args, maxWhen) }
	both(in.Text("Tools"), l.Before.Made(cut), l.After.Made(cut))
	both(in.Text("Ends"), []string{in.Text(l.Before.Ended)}, []string{in.Text(l.After.Ended)})
	both(in.Text("Rules"), l.Before.Rules, l.After.Rules)
	if len(l.After.Models) > 0 {
		both(in.Text("Model"), l.Before.Models, l.After.Models)
	}
	if slices.Contains(l.Kinds, whatif.Words) {
		line.Pairs = append(line.Pairs, markedPair(in.Text("Text"), l.Before.Text, l.After.Text))
	}
	if was, is := text.Money(l.Before.Money, currency), text.Money(l.After.Money, currency); was != is {
		line.Notes = append(line.Notes, in.Say("Money: %s as it is, %s changed.", cmp.Or(was, "0"), cmp.Or(is, "0")))
	}
	if n := l.After.Again; n > 0 {
		line.Notes = append(line.Notes, in.Say("Would ask again: %s. What follows supposes the answers of then.", in.Many(n, "request")))
	}
	if u := l.After.Unknown; u != "" {
		line.Notes = append(line.Notes, in.Say("It ends here, for the record does not tell %s.", clip(u, maxWhen)))
	}
	return line
}

func joined(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, "\n")
}

// markedPair marks the words that differ. Of what is the same there is what stands beside them.
func markedPair(name, was, is string) pair {
	p := pair{Name: name}
	p.Was, p.Is = whatif.Marked(was, is)
	for _, list := range []*[]whatif.Piece{&p.Was, &p.Is} {
		room := maxTried
		for i := range *list {
			piece := &(*list)[i]
			if runes := []rune(piece.Text); !piece.Differs && len(runes) > maxSame {
				piece.Text = string(runes[:maxSame/2]) + " … " + string(runes[len(runes)-maxSame/2:])
			}
			piece.Text = clip(piece.Text, max(room, 1))
			room -= len(piece.Text)
			if room <= 0 {
				*list = (*list)[:i+1]
				break
			}
		}
	}
	return p
}

// tryIt starts to try a change, stops it, or takes a verdict on what came of it.
func (p *Page) tryIt(w http.ResponseWriter, r *http.Request, l *login) {
	told, err := p.trying(r)
	if sentence, tell := catalog.Sentence(r.Context(), err); tell {
		told = sentence
	} else if err != nil {
		told = p.broken(r, err)
	}
	if told != "" {
		l.tell(clip(told, maxText))
	}
	lead(w, r, "/tryout"+pageOf(r))
}

// pageOf keeps to the page of a list that a form is on.
func pageOf(r *http.Request) string {
	if n := number(r.PostFormValue("page")); n > 1 {
		return fmt.Sprint("?page=", n)
	}
	return ""
}

func (p *Page) trying(r *http.Request) (told string, err error) {
	t, ctx := p.o.Views.Trial, r.Context()
	now := t.State()
	switch what := r.PostFormValue("try"); what {
	case "stop":
		t.Stop()
		return "", nil
	case "again":
		return "", p.start(r, now.Change, now.Budget)
	case "ask":
		b, err := budgetOf(r)
		if err != nil {
			return "", err
		}
		return "", p.start(r, now.Change, b)
	case trial.Good, trial.Bad, trial.Fine:
		path, ok, err := t.Judge(ctx, r.PostFormValue("id"), what)
		switch {
		case err != nil:
			return "", err
		case !ok:
			return catalog.Text(ctx, wordsNoThing), nil
		case path != "":
			return catalog.Say(ctx, "A rehearsal is written: bot rehearse %s", path), nil
		}
		return catalog.Text(ctx, "It is not shown again with this change."), nil
	case trial.Persona:
		return "", p.start(r, trial.Change{Kind: what, Value: plainLines(r.PostFormValue("text"))}, trial.Budget{})
	case trial.Setting:
		return "", p.start(r, trial.Change{Kind: what, Name: r.PostFormValue("id"), Value: strings.TrimSpace(r.PostFormValue("value"))},
			trial.Budget{})
	}
	return catalog.Text(ctx, wordsEmpty), nil
}

// modelName is the setting that can be tried here though it is not changed here.
const modelName = "model.name"

// start tries a change that may be tried here: a setting that could send secrets or words
// elsewhere, or read a file, may not.
func (p *Page) start(r *http.Request, c trial.Change, b trial.Budget) error {
	odd := len(c.Value) > maxEdited || c.Kind == ""
	if c.Kind == trial.Setting {
		odd = c.Value == "" || len(c.Value) > 500 || strings.ContainsFunc(c.Value, unicode.IsControl) || !p.mayTry(c.Name)
	}
	if odd {
		return text.Tell("This cannot be tried here.")
	}
	err := p.o.Views.Trial.Start(c, b)
	if err != nil && !errors.Is(err, trial.ErrBusy) {
		p.o.Log.Warn("a change cannot be tried", "kind", c.Kind, "err", err)
		return text.Tell("This cannot be tried: %s", clip(err.Error(), maxReason))
	}
	return err
}

func (p *Page) mayTry(name string) bool {
	return name == modelName || p.o.Views.Tunable != nil &&
		slices.ContainsFunc(p.o.Views.Tunable(), func(s Setting) bool { return s.Name == name })
}

// budgetOf reads how much may be asked.
func budgetOf(r *http.Request) (b trial.Budget, err error) {
	b.Calls = number(r.PostFormValue("calls"))
	b.Money, err = strconv.ParseFloat(cmp.Or(strings.ReplaceAll(strings.TrimSpace(r.PostFormValue("money")), ",", "."), "0"), 64)
	if err != nil || math.IsNaN(b.Money) || math.IsInf(b.Money, 0) || b.Money < 0 || b.Calls < 1 || b.Calls > maxAsked {
		return b, text.Tell("Say how many requests at most, from 1 to %d, and how much money.", maxAsked)
	}
	return b, nil
}

func plainLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
