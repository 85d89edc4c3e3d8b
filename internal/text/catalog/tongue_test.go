package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

func TestHeard(t *testing.T) {
	for said, want := range map[string]string{
		"remind me tomorrow to call Anna":      "en",
		"hello":                                "en",
		"What do you know about me?":           "en",
		"Erinnere mich morgen an den Zahnarzt": "de",
		"hallo":                                "de",
		"was kannst du?":                       "de",
		"hola":                                 "es",
		"¿Qué sabes de mí?":                    "es",
		"recuérdame mañana llamar a Ana":       "es",
		"bonjour":                              "fr",
		"Qu’est-ce que tu sais de moi ?":       "fr",
		"привет":                               "ru",
		"напомни мне завтра позвонить Анне": "ru",
		"你好":                            "zh",
		"十分钟后提醒我喝水":                     "zh",
		"ok":                            "",
		"/tasks":                        "",
		"2 + 2":                         "",
		"Anna Karenina":                 "",
		"func main() { fmt.Println() }": "",
		"":                              "",
		"こんにちは":                         "",
		"Olá, tudo bem com você?":       "",
	} {
		p, tells := catalog.Heard(said)
		got := p.Tag()
		if tells == catalog.Nothing {
			got = ""
		}
		if got != want {
			t.Errorf("Heard(%q) = %q, want %q", said, got, want)
		}
	}
}

// A word tells less than a sentence.
func TestHowMuchIsHeard(t *testing.T) {
	for said, want := range map[string]int{"yo": catalog.Word, "die": catalog.Word, "ja": catalog.Word, "好": catalog.Word,
		"kannst du das?": catalog.Some, "what time is it?": catalog.Much, "show my tasks": catalog.Some, "Anna": catalog.Nothing,
		"Erinnere mich bitte morgen an die Milch": catalog.Much, "十分钟后提醒我喝水": catalog.Much} {
		if _, got := catalog.Heard(said); got != want {
			t.Errorf("%q tells %d, want %d", said, got, want)
		}
	}
	if p, _ := catalog.Heard("tell me 1250 as 1.25k"); p.Tag() != catalog.English {
		t.Errorf("English is heard as %s", p.Tag())
	}
}

func TestFor(t *testing.T) {
	for tag, want := range map[string]string{"de": "de", "de-AT": "de", "zh_Hans-CN": "zh", "ZH-TW": "zh", "en-GB": "en",
		"pt-BR": "", "": "", "nds": ""} {
		p, known := catalog.For(tag)
		if known != (want != "") || known && p.Tag() != want {
			t.Errorf("For(%q) = %q, %v; want %q", tag, p.Tag(), known, want)
		}
	}
	for name, want := range map[string]string{"Deutsch": "de", "german": "de", "中文": "zh", "EN": "en", "русский": "ru", "klingon": ""} {
		p, known := catalog.Named(name)
		if known != (want != "") || known && p.Tag() != want {
			t.Errorf("Named(%q) = %q, %v; want %q", name, p.Tag(), known, want)
		}
	}
}

func TestSay(t *testing.T) {
	de, _ := catalog.For("de")
	ru, _ := catalog.For("ru")
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	noNote := text.Tell("there is no such note")
	for _, tt := range []struct{ got, want string }{
		{de.Say("Page %d of %d", 3, 4), "Seite 3 von 4"},
		{de.Say("no catalog has this %s", "one"), "no catalog has this one"},
		{catalog.Printer{}.Say("Page %d of %d", 3, 4), "Page 3 of 4"},
		{de.Many(1, "day"), "1 Tag"}, {de.Many(2, "day"), "2 Tage"},
		{ru.Many(1, "day"), "1 день"}, {ru.Many(22, "day"), "22 дня"}, {ru.Many(11, "day"), "11 дней"},
		{de.Many(2, "flux capacitor"), "2 flux capacitors"},
		{de.Ago(now, now.Add(-72*time.Hour)), "vor 3 Tagen"},
		{de.Ago(now, now.Add(-5*time.Minute)), "vor 5 min"},
		{de.Time(now, "2 January 2006 15:04"), "9. März 2026, 12:00"},
		{de.Time(now.AddDate(0, 0, 3), "Monday"), "Donnerstag"},
		{de.Time(now, "Monday, 2 January"), "Montag, 9. März"},
		{fmt.Sprint(catalog.Sentence(catalog.With(context.Background(), de), fmt.Errorf("read: %w", text.Instead(noNote,
			noNote, "This bot already has an owner.")))),
			"Dieser Bot hat schon einen Besitzer.true"},
		{fmt.Sprint(de.Sentence(errors.New("disk"))), "false"},
		{de.Say("Invalid: %v", catalog.Words("Yes")), "Invalid: Ja"},
		{de.Say("Invalid: %v", catalog.Count{N: 2, Thing: "day"}), "Invalid: 2 Tage"},
		{fmt.Sprintf("Invalid: %v", catalog.Count{N: 2, Thing: "day"}), "Invalid: 2 days"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
