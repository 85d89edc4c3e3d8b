package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// spokenSigns are the words for signs of sums.
const spokenSigns = `% of|percent of|plus|minus|times|multiplied by|divided by|mal|geteilt durch|por|mas|menos|dividido (?:por|entre)|` +
	`fois|moins|divise par|плюс|минус|умножить на|разделить на|加|减|乘以|乘|除以`

// number is one in digits, as words of numbers are before sums are read.
const number = `[$€£]?\d[\d,]*(?:\.\d+)?`

// slots are the patterns of names in braces; a file may add its own, and any other name
// is some words.
var slots = map[string]string{
	"id":   `#?\d{1,9}`,
	"n":    number,
	"m":    number,
	"ed":   `\p{L}+ed`,
	"nick": `(?:\p{L}[\p{L}'-]{1,20})(?: \p{L}[\p{L}'-]{1,20})?`,
	"nom":  `\p{Han}{1,4}`,
	"city": `[\p{L}][\p{L} '-]{2,30}?`,
	"time": `[\p{L}\d][\p{L}\d -]{0,40}?`,
	"name": `[\p{L}\p{M}][\p{L}\p{M}'.-]*(?: [\p{L}\p{M}'.-]+){0,2}`,
	"word": `[\p{L}\p{M}'-]+`,
	"sum":  `[\d\s().,+*/x×÷^%-]*\d[\s()]*(?:[-+*/x×÷^%]|` + spokenSigns + `)(?:[\d\s().,+*/x×÷^%-]|` + spokenSigns + `)*\d[\d\s().%=]*`,
}

var slotForm = text.Pattern(`\{[^}]*\}`)

// compile makes a pattern of the shape of a phrase: words, {slots}, [what may be left
// out, with the space beside it], (one|or the other). Its groups are the names of the
// slots, each with a number of its own.
func compile(shape string, own map[string]string) (string, error) {
	r := shapeReader{shape: shape, own: own}
	out, err := r.ways()
	if err == nil && r.i < len(shape) {
		err = fmt.Errorf("%q closes nothing", shape[r.i])
	}
	return out, err
}

// shapeReader reads a shape from i on.
type shapeReader struct {
	shape string
	own   map[string]string // slots of the file
	i     int
	slots int
	depth int // of groups
}

// ways reads alternatives up to what closes them, which is left.
func (r *shapeReader) ways() (string, error) {
	var all []string
	for {
		way, err := r.way()
		if err != nil {
			return "", err
		}
		all = append(all, way)
		if r.i >= len(r.shape) || r.shape[r.i] != '|' {
			return strings.Join(all, "|"), nil
		}
		r.i++
	}
}

// way reads up to the next alternative.
func (r *shapeReader) way() (string, error) {
	var out strings.Builder
	space := false // one is to come before the next part
	edge := true   // one came, or none is needed
	put := func(part string) {
		if space && (out.Len() > 0 || r.depth > 0) { // "what('s| is)"
			out.WriteString(`\s+`)
		}
		space, edge = false, false
		out.WriteString(part)
	}
	for r.i < len(r.shape) {
		switch r.shape[r.i] {
		case '|', ')', ']':
			return out.String(), nil
		case ' ':
			r.i++
			space = true
		case '{':
			slot, err := r.slot()
			if err != nil {
				return "", err
			}
			put(slot)
		case '(':
			inner, err := r.group(')')
			if err != nil {
				return "", err
			}
			put("(?:" + inner + ")")
		case '[':
			inner, err := r.group(']')
			if err != nil {
				return "", err
			}
			switch {
			case space && out.Len() > 0 && (r.lastOptional() || r.shape[r.i] != ' '):
				space = false
				put(`(?:\s+(?:` + inner + `))?`)
			case (space || edge) && !r.lastOptional() && r.shape[r.i] == ' ':
				put(`(?:(?:` + inner + `)\s+)?`)
				r.i++
				edge = true
			default:
				put(`(?:` + inner + `)?`)
			}
		default:
			end := r.i + strings.IndexAny(r.shape[r.i:]+" ", "{[()]}| ")
			if end == r.i {
				return "", fmt.Errorf("%q closes nothing", r.shape[r.i])
			}
			put(regexp.QuoteMeta(fold(r.shape[r.i:end])))
			r.i = end
		}
	}
	return out.String(), nil
}

// group reads what stands between two marks.
func (r *shapeReader) group(closing byte) (string, error) {
	r.i++
	r.depth++
	inner, err := r.ways()
	r.depth--
	if err == nil && (r.i >= len(r.shape) || r.shape[r.i] != closing) {
		err = fmt.Errorf("%q is missing", closing)
	}
	r.i++
	return inner, err
}

// slot reads {a name}.
func (r *shapeReader) slot() (string, error) {
	found := slotForm().FindString(r.shape[r.i:])
	if found == "" || !strings.HasPrefix(r.shape[r.i:], found) || utf8.RuneCountInString(found) < 3 {
		return "", fmt.Errorf("{ is not closed")
	}
	r.i += len(found)
	name := found[1 : len(found)-1]
	pattern := cmp.Or(slots[name], r.own[name], `.+?`)
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", fmt.Errorf("{%s} is no name", name)
	}
	r.slots++ // a name may come in several ways, a group's only once
	return fmt.Sprintf("(?P<%s_%d>%s)", name, r.slots, pattern), nil
}

// lastOptional reports whether only optional parts follow in this way.
func (r *shapeReader) lastOptional() bool {
	depth := 0
	for _, c := range r.shape[min(r.i, len(r.shape)):] {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return true
			}
		case '|', ')':
			if depth == 0 {
				return true
			}
		case ' ':
		default:
			if depth == 0 {
				return false
			}
		}
	}
	return true
}
