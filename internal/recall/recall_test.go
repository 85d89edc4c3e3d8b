package recall

import "testing"

func TestWhatIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		text        string
		when, count bool
	}{
		{"When did she move?", true, false}, {"How long was it?", true, true}, {"What did he do when it rained?", false, false},
		{"How many cats has she?", false, true}, {"In which year was that?", true, false}, {"How did it go?", false, false},
	} {
		if a := ask(tt.text, nil); a.when != tt.when || a.count != tt.count {
			t.Errorf("%s: when %t, count %t", tt.text, a.when, a.count)
		}
	}
}
