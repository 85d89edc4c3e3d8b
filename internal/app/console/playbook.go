package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/internal/memory"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
)

// usesWindow is the period in which uses of rules are counted.
const usesWindow = 7 * 24 * time.Hour

// bookView is the playbook with the uses of its rules.
type bookView struct {
	None     bool
	Problem  string
	Rules    []ruleView
	Journeys []link
	Journey  *Journey
	Picture  *picture // nil if it would be too large
	More     int      // steps left out
	Files    []string // editable files
	Agents   []link   // agents with playbooks; nil if there is one agent
	Agent    string   // in addresses; "" for the bot's own
	Page     int
	Previous string
	Next     string
}

type ruleView struct {
	Rule
	Use memory.RuleUse
}

func (p *Page) playbook(r *http.Request) (any, error) {
	ctx := r.Context()
	if p.o.Views.Book == nil {
		return bookView{None: true}, nil
	}
	of, v := p.shown(r), bookView{None: true, Agents: p.agentChoices(r)}
	var heard *string
	if of != nil {
		v.Agent, heard = agentValue(*of), &of.Memory
		for i := range v.Agents {
			v.Agents[i].Here = v.Agents[i].Path == v.Agent
			v.Agents[i].Path = "playbook?agent=" + url.QueryEscape(v.Agents[i].Path)
		}
	}
	b, err := p.o.Views.Book(ctx, of)
	if err != nil || b == nil {
		return v, err
	}
	uses, err := p.o.Store.Decisions.RuleUses(ctx, p.o.Now().Add(-usesWindow), heard)
	if err != nil {
		return nil, err
	}
	page := max(1, number(r.URL.Query().Get("page")))
	v.None, v.Problem, v.Page = false, b.Problem, page
	if files := p.files(of); files != nil {
		if v.Files, err = files.List(); err != nil {
			return nil, err
		}
		v.Files = v.Files[:min(len(v.Files), maxListed)]
	}
	from := min((page-1)*perPage, len(b.Rules))
	to := min(from+perPage, len(b.Rules))
	for _, rule := range b.Rules[from:to] {
		switch in := catalog.Of(ctx); {
		case rule.Canned != "":
			rule.Then = in.Say("the reply %s", rule.Canned)
		case rule.Reply != "":
			rule.Then = in.Say("say: %s", rule.Reply)
		}
		v.Rules = append(v.Rules, ruleView{rule, uses[rule.ID]})
	}
	v.Previous, v.Next = pager("playbook", about(url.Values{}, v.Agent), page, to < len(b.Rules))
	wanted := r.URL.Query().Get("journey")
	for i, j := range b.Journeys {
		shown := j.ID == wanted || wanted == "" && i == 0
		v.Journeys = append(v.Journeys, link{"playbook?" + about(url.Values{"journey": {j.ID}}, v.Agent).Encode() + "#journey", j.Name, shown})
		if shown {
			v.show(j)
		}
	}
	return v, nil
}

