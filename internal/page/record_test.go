package page_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"
	"time"

	"parley/internal/filmtest"
)

// films is where the pictures of the papers are.
const films = "../../docs/img/"

// TestRecordPage makes the pictures of the page in the papers anew, in Chromium; make
// recordings runs it.
func TestRecordPage(t *testing.T) {
	if os.Getenv("PARLEY_RECORD") == "" {
		t.Skip("PARLEY_RECORD is not set")
	}
	b := newBrowser(t)
	s := newSite(t, wholeViews(), echo)
	s.fill()
	s.visitors()
	s.withRules()
	_, turn := s.asked()
	b.open(s.link())
	b.key("Enter")
	b.until(`location.pathname === "/" && !!document.querySelector(".charts svg")`)
	picture := func(path string, width, height int, scheme string) []byte {
		b.look(width, height, scheme)
		b.open(s.url + path)
		b.eval(`document.querySelector("details.account")?.setAttribute("open", "")`)
		var r struct{ Data string }
		_ = json.Unmarshal(b.do("Page.captureScreenshot", map[string]any{"format": "png"}), &r)
		png, err := base64.StdEncoding.DecodeString(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		return png
	}
	const alice = "/conversation?place=telegram:42"
	var slides [][]byte
	for _, path := range []string{"/", "/conversations", alice, turn, "/rules/shop.yaml", "/people"} {
		slides = append(slides, picture(path, 1100, 760, "light"))
	}
	film, err := filmtest.Slides(slides, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"page.gif": film, "page-overview.png": picture("/", 1280, 900, "light"), "page-conversation.png": picture(alice, 1280, 900, "dark"), "page-phone.png": picture(alice, 390, 844, "light"),
	} {
		if len(file) > 300<<10 {
			t.Errorf("%s has %d bytes", name, len(file))
		}
		if err := os.WriteFile(films+name, file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
