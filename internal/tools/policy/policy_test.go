package policy

import (
	"testing"
)

// TestClosestPolicy: a tool's own name counts before a pattern, and a longer
// pattern before a shorter one.
func TestClosestPolicy(t *testing.T) {
	list := List{{Name: "*", Ask: "outside"}, {Name: "files__*", Ask: "always"}, {Name: "files__read*", Ask: "never"},
		{Name: "files__read_secret", Who: "owner"}}
	for tool, want := range map[string]string{"add_task": "*", "files__write": "files__*", "files__read_all": "files__read*",
		"files__read_secret": "files__read_secret"} {
		if p, _ := list.For(tool); p.Name != want {
			t.Errorf("%s: %s, want %s", tool, p.Name, want)
		}
	}
	if _, ok := List(nil).For("x"); ok {
		t.Error("a policy of nothing")
	}
}
