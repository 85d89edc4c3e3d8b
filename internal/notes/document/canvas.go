package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// board is a canvas in the format JSON Canvas 1.0.
type board struct {
	Nodes []card
	Edges []edge
}

type card struct {
	ID, Type            string
	X, Y, Width, Height float64
	Text                string // of a text: Markdown
	File, Subpath       string // of a file: path in the vault, and "#heading"
	URL                 string // of a link
	Label               string // of a group
}

type edge struct {
	FromNode, ToNode string
	Label            string
}

// Canvas reads a canvas: a piece for each card, under the name of its group, with the
// arrows that leave it. An empty file is an empty canvas, as Obsidian makes it.
func Canvas(data []byte) (Paper, error) {
	var b board
	if len(strings.TrimSpace(string(data))) == 0 {
		return Paper{}, nil
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return Paper{}, errors.Join(ErrBroken, err)
	}
	names, groups := map[string]string{}, []card{}
	for _, c := range b.Nodes {
		names[c.ID] = c.name()
		if c.Type == "group" {
			groups = append(groups, c)
		}
	}
	arrows := map[string][]string{}
	for _, e := range b.Edges {
		if to := names[e.ToNode]; to != "" {
			arrows[e.FromNode] = append(arrows[e.FromNode], arrow(e.Label, to))
		}
	}
	cards := slices.Clone(b.Nodes)
	slices.SortStableFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(a.group(groups), b.group(groups)), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	g := &gather{}
	for _, c := range cards {
		p := Piece{Heading: c.group(groups), Text: c.body()}
		if head, rest, ok := c.headed(); ok {
			p.Heading, p.Trail, p.Text = head, p.Heading, rest
		}
		if lines := arrows[c.ID]; len(lines) > 0 && (p.Text != "" || c.name() != "") {
			if p.Text == "" {
				p.Text = c.name()
			}
			p.Text += "\n\n" + strings.Join(lines, "\n")
		} else if p.Text == "" && p.Heading != "" && c.Type == "text" {
			p.Text = p.Heading
		}
		g.add(p)
	}
	return g.Paper, nil
}

func arrow(label, to string) string {
	if label = oneLine(label); label == "" {
		return "→ " + to
	}
	return fmt.Sprintf("→ %s → %s", label, to)
}

// body returns the text of a card.
func (c card) body() string {
	switch c.Type {
	case "text":
		return c.Text
	case "file":
		return "[[" + c.File + c.Subpath + "]]"
	case "link":
		return c.URL
	case "group":
		return c.Label
	}
	return ""
}

// name returns the name of a card for arrows to it.
func (c card) name() string {
	if head, _, ok := c.headed(); ok {
		return head
	}
	first, _, _ := strings.Cut(strings.TrimSpace(c.body()), "\n")
	return oneLine(first)
}

// headed splits a card into heading and rest; ok is false if it begins with no heading.
func (c card) headed() (head, rest string, ok bool) {
	if c.Type != "text" {
		return "", "", false
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(c.Text), "\n")
	marks := strings.TrimLeft(first, "#")
	if n := len(first) - len(marks); n == 0 || n > 6 || !strings.HasPrefix(marks, " ") {
		return "", "", false
	}
	return oneLine(marks), strings.TrimSpace(rest), true
}

// group returns the label of the smallest group around the middle of a card.
func (c card) group(groups []card) (label string) {
	x, y, least := c.X+c.Width/2, c.Y+c.Height/2, math.Inf(1)
	for _, g := range groups {
		size := g.Width * g.Height
		if c.ID != g.ID && x >= g.X && x <= g.X+g.Width && y >= g.Y && y <= g.Y+g.Height && size < least {
			label, least = oneLine(g.Label), size
		}
	}
	return label
}