// shown returns the agent whose playbook an address asks for: the named one, else the
// first; nil if there is one agent.
func (p *Page) shown(r *http.Request) *Agent {
	if of := p.agentOf(r); of != nil {
		return of
	}
	if all := p.agents(); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// files returns an agent's playbook files, nil for none.
func (p *Page) files(of *Agent) *files.Folder {
	if p.o.Views.Files == nil {
		return nil
	}
	return p.o.Views.Files(of)
}

// Limits of drawing and listing a journey.
const (
	maxDrawn  = 90 // steps plus arrows
	maxListed = 60 // steps
	maxArrows = 6  // per step
	maxWhen   = 120
)

// show sets the journey to show, cut to a page's size.
func (v *bookView) show(j Journey) {
	v.More = max(0, len(j.Steps)-maxListed)
	j.Steps = slices.Clone(j.Steps[:len(j.Steps)-v.More])
	parts := len(j.Steps)
	for i := range j.Steps {
		s := &j.Steps[i]
		s.Name, s.Description = clip(s.Name, maxName), clip(s.Description, maxWhen)
		s.To = slices.Clone(s.To[:min(len(s.To), maxArrows)])
		parts += len(s.To)
		for n := range s.To {
			s.To[n].When = clip(s.To[n].When, maxWhen)
		}
	}
	v.Journey = &j
	if v.More == 0 && parts <= maxDrawn {
		p := sketch(j)
		v.Picture = &p
	}
}

// picture is a drawn journey: each step is in a row below all steps leading to it. Arrows
// to the next row go straight down; those that skip rows pass on the left, and those that
// lead back on the right.
type picture struct {
	W, H   int
	Boxes  []box
	Arrows []arrow
}

type box struct {
	X, Y  int
	Lines []string
	Step  Step
	First bool
	row   int
}

// Middle and Line position the lines of a name.
func (b box) Middle() int    { return b.X + boxWidth/2 }
func (b box) Line(i int) int { return b.Y + 20 + 16*i }

type arrow struct {
	Path, When    string
	X, Y          int // of the label
	Anchor, Label string
}

// Sizes of the picture.
const (
	boxWidth, boxHeight = 170, 46
	gapX, gapY          = 34, 58
	margin              = 12
	lane                = 12  // between parallel arrows
	side                = 220 // room for arrows and labels on one side
	labelLength         = 32
)

// sketch lays out a journey.
func sketch(j Journey) picture {
	rows := rows(j)
	left, right := margin, margin
	at, widest := map[string]box{}, 0
	for y, row := range rows {
		widest = max(widest, len(row))
		for _, s := range row {
			at[s.ID] = box{Lines: wrap(s.Name, 22, 2), Step: s, First: s.ID == j.Start, row: y}
		}
	}
	for _, from := range at {
		for _, a := range from.Step.To {
			if to, ok := at[a.To]; ok && to.row > from.row+1 {
				left = margin + side
			} else if ok && to.row <= from.row {
				right = margin + side
			}
		}
	}
	p := picture{W: left + widest*(boxWidth+gapX) - gapX + right, H: 2*margin + len(rows)*(boxHeight+gapY) - gapY}
	for y, row := range rows {
		indent := left + (widest-len(row))*(boxWidth+gapX)/2
		for x, s := range row {
			b := at[s.ID]
			b.X, b.Y = indent+x*(boxWidth+gapX), margin+y*(boxHeight+gapY)
			at[s.ID] = b
			p.Boxes = append(p.Boxes, b)
		}
	}
	p.connect(at)
	return p
}

// connect draws the arrows between placed boxes.
func (p *picture) connect(at map[string]box) {
	around := map[bool]int{} // number on the left (true) and on the right
	for _, from := range p.Boxes {
		for i, a := range from.Step.To {
			to, ok := at[a.To]
			if !ok {
				continue
			}
			if to.row == from.row+1 {
				p.Arrows = append(p.Arrows, down(from, to, i, a.When))
				continue
			}
			ahead := to.row > from.row
			p.Arrows = append(p.Arrows, p.beside(from, to, around[ahead], a.When))
			around[ahead]++
		}
	}
}

// down draws a box's i-th arrow, to the next row.
func down(from, to box, i int, when string) arrow {
	x1, y1, x2, y2 := from.X+boxWidth*(i+1)/(len(from.Step.To)+1), from.Y+boxHeight, to.Middle(), to.Y-2
	bend := (y2 - y1) / 2
	return arrow{
		Path: fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2),
		When: when, Label: clip(when, labelLength), X: (x1 + x2) / 2, Y: y1 + 20 + i%3*12, Anchor: "middle",
	}
}

