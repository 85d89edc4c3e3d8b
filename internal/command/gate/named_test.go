package gate

import (
	"fmt"
	"testing"
)

// Free text before options that are only named takes the rest of the line.
func TestNamedOptions(t *testing.T) {
	options := []Option{{Name: "query"}, {Name: "tag", Named: true}, {Name: "when", Named: true}, {Name: "page", Kind: Number, Named: true}}
	for text, want := range map[string]string{
		"red car":                      "map[query:red car]",
		"red car tag:x":                "map[query:red car tag:x]",
		"red car tag:x page:2":         "map[page:2 query:red car tag:x]",
		"tag:x red car":                "map[query:red car tag:x]",
		`when:"last week" red`:         "map[query:red when:last week]",
		`red when:"last week"`:         `map[query:red when:"last week"]`,
		"tag:x":                        "map[tag:x]",
		"see http://x.org for details": "map[query:see http://x.org for details]",
	} {
		if got, err := arguments(options, text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
