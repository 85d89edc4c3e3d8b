package document

import (
	"errors"
	"strings"
	"testing"
)

func TestCanvas(t *testing.T) {
	got, err := Canvas([]byte(`{"nodes":[
		{"id":"g","type":"group","x":0,"y":0,"width":500,"height":500,"label":"Trip"},
		{"id":"i","type":"group","x":10,"y":10,"width":100,"height":100,"label":"Food"},
		{"id":"b","type":"text","x":200,"y":200,"width":50,"height":50,"text":"Book the **hotel** #travel"},
		{"id":"a","type":"text","x":20,"y":20,"width":50,"height":50,"text":"# Ramen\n\nOpens at 11"},
		{"id":"f","type":"file","x":900,"y":0,"width":50,"height":50,"file":"People/Anna.md","subpath":"#Phone"},
		{"id":"u","type":"link","x":900,"y":90,"width":50,"height":50,"url":"https://example.org"},
		{"id":"e","type":"text","x":900,"y":190,"width":50,"height":50,"text":""},
		{"id":"n","type":"new kind","x":0,"y":0,"width":5,"height":5}],
		"edges":[{"id":"1","fromNode":"b","toNode":"a","label":"near"},{"id":"2","fromNode":"b","toNode":"f"},{"id":"3","fromNode":"b","toNode":"gone"}]}`))
	want := "0|||Trip\n0|||[[People/Anna.md#Phone]]\n0|||https://example.org\n0|Food|Ramen|Opens at " +
		"11\n0||Trip|Food\n0||Trip|Book the **hotel** #travel¶¶→ near → Ramen¶→ [[People/Anna.md#Phone]]\n"
	if err != nil || shown(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, shown(got), want)
	}
	for _, empty := range []string{"", " \n", "{}", `{"nodes":[],"edges":[]}`} {
		if got, err := Canvas([]byte(empty)); err != nil || len(got.Pieces) > 0 {
			t.Errorf("%q: %v, %+v", empty, err, got)
		}
	}
	for _, broken := range []string{"x", `{"nodes":`, `[]`, `{"nodes":[{"x":"far"}]}`, strings.Repeat("[", 1_000_000)} {
		if _, err := Canvas([]byte(broken)); !errors.Is(err, ErrBroken) {
			t.Errorf("%.40q: %v", broken, err)
		}
	}
}
