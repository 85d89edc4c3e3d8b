package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestStartSaysWhatItIs: who starts the bot learns the version, where its data is,
// under which name it receives, where its page is, who owns it, and what to type.
func TestStartSaysWhatItIs(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.withPort(t)
	w.run(t)
	for _, want := range []string{
		". Its data is in " + w.dir, "Page: http://127.0.0.1:", "Owner: telegram:1.",
		"Telegram: receiving as @parley_bot. Open https://t.me/parley_bot and write", "Discord: receiving as parley. ",
	} {
		eventually(t, want, func() bool { return strings.Contains(w.log.String(), want) })
	}
	if strings.Contains(w.log.String(), "login?code=") {
		t.Error("a log keeps a way in to the page")
	}
}

// TestClaimByTheLinkOfTheStart: pressing Start behind the link makes the first person
// the owner, and nobody after them.
func TestClaimByTheLinkOfTheStart(t *testing.T) {
	w := newWorld(t)
	w.env = append(slices.DeleteFunc(w.env, func(e string) bool { return strings.HasPrefix(e, "BOT_ACCESS_OWNERS=") }),
		"BOT_ACCESS_MODE=pairing")
	w.run(t)
	link := regexp.MustCompile(`https://t\.me/parley_bot\?start=(\S+) and press Start`)
	eventually(t, "the link", func() bool { return link.MatchString(w.log.String()) })
	code := link.FindStringSubmatch(w.log.String())[1]
	if got := w.saying(t, 7, 7, "hello"); !strings.Contains(got, "Nobody owns me yet") || strings.Contains(got, "/pair") {
		t.Errorf("before: %q", got)
	}
	if got := w.saying(t, 8, 8, "/start AAAAA-AAAAA"); !strings.Contains(got, "does not work") {
		t.Errorf("a wrong code: %q", got)
	}
	if got := w.saying(t, 7, 7, "/start "+code); !strings.Contains(got, "You own this bot now") {
		t.Errorf("the link: %q", got)
	}
	if got := w.saying(t, 8, 8, "/start "+code); strings.Contains(got, "You own") {
		t.Errorf("the link again, by another: %q", got)
	}
}

// TestEachMessageHasALineInTheLog: who, where, how it ended and how long it took,
// and nothing of what was said.
func TestEachMessageHasALineInTheLog(t *testing.T) {
	w := newWorld(t).onDiscord()
	w.serve(t)
	w.saying(t, 5, 5, "plum pudding")
	w.dc.Message("", "600", "77", "plum pudding")
	for _, want := range []string{"msg=message from=telegram:5 in=telegram:5 outcome=answered took=",
		"from=discord:77 in=discord:600 outcome=answered took="} {
		eventually(t, want, func() bool { return strings.Contains(w.log.String(), want) })
	}
	if strings.Contains(w.log.String(), "plum") {
		t.Errorf("the log repeats what was said:\n%s", w.log.String())
	}
}

// TestLogsExplainANumber: the number in an answer leads to what broke.
func TestLogsExplainANumber(t *testing.T) {
	w := newWorld(t)
	w.llm.Respond(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Status: http.StatusBadRequest, Body: `{"error":{"message":"the frobnicator is off"}}`}
	})
	w.run(t)
	answer := w.saying(t, 1, 1, "hello")
	id := regexp.MustCompile(`\b[A-Z2-7]{8}\b`).FindString(answer)
	if id == "" {
		t.Fatalf("no number in %q", answer)
	}
	if out, code := w.call(t, "logs", strings.ToLower(id)); code != 0 || !strings.Contains(out, "the frobnicator is off") ||
		!strings.Contains(out, "telegram:1") || !strings.Contains(out, "What to do: ") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, code := w.call(t, "logs"); code != 0 || !strings.Contains(out, id) {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, code := w.call(t, "logs", "ABCDEFGH"); code != exitFailure || !strings.Contains(out, "no error ABCDEFGH") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
