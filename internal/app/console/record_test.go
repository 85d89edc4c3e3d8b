package console_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/docs/img/filmtest"
)

// films is where the pictures of the papers are.
const films = "../../../docs/img/"

// digest returns a sum of what decides how the page looks: its templates and styles.
func digest(t *testing.T) string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"templates/*.html", "assets/page.css", "assets/icon.svg"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("there is nothing like %s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	all := sha256.New()
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(all, "%s %d\n%s", name, len(body), body)
	}
	return fmt.Sprintf("%x\n", all.Sum(nil))
}

// TestFilmShowsThePageOfToday: the pictures of the page in the papers were made of the
// page as it is.
func TestFilmShowsThePageOfToday(t *testing.T) {
	kept, err := os.ReadFile(films + "page.digest")
	if err != nil || string(kept) != digest(t) {
		t.Errorf("docs/img/page.gif and the pictures beside it are older than the page: make recordings (%v)", err)
	}
}

// shop stores a day of one that people ask for this and that.
func (s *site) shop() {
	talks := []struct{ name, said, told string }{
		{"Carol", "When will my order arrive?", "It left on Friday and is expected on Tuesday."},
		{"David", "Do the blue mugs go in the dishwasher?", "Yes, all our mugs do, at up to 65 °C."},
		{"Erin", "Remind me on Friday to order filters", "I will remind you on Friday at 09:00."},
		{"Farid", "Which coffee do you have for a French press?", "A coarse grind: Monsoon, Harar and the house blend."},
		{"Grace", "Can I change the address of my order?", "As long as it has not left, yes. What is the new address?"},
	}
	s.hours(func(_, i int) exchange {
		talk, id := talks[i%len(talks)], fmt.Sprint("telegram:", 100+i%len(talks))
		return exchange{place: keyOf(id), who: userOf(id, talk.name), said: talk.said, told: talk.told}
	})
	s.clock.shift(-10 * time.Minute)
	s.exchange(exchange{place: keyOf("discord:1099/88"), who: userOf("discord:7", "Bob"),
		said: "what was the opening time on Sundays again?", told: "Sundays 10:00 to 16:00, says the page Opening hours."})
	s.mug()
}

// TestRecordPage makes the pictures of the page in the papers anew, in Chromium; make
// recordings runs it.
func TestRecordPage(t *testing.T) {
	if os.Getenv("PARLEY_RECORD") == "" {
		t.Skip("PARLEY_RECORD is not set")
	}
	b := newBrowser(t)
	s := newSite(t, wholeViews(), echo)
	s.shop()
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
		return b.picture()
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
		"page.gif": film, "page.digest": []byte(digest(t)), "page-overview.png": picture("/", 1280, 900, "light"),
		"page-conversation.png": picture(alice, 1280, 900, "dark"), "page-phone.png": picture(alice, 390, 844, "light"),
	} {
		if len(file) > 300<<10 {
			t.Errorf("%s has %d bytes", name, len(file))
		}
		if err := os.WriteFile(films+name, file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
