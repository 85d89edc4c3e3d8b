package sessions

import (
	"fmt"
	"strings"
	"testing"
)

// Lines that code chose, however many numbers they have, push none off the page that a
// summarizer chose.
func TestWhatWasChosenStaysOnThePage(t *testing.T) {
	page := Page(nil, Line{Text: "the dog is called rex", Kept: true})
	for i := range 80 {
		page = Page(page, Line{Text: fmt.Sprintf("Anna: on %d May 2026 I paid %d euros to Mr Smith%d in Vienna.", 1+i%28, 100*i, i)})
	}
	if text := Text(page); !strings.Contains(text, "rex") || strings.Count(text, "Smith") < 10 {
		t.Error(text)
	}
}
