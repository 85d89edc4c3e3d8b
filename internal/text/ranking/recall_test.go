package ranking

import "testing"

func TestWhatIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		text string
		when bool
	}{
		{"When did she move?", true}, {"How long was it?", true}, {"What did he do when it rained?", false},
		{"How many cats has she?", false}, {"In which year was that?", true}, {"How did it go?", false},
	} {
		if a := ask(tt.text, nil); a.when != tt.when {
			t.Errorf("%s: when %t", tt.text, a.when)
		}
	}
}
