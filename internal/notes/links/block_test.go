package links

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocks(t *testing.T) {
	const a, b, c, d = "60a77d63-7340-4c1d-8bbc-68bd4e49fc6c", "61110543-a71f-458d-b42e-b78a4d22f0c0", "5fc3be83-7f22-4488-b3ec-cfabb0639b3b",
		"646c1b4d-9cf2-4c8c-bb05-7f336e027ea1"
	note := "title:: x\n\n- First **line**\n  id:: " + a + "\n  collapsed:: true\n  second line\n\t- below it\n\t  card-repeats:: 4\n\t  id:: 61110543-A71F-458D-B42E-B78A4D22F0C0\n" +
		"- other\n\nA paragraph\nof two lines\nid:: " + c + "\n\n-\n  id:: " + d + "\n- id:: no\n"
	want := []Block{{a, "First **line** second line"}, {b, "below it"}, {c, "A paragraph of two lines"}}
	if diff := cmp.Diff(want, Blocks(note)); diff != "" {
		t.Error(diff)
	}
	text := "See ((" + a + ")), [this](((61110543-A71F-458D-B42E-B78A4D22F0C0))), ((" + a + ")), ((no)), {{embed ((" + c + "))}}"
	if diff := cmp.Diff([]string{a, b, c}, References(text)); diff != "" {
		t.Error(diff)
	}
	if got := Shown(text, map[string]string{a: "$1 A", b: "B"}); got != "See $1 A, [this](B), $1 A, ((no)), {{embed (("+c+"))}}" {
		t.Error(got)
	}
}
