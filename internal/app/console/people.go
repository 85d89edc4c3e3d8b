package console

import (
	"cmp"
	"net/http"
	"slices"

	"parley/internal/memory"
)

// peopleView shows who asks to be let in, who was, and which conversations people answer.
type peopleView struct {
	Waiting  []person
	Members  []person
	Handoffs []Handoff
	Letters  int
}

type person struct{ ID, Name, Role string }

// maxPeople limits the lists on this page.
const maxPeople = 200

func (p *Page) people(r *http.Request) (any, error) {
	ctx := r.Context()
	var v peopleView
	waiting, err := p.o.Store.Access.Waiting(ctx, "pair")
	if err != nil {
		return nil, err
	}
	for _, u := range waiting {
		v.Waiting = append(v.Waiting, person{ID: u.ID, Name: clip(u.Name, maxName)})
	}
	grants, err := p.o.Store.Access.Grants(ctx)
	if err != nil {
		return nil, err
	}
	for id, role := range grants {
		name, err := p.o.Store.Browse.Person(ctx, id)
		if err != nil {
			return nil, err
		}
		v.Members = append(v.Members, person{id, clip(name, maxName), role})
	}
	slices.SortFunc(v.Members, func(a, b person) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	v.Members = v.Members[:min(len(v.Members), maxPeople)]
	if p.o.Views.Handoffs != nil {
		if v.Handoffs, err = p.o.Views.Handoffs(ctx); err != nil {
			return nil, err
		}
	}
	for i := range v.Handoffs {
		h := &v.Handoffs[i]
		h.Who, h.Why, h.By, h.To = clip(h.Who, maxName), clip(h.Why, maxReason), clip(h.By, maxName), clip(h.To, maxName)
	}
	letters, err := p.o.Store.Letters.List(ctx, 0, maxPeople)
	v.Letters = len(letters)
	return v, err
}

// letters lists dead letters.
func (p *Page) letters(r *http.Request) (any, error) {
	list, err := p.o.Store.Letters.List(r.Context(), int64(number(r.URL.Query().Get("after"))), perPage)
	for i := range list {
		list[i].Reason, list[i].Raw = clip(list[i].Reason, maxReason), []byte(clip(string(list[i].Raw), 1000))
	}
	return lettersView{list, len(list) == perPage}, err
}

type lettersView struct {
	List []memory.DeadLetter
	More bool
}

// Last returns the number of the last letter listed.
func (v lettersView) Last() int64 { return v.List[len(v.List)-1].ID }

// settingsView shows the settings in force, and which can change here.
type settingsView struct {
	Whole   string
	Tunable []Setting
	Tries   bool // they can be tried on the past
}

func (p *Page) settings(*http.Request) (any, error) {
	v := settingsView{Whole: p.o.Views.Settings(), Tries: p.o.Views.Trial != nil}
	if p.o.Views.Tunable != nil {
		v.Tunable = p.o.Views.Tunable()
	}
	return v, nil
}
