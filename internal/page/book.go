package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/memory"
)

// usesWindow is how far back rules are counted.
const usesWindow = 7 * 24 * time.Hour

// bookView is the playbook with how often its rules came up.
type bookView struct {
	None     bool
	Problem  string
	Rules    []ruleView
	Journeys []link
	Journey  *Journey
	Picture  picture
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
	b, err := p.o.Views.Book(ctx)
	if err != nil || b == nil {
		return bookView{None: true}, err
	}
	uses, err := p.o.Store.RuleUses(ctx, p.o.Now().Add(-usesWindow))
	if err != nil {
		return nil, err
	}
	v := bookView{Problem: b.Problem}
	page := max(1, number(r.URL.Query().Get("page")))
	from := min((page-1)*perPage, len(b.Rules))
	to := min(from+perPage, len(b.Rules))
	for _, rule := range b.Rules[from:to] {
		v.Rules = append(v.Rules, ruleView{rule, uses[rule.ID]})
	}
	v.Previous, v.Next = pager("/playbook", url.Values{}, page, to < len(b.Rules))
	wanted := r.URL.Query().Get("journey")
	for i, j := range b.Journeys {
		shown := j.ID == wanted || wanted == "" && i == 0
		v.Journeys = append(v.Journeys, link{"/playbook?journey=" + url.QueryEscape(j.ID) + "#journey", j.Name, shown})
		if shown {
			v.Journey, v.Picture = &j, sketch(j)
		}
	}
	return v, nil
}

// picture is a journey drawn: steps in rows, each as far from the start as it
// takes to get there, and arrows between them.
type picture struct {
	W, H   int
	Boxes  []box
	Arrows []arrow
}

type box struct {
	X, Y, W, H int
	Lines      []string
	Step       Step
	First      bool
}

type arrow struct {
	Path, When string
	X, Y       int
	Label      string
}

// Sizes of the picture.
const (
	boxWidth, boxHeight = 170, 46
	gapX, gapY          = 34, 54
	margin              = 12
	backRoom            = 90 // to the right, for arrows that lead back
)

// sketch lays a journey out.
func sketch(j Journey) picture {
	rows := ranks(j)
	widest, at := 0, map[string]box{}
	for _, row := range rows {
		widest = max(widest, len(row))
	}
	p := picture{W: 2*margin + widest*boxWidth + (widest-1)*gapX + backRoom, H: 2*margin + len(rows)*boxHeight + (len(rows)-1)*gapY}
	for y, row := range rows {
		left := margin + (widest-len(row))*(boxWidth+gapX)/2
		for x, s := range row {
			b := box{X: left + x*(boxWidth+gapX), Y: margin + y*(boxHeight+gapY), W: boxWidth, H: boxHeight, Step: s, First: s.ID == j.Start}
			b.Lines = wrap(s.Name, 22, 2)
			at[s.ID] = b
			p.Boxes = append(p.Boxes, b)
		}
	}
	for _, from := range p.Boxes {
		for i, a := range from.Step.To {
			if to, ok := at[a.To]; ok {
				p.Arrows = append(p.Arrows, connect(from, to, a.When, p.W, spread(i, len(from.Step.To))))
			}
		}
	}
	return p
}

// spread puts the i-th of n arrows at its place along the edge of a box.
func spread(i, n int) int { return boxWidth * (i + 1) / (n + 1) }

// connect draws an arrow: down to a later row, or around the right side back.
func connect(from, to box, when string, width, exit int) arrow {
	a := arrow{When: cmp.Or(when, "always"), Label: clip(when, 30)}
	x1, y1, x2, y2 := from.X+exit, from.Y+from.H, to.X+to.W/2, to.Y
	if to.Y > from.Y {
		bend := (y2 - y1) / 2
		a.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, y1+bend, x2, y2-bend, x2, y2-2)
		a.X, a.Y = (x1+x2)/2, y1+bend
		return a
	}
	x1, y1, x2, y2 = from.X+from.W, from.Y+from.H/2, to.X+to.W, to.Y+to.H/2+8
	out := width - margin - 20
	a.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, out, y1, out, y2, x2+3, y2)
	a.X, a.Y = out-30, (y1+y2)/2
	return a
}

// ranks orders steps into rows by their distance from the start; what cannot
// be reached comes last.
func ranks(j Journey) [][]Step {
	steps := map[string]Step{}
	for _, s := range j.Steps {
		steps[s.ID] = s
	}
	seen := map[string]bool{}
	var rows [][]Step
	for row := []string{j.Start}; len(row) > 0; {
		var now []Step
		var next []string
		for _, id := range row {
			s, ok := steps[id]
			if !ok || seen[id] {
				continue
			}
			seen[id] = true
			now = append(now, s)
			for _, a := range s.To {
				next = append(next, a.To)
			}
		}
		if len(now) > 0 {
			rows = append(rows, now)
		}
		row = next
	}
	var lost []Step
	for _, s := range j.Steps {
		if !seen[s.ID] {
			lost = append(lost, s)
		}
	}
	if len(lost) > 0 {
		rows = append(rows, lost)
	}
	return rows
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
	Facts    []Fact
	Previous string
	Next     string
}

func (p *Page) facts(r *http.Request) (any, error) {
	q := r.URL.Query()
	page := max(1, number(q.Get("page")))
	v := factView{Query: clip(strings.TrimSpace(q.Get("q")), 200)}
	var more bool
	var err error
	if v.Facts, more, err = p.o.Views.Facts(r.Context(), v.Query, page); err != nil {
		return nil, err
	}
	for i := range v.Facts {
		f := &v.Facts[i]
		f.Text = clip(f.Text, 1000)
		f.History = f.History[:min(len(f.History), 10)]
		for n := range f.History {
			f.History[n].Text = clip(f.History[n].Text, 300)
		}
	}
	v.Previous, v.Next = pager("/facts", url.Values{"q": {v.Query}}, page, more)
	return v, nil
}

func (p *Page) settings(*http.Request) (any, error) { return p.o.Views.Settings(), nil }

// Middle and Line say where the lines of a name stand.
func (b box) Middle() int    { return b.X + b.W/2 }
func (b box) Line(i int) int { return b.Y + 20 + 16*i }
