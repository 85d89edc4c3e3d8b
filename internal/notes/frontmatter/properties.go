package frontmatter

import (
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	whole "parley/internal/text"
	"parley/internal/text/yamldoc"
)

// Bounds of the properties of one note.
const (
	maxProperties = 500
	maxKey        = 200 // characters
	maxValue      = 500 // characters
	maxKeyDepth   = 4   // keys below each other
)

// Property is a value at the head of a note under a lower-case key, such as "phone".
type Property struct{ Key, Value string }

// property adds the values of a key. Keys below it are joined with dots.
func (f *Matter) property(key string, n ast.Node, depth int) {
	below := pairs(n)
	if depth < maxKeyDepth {
		for _, pair := range below {
			f.property(key+"."+strings.ToLower(pair.Key.String()), pair.Value, depth+1)
		}
	}
	for _, v := range scalars(n) {
		if v != "" && len(f.Properties) < maxProperties {
			f.Properties = append(f.Properties, Property{whole.Clip(key, maxKey), whole.Clip(v, maxValue)})
		}
	}
}

// scalars returns the plain value of a node, or those of a list.
func scalars(n ast.Node) (values []string) {
	nodes := []ast.Node{n}
	if seq, ok := n.(*ast.SequenceNode); ok {
		nodes = seq.Values
	}
	for _, n := range nodes {
		if value, ok := yamldoc.Scalar(n); ok {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// Text returns the properties as lines of text for the index, or Unread.
func (f *Matter) Text() string {
	text, last := "", ""
	for _, p := range f.Properties {
		if p.Key == last {
			text += ", " + p.Value
			continue
		}
		text, last = text+"\n"+p.Key+": "+p.Value, p.Key
	}
	if f.Properties == nil {
		return f.Unread
	}
	return strings.TrimPrefix(text, "\n")
}

// dayKeys are the keys for the date of a note, in several languages. The first in this
// list counts.
var dayKeys = strings.Fields("date day datum dato fecha data jour дата 日期 日付 날짜 created creado erstellt créé creato criado создано")

var (
	dayForm   = whole.Pattern(`(?:^|\D)((?:19|20)\d\d)([-_./]?)(0[1-9]|1[0-2])(?:([-_./]?)(0[1-9]|[12]\d|3[01]))?(?:\D|$)`)
	dottedDay = whole.Pattern(`^(\d\d?)[./](\d\d?)[./]((?:19|20)\d\d)\b`)
)

// Day returns the date of a note, from its name or else its properties, in days since
// 1970; 0 for none. A month counts as its first day.
func Day(name string, properties []Property) int {
	if day := dayIn(path.Base(name)); day != 0 {
		return day
	}
	for _, key := range dayKeys {
		for _, p := range properties {
			if day := dayIn(p.Value); p.Key == key && day != 0 {
				return day
			}
		}
	}
	return 0
}

func dayIn(s string) int {
	if m := dottedDay().FindStringSubmatch(s); m != nil {
		s = m[3] + "-" + ("0" + m[2])[len(m[2])-1:] + "-" + ("0" + m[1])[len(m[1])-1:]
	}
	m := dayForm().FindStringSubmatch(s)
	if m == nil || m[5] == "" && m[2] != "-" || m[5] != "" && m[2] != m[4] { // 202605 is a number
		return 0
	}
	if m[5] == "" {
		m[5] = "01"
	}
	t, err := time.Parse(time.DateOnly, m[1]+"-"+m[3]+"-"+m[5])
	if err != nil {
		return 0
	}
	return int(t.Unix() / SecondsOfDay)
}

// SecondsOfDay converts the result of Day to Unix time.
const SecondsOfDay = 24 * 60 * 60
