package main

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestModelIsToldTheLanguage: that which somebody chose, even English, or which is
// known to be another; of everybody else nothing, so that their prompt does not grow.
func TestModelIsToldTheLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	told := func(chat int64, language string) string {
		t.Helper()
		u := telegramtest.Text(chat, chat, "ok")
		u.Message.From.Language = language
		n, calls := len(w.tg.Sent()), len(w.llm.Requests())
		w.tg.Push(u)
		w.sent(t, n+1)
		return wholePrompt(w.llm.Requests()[calls])
	}
	const theirs, chose = "Their language is", "Answer in "
	for _, english := range []string{"", "en", "ja"} {
		if got := told(42, english); strings.Contains(got, theirs) || strings.Contains(got, chose) {
			t.Errorf("of somebody with the language %q it is told\n%s", english, got)
		}
	}
	if got := told(43, "fr"); !strings.Contains(got, theirs+" French.") {
		t.Errorf("told\n%s", got)
	}
	w.say(t, 43, "/language de")
	if got := told(43, "fr"); !strings.Contains(got, chose+"German, whatever language they write") {
		t.Errorf("told\n%s", got)
	}
	w.say(t, 43, "/language en")
	if got := told(43, "fr"); !strings.Contains(got, chose+"English") {
		t.Errorf("told\n%s", got)
	}
	w.say(t, 43, "/language auto")
	if got := told(43, "fr"); !strings.Contains(got, theirs+" French.") || strings.Contains(got, chose) {
		t.Errorf("told\n%s", got)
	}
}

