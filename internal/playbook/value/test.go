package value

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"parley/internal/text"
)

// Test compares something known by its name. Op is "set" and "unset", which take no
// value, or =, !=, <, <=, >, >=, ~ (a pattern) and in (a list with commas).
type Test struct{ Name, Op, Value string }

var testForm = text.Pattern(`^([A-Za-z0-9_.-]+)\s*(?:(is set|is not set|set|unset)|(==|=|!=|<=|>=|<|>|~|in\b)\s*(.+))?$`)

// ParseTest reads NAME, NAME is set, NAME is not set, or NAME OP VALUE.
func ParseTest(arg string) (Test, error) {
	m := testForm().FindStringSubmatch(arg)
	if m == nil {
		return Test{}, fmt.Errorf(
			"%q is not a test of a variable: wants NAME, NAME is set, NAME is not set, or NAME with =, !=, <, <=, >, >=, ~ or in and a value", arg)
	}
	t := Test{Name: m[1], Op: m[3], Value: strings.Trim(strings.TrimSpace(m[4]), `"'`)}
	switch {
	case m[2] == "is not set" || m[2] == "unset":
		t.Op = "unset"
	case t.Op == "":
		t.Op = "set"
	case t.Op == "==":
		t.Op = "="
	}
	return t, nil
}

// Holds decides the test of a known value, as people read it. An unknown one is unset,
// and neither equal nor unequal to anything.
func (t Test) Holds(got string, known bool) bool {
	switch t.Op {
	case "set":
		return known
	case "unset":
		return !known
	case "!=":
		return known && !strings.EqualFold(got, t.Value)
	}
	return known && t.compare(got)
}

func (t Test) compare(got string) bool {
	switch t.Op {
	case "in":
		return slices.ContainsFunc(strings.Split(t.Value, ","), func(s string) bool {
			return strings.EqualFold(strings.Trim(strings.TrimSpace(s), `"'`), got)
		})
	case "~":
		re, err := Compile(t.Value) // checked at load
		return err == nil && re.MatchString(got)
	}
	order := strings.Compare(strings.ToLower(got), strings.ToLower(t.Value))
	a, okA := Number(got)
	b, okB := Number(t.Value)
	if okA && okB {
		order = cmp.Compare(a, b)
	}
	if written().MatchString(got) && written().MatchString(t.Value) { // every digit counts
		x, _ := new(big.Rat).SetString(got)
		y, _ := new(big.Rat).SetString(t.Value)
		order = x.Cmp(y)
	}
	switch t.Op {
	case "=":
		return order == 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

// String puts the test in words.
func (t Test) String() string {
	switch t.Op {
	case "set":
		return t.Name + " is set"
	case "unset":
		return t.Name + " is not set"
	}
	return t.Name + " " + t.Op + " " + t.Value
}
