package tools

import (
	"bytes"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"title":"a"}`, `{"title":"a","size":1e999}`, `{"title":null}`, `{"title":"a","tags":["x",null]}`,
		`{`, `[]`, `{"a":1,"a":2}`,
		`{"title":"\ud800"}`, `{"title":"a","session":{"x":[[[1]]]}}`, `{"title":"a","size":3.0}`, "\xff", `{"title":"a"} x`, `-0`, `{"":""}`} {
		f.Add([]byte(s))
	}
	set := noteTool(plain("note"), echo)
	args := set.entries[0].args()
	f.Fuzz(func(t *testing.T, raw []byte) {
		clean, _, err := args.parse(raw)
		if err != nil {
			if err.Error() == "" || len(err.Error()) > 8000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		again, dropped, err := args.parse(clean)
		if err != nil || !bytes.Equal(again, clean) || len(dropped) > 0 {
			t.Errorf("%q is clean, then %q, %v, %v", clean, again, dropped, err)
		}
		var r Runner
		if o := r.Run(t.Context(), set, Call{Name: "note", Args: raw}); o.State != Success && o.Class != Invalid {
			t.Errorf("%q: %+v", raw, o)
		}
	})
}