// TestStatusInTheLanguageOfTheOwner: each part of the bot is named in it.
func TestStatusInTheLanguageOfTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_VAULT_DIR="+copyNotes(t))
	w.run(t)
	w.say(t, 1, "/language de")
	got := w.say(t, 1, "/status")
	for _, want := range []string{"telegram: empfängt", "Datenbank: in Ordnung", "gerade: in Arbeit: ", "Dokument",
		"Zeitplan ", "läuft seit: "} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, english := range []string{"receiving", "at work", "section", "last ", "not yet"} {
		if strings.Contains(got, english) {
			t.Errorf("has %q", english)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestStartSpeaksTheLanguageOfTheMachine: and English where programs read the log.
func TestStartSpeaksTheLanguageOfTheMachine(t *testing.T) {
	for _, tt := range []struct {
		format string
		want   []string
	}{
		{"text", []string{"Modell: test bei http", "Die Daten liegen in ", "Seite: keine; ", "Besitzer: telegram:1.",
			"Telegram: empfängt als @parley_bot. Öffne https://t.me/parley_bot"}},
		{"json", []string{"Model: test at http", "Its data is in ", "Page: none", "Owner: telegram:1.",
			"Telegram: receiving as @parley_bot. Open https://t.me/parley_bot"}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			t.Setenv("LC_ALL", "de_DE.UTF-8")
			w := newWorld(t, "BOT_LOG_FORMAT="+tt.format)
			w.run(t)
			for _, want := range tt.want {
				eventually(t, want, func() bool { return strings.Contains(w.log.String(), want) })
			}
		})
	}
}

// TestInitInTheLanguageOfTheMachine: its questions, what it finds out, and what is
// wrong, to the end.
func TestInitInTheLanguageOfTheMachine(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	english := []string{"Enter takes", "Who answers", "the token of", "is written", "looks whether", "answers (", "Who owns"}
	w := newWorld(t)
	w.dc.Flags(0)
	out, code := w.asked(t, w.llm.URL()+" sk-test-12345 test", "Telegram discord", w.tg.Token(), "42", discordtest.Token, "", "nein")
	for _, want := range []string{"Ein paar Fragen", "Wer antwortet?", "test antwortet (", "Das ist das Token von @parley_bot",
		"der Bot darf keine Nachrichten lesen", "ist geschrieben; nur du", "prüft, ob alles stimmt", "Jetzt starten"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, not := range english {
		if strings.Contains(out, not) {
			t.Errorf("has %q", not)
		}
	}
	if code != 0 || t.Failed() {
		t.Fatalf("exit %d:\n%s", code, out)
	}
	for _, tt := range []struct {
		answers []string
		want    string
	}{
		{[]string{"http://127.0.0.1:1/v1 - test"}, "bei 127.0.0.1:1 lauscht nichts"},
		{[]string{w.llm.URL() + " sk-test-12345 gpt-0", "terminal"}, "hat das Modell gpt-0 nicht"},
		{[]string{"zzz"}, "ich erkenne nicht, von wem dieser Schlüssel ist"},
		{[]string{"", "signal"}, "ich kenne telegram, discord, matrix, terminal, nicht"},
		{[]string{"", "telegram", "abc"}, "das ist kein Token von Telegram"},
	} {
		w.file = ""
		if out, code := w.asked(t, tt.answers...); code == 0 || !strings.Contains(out, "bot: ") || !strings.Contains(out, tt.want) {
			t.Errorf("%q: exit %d, want %q:\n%s", tt.answers, code, tt.want, out)
		}
	}
}

// TestQuestionInAnotherLanguage: a question that waits is not repeated in the language that
// somebody has just left, also by the next process; a yes in words still answers it, and one
// asked after that is repeated as it was asked.
func TestQuestionInAnotherLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	child := w.start(t)
	asks := func(task, question string) {
		t.Helper()
		w.llm.Queue(callTool("delete_task", `{"id":`+task+`}`))
		if got := w.say(t, 42, "delete it"); !strings.Contains(got, question) {
			t.Fatalf("asked %q", got)
		}
	}
	for _, task := range []string{"milk", "bread"} {
		w.say(t, 42, "/tasks add "+task)
	}
	asks("1", `Delete the task "milk"?`)
	if got := w.say(t, 42, "/language de"); strings.Contains(got, "Delete the task") || strings.Contains(got, "waiting") ||
		!strings.Contains(got, "Ich warte noch auf dein Ja oder Nein zu meiner Frage oben") {
		t.Errorf("reminded %q", got)
	}
	w.settled(t)
	kill(child)
	w.start(t)
	if got := w.say(t, 42, "Und sonst?"); strings.Contains(got, "Delete the task") || !strings.Contains(got, "meiner Frage oben") {
		t.Errorf("reminded again %q", got)
	}
	w.llm.Queue(llmtest.Turn{Text: "Die Milch ist weg."})
	if got := w.say(t, 42, "ja"); !strings.Contains(got, "Die Milch ist weg.") {
		t.Errorf("after a yes %q", got)
	}
	if got := w.say(t, 42, "/tasks"); strings.Contains(got, "milk") || !strings.Contains(got, "bread") {
		t.Errorf("left are %q", got)
	}
	asks("2", "bread")
	if got := w.say(t, 42, "Und sonst?"); strings.Count(got, "bread") != 1 || !strings.Contains(got, "dein Ja oder Nein:") {
		t.Errorf("reminded %q", got)
	}
}

// TestLanguageIsHeard: somebody whose platform tells nothing is answered in what they write:
// another language from two messages or a long one on, never from a word. A message that is
// handled twice counts once, and the next process goes on where this one was.
func TestLanguageIsHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	child := w.start(t)
	again := func() {
		t.Helper()
		w.settled(t)
		kill(child)
		child = w.start(t)
	}
	speaks := func(want string) {
		t.Helper()
		if got, _, _ := strings.Cut(w.say(t, 42, "/language"), "\n"); !strings.Contains(got, want) {
			t.Fatalf("want %s: %q", want, got)
		}
	}
	for _, said := range []string{"What do you know about me?", "yo", "die", "ja", "好", "tell me 1250 as 1.25k"} {
		w.say(t, 42, said)
		speaks("English")
	}
	held := make(chan struct{})
	for range 4 { // more than are asked for at once
		w.llm.Queue(llmtest.Turn{Text: "Das war es.", Held: held})
	}
	n, calls := len(w.in(42)), len(w.llm.Requests())
	w.tg.Push(telegramtest.Text(42, 42, "und was noch?"))
	eventually(t, "the model is asked", func() bool {
		return slices.ContainsFunc(w.llm.Requests()[calls:], func(r llmtest.Request) bool {
			return strings.Contains(string(r.Raw), "und was noch?")
		})
	})
	kill(child)
	close(held)
	child = w.start(t)
	w.sentTo(t, 42, n)
	speaks("English") // it was handled twice
	again()
	w.say(t, 42, "ja")
	speaks("English")
	w.say(t, 42, "ist das gut?")
	speaks("Deutsch")
	w.say(t, 42, "what is this?")
	speaks("Deutsch")
	again()
	w.say(t, 42, "can you do it?")
	speaks("English")
	w.say(t, 42, "Kannst du mir bitte auch noch sagen, wie das Wetter morgen ist?")
	speaks("Deutsch")
}
