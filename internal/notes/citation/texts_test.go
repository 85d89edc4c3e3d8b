package citation

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// texts reads a file of texts: a source and answers to it, "+" right and "-" wrong.
func texts(t *testing.T, file string, each func(language, source, answer string, right bool)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	language, source := "", ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch kind, rest, _ := strings.Cut(lines.Text(), " "); kind {
		case "##":
			language, source, _ = strings.Cut(rest, " ")
		case "+", "-":
			each(language, source, rest, kind == "+")
		}
	}
}

// bare makes passages of mere words.
func bare(texts ...string) (list []Passage) {
	for _, t := range texts {
		list = append(list, Passage{Text: t})
	}
	return list
}

// Right answers stay as they are, and at least nine of ten wrong ones are noted.
func TestTexts(t *testing.T) {
	for _, file := range []string{"testdata/texts.txt", "testdata/held.txt"} {
		t.Run(file, func(t *testing.T) { played(t, file) })
	}
}

func played(t *testing.T, file string) {
	right, altered, flagged, wrong, caught := 0, 0, 0, 0, 0
	texts(t, file, func(language, source, answer string, is bool) {
		c := Check(answer, bare(source))
		left := strings.ReplaceAll(c.Text, " "+AbsentNote, "")
		switch {
		case is:
			right++
			if left != answer {
				altered++
				t.Logf("%s altered: %q became %q", language, answer, left)
			}
			if c.Absent+len(c.Unsure)+c.Unchecked > 0 {
				flagged++
				t.Logf("%s right, and noted: %q %q", language, c.Text, c.Unsure)
			}
		default:
			wrong++
			if c.Absent > 0 {
				caught++
			} else {
				t.Logf("%s wrong, and not noted: %q", language, c.Text)
			}
		}
	})
	t.Logf("of %d right answers %d altered, %d noted; of %d wrong ones %d noted", right, altered, flagged, wrong, caught)
	if altered > 0 || flagged*50 > right || caught*10 < wrong*9 {
		t.Error("worse than promised: none altered, 2 % noted, 90 % caught")
	}
}
