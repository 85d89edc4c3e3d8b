package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/memory/search"
	"parley/internal/text/catalog"
)

// conversationList is the list of conversations, or of messages found.
type conversationList struct {
	Form     filterForm
	Quick    []link // shortcuts for frequent searches
	Choices  search.Choices
	Agents   []link // to choose from; nil if there is one agent
	Single   bool
	Places   []placeLine
	Turns    []turnLine
	Empty    bool // nobody has written yet
	Previous string
	Next     string
}

// placeLine is a listed conversation.
type placeLine struct {
	search.Place
	Name string
}

// turnLine is a listed message, with a link to it in its conversation.
type turnLine struct {
	search.Turn
	Place, Path, Heard string // Heard is the agent's name, if there are several
}

// filterForm is a filter as typed.
type filterForm struct {
	Words, Platform, Person, Rule, Tool string
	Agent                               string
	Errors                              bool
	Took, Tokens, Cost                  string // at least
	More                                bool   // anything but the words is set
}

// Limits of the shortcuts for slow and for expensive answers, in seconds and tokens.
const (
	slowAnswer = 10
	dearAnswer = 10_000
)

func formOf(q url.Values) filterForm {
	get := func(name string) string { return clip(strings.TrimSpace(q.Get(name)), 200) }
	f := filterForm{Words: get("q"), Platform: get("platform"), Person: get("person"), Rule: get("rule"), Tool: get("tool"),
		Agent: get("agent"), Errors: q.Get("errors") != "",
		Took: get("took"), Tokens: get("tokens"), Cost: get("cost")}
	f.More = f != filterForm{Words: f.Words}
	return f
}

// filter parses the form; an invalid number is 0.
func (f filterForm) filter() search.Filter {
	amount := func(s string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", "."), 64)
		if err != nil || !(n > 0 && n < 1e9) {
			return 0
		}
		return n
	}
	return search.Filter{Words: f.Words, Platform: f.Platform, Person: f.Person, Rule: f.Rule, Tool: f.Tool, Errors: f.Errors,
		Took: time.Duration(amount(f.Took) * float64(time.Second)), Tokens: int(amount(f.Tokens)), Cost: amount(f.Cost)}
}

// values returns the form as query parameters.
func (f filterForm) values() url.Values {
	v := url.Values{}
	for name, text := range map[string]string{"q": f.Words, "platform": f.Platform, "person": f.Person, "rule": f.Rule,
		"tool": f.Tool, "agent": f.Agent, "took": f.Took, "tokens": f.Tokens, "cost": f.Cost} {
		if text != "" {
			v.Set(name, text)
		}
	}
	if f.Errors {
		v.Set("errors", "on")
	}
	return v
}

// quick returns the shortcuts for frequent searches.
func (f filterForm) quick(p catalog.Printer) []link {
	list := []link{{"conversations", p.Text("All"), f == filterForm{}}}
	for _, one := range []struct{ name, query string }{
		{p.Text(wordsErrors), "errors=on"}, {p.Say("Over %d s", slowAnswer), fmt.Sprint("took=", slowAnswer)},
		{p.Say("Over %s tokens", count(p, dearAnswer)), fmt.Sprint("tokens=", dearAnswer)},
	} {
		list = append(list, link{"conversations?" + one.query, one.name, f.values().Encode() == one.query})
	}
	return list
}

func (p *Page) conversations(r *http.Request) (_ any, err error) {
	ctx, q := r.Context(), r.URL.Query()
	page := max(1, number(q.Get("page")))
	v := conversationList{Form: formOf(q)}
	v.Quick = v.Form.quick(catalog.Of(ctx))
	f := v.Form.filter()
	v.Agents = p.agentChoices(r)
	if a := p.agentOf(r); a != nil {
		f.ByAgent, f.Agent = true, a.Memory
	}
	if v.Choices, err = p.o.Store.Browse.Choices(ctx); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		list *[]string
		set  string
	}{{&v.Choices.Platforms, f.Platform}, {&v.Choices.Rules, f.Rule}, {&v.Choices.Tools, f.Tool}} {
		if c.set != "" && !slices.Contains(*c.list, c.set) {
			*c.list = append(*c.list, c.set)
		}
		for i := range *c.list {
			(*c.list)[i] = clip((*c.list)[i], maxName)
		}
	}
	more := false
	if v.Single = f.Single(); v.Single {
		more, err = p.findTurns(r, &v, f, page)
	} else {
		more, err = p.listPlaces(r, &v, f, page)
	}
	v.Empty = !v.Single && !v.Form.More && len(v.Places) == 0 && page == 1
	v.Previous, v.Next = pager("conversations", v.Form.values(), page, more)
	return v, err
}

func (p *Page) listPlaces(r *http.Request, v *conversationList, f search.Filter, page int) (more bool, err error) {
	list, err := p.o.Store.Browse.Places(r.Context(), f, perPage+1, (page-1)*perPage)
	for _, one := range list[:min(len(list), perPage)] {
		one.Text = clip(one.Text, maxReason)
		one.By = clip(one.By, maxName)
		name := cmp.Or(one.Title, search.Names(catalog.Of(r.Context()), one.People, one.More))
		v.Places = append(v.Places, placeLine{one, clip(name, maxName)})
	}
	return len(list) > perPage, err
}

func (p *Page) findTurns(r *http.Request, v *conversationList, f search.Filter, page int) (more bool, err error) {
	list, err := p.o.Store.Browse.Turns(r.Context(), f, perPage+1, (page-1)*perPage)
	if err != nil {
		return false, err
	}
	for _, one := range list[:min(len(list), perPage)] {
		name, err := p.o.Store.Browse.Called(r.Context(), one.Key)
		if err != nil {
			return false, err
		}
		one.Text, one.Name = clip(one.Text, 2*maxReason), clip(one.Name, maxName)
		v.Turns = append(v.Turns, turnLine{one, clip(name, maxName), pathOf(one), p.named(catalog.Of(r.Context()), one.Agent)})
	}
	return len(list) > perPage, nil
}

// pathOf returns the page that shows a message: its conversation or, if its words are not
// stored, its account.
func pathOf(t search.Turn) string {
	if t.Row == 0 {
		return "turns/" + t.ID
	}
	// Show a little of what followed, too.
	return fmt.Sprintf("conversation?place=%s&before=%d#m%d", url.QueryEscape(t.Key.String()), t.Row+20, t.Row)
}