// beside draws the n-th arrow around: on the left if it leads ahead, else on the right.
func (p *picture) beside(from, to box, n int, when string) arrow {
	x1, x2, out, anchor, away := from.X, to.X-2, margin+side-40-n*lane, "end", -6
	if to.row <= from.row {
		x1, x2, out, anchor, away = from.X+boxWidth, to.X+boxWidth+2, p.W-margin-side+40+n*lane, "start", 6
	}
	y1, y2 := from.Y+boxHeight/2, to.Y+boxHeight/2
	if to.row == from.row {
		y2 += lane
	}
	return arrow{
		Path: fmt.Sprintf("M%d %dH%dV%dH%d", x1, y1, out, y2, x2),
		When: when, Label: clip(when, labelLength), X: out + away, Y: (y1+y2)/2 + n*lane, Anchor: anchor,
	}
}

// rows puts every step below all steps leading to it, unreachable ones last. Arrows back
// to a step passed on the way do not count.
func rows(j Journey) (list [][]Step) {
	steps, order, place := map[string]Step{}, []string(nil), map[string]int{}
	for _, s := range j.Steps {
		steps[s.ID] = s
	}
	seen := map[string]bool{}
	var walk func(id string)
	walk = func(id string) {
		s, ok := steps[id]
		if !ok || seen[id] {
			return
		}
		seen[id] = true
		for _, a := range s.To {
			walk(a.To)
		}
		order = append(order, id)
	}
	walk(j.Start)
	slices.Reverse(order)
	for i, id := range order {
		place[id] = i
	}
	depth := map[string]int{}
	for i, id := range order {
		for _, a := range steps[id].To {
			if n, ok := place[a.To]; ok && n > i {
				depth[a.To] = max(depth[a.To], depth[id]+1)
			}
		}
		for len(list) <= depth[id] {
			list = append(list, nil)
		}
		list[depth[id]] = append(list[depth[id]], steps[id])
	}
	var lost []Step
	for _, s := range j.Steps {
		if !seen[s.ID] {
			lost = append(lost, s)
		}
	}
	if len(lost) > 0 {
		list = append(list, lost)
	}
	return list
}

// wrap breaks a name into lines at spaces.
func wrap(s string, width, most int) (lines []string) {
	for _, w := range strings.Fields(s) {
		n := len(lines)
		if n > 0 && (len(lines[n-1])+1+len(w) <= width || n == most) {
			lines[n-1] += " " + w
			continue
		}
		lines = append(lines, w)
	}
	for i := range lines {
		lines[i] = clip(lines[i], width)
	}
	return lines
}

// factView is a page of facts.
type factView struct {
	Query    string
	Agents   []link // to choose from; nil if there is one agent
	Facts    []Fact
	Edit     bool // they can be changed
	Back     string
	Previous string
	Next     string
}

func (p *Page) facts(r *http.Request) (any, error) {
	q := r.URL.Query()
	page := max(1, number(q.Get("page")))
	v := factView{Query: clip(strings.TrimSpace(q.Get("q")), 200), Agents: p.agentChoices(r)}
	var more bool
	var err error
	if v.Facts, more, err = p.o.Views.Facts(r.Context(), FactQuery{v.Query, p.agentOf(r), page}); err != nil {
		return nil, err
	}
	for i := range v.Facts {
		f := &v.Facts[i]
		f.Name, err = p.o.Store.Browse.Person(r.Context(), f.About)
		if err != nil {
			return nil, err
		}
		f.Agent = clip(p.named(catalog.Of(r.Context()), f.Agent), maxName)
		f.Text, f.About, f.Name = clip(f.Text, 800), clip(f.About, maxName), clip(f.Name, maxName)
		f.History = slices.Clone(f.History[:min(len(f.History), 5)])
		for n := range f.History {
			f.History[n].Text = clip(f.History[n].Text, maxReason)
		}
	}
	_, v.Edit = p.operation("fact-change")
	v.Back = r.URL.RawQuery
	v.Previous, v.Next = pager("facts", about(url.Values{"q": {v.Query}}, q.Get("agent")), page, more)
	return v, nil
}
