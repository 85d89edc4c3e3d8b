package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// banked is a bot with a tool server that pays, and is asked about each time; paid are the
// arguments it got, byte for byte.
func banked(t *testing.T) (w *world, paid chan string) {
	t.Helper()
	paid = make(chan string, 100)
	server := newToolServer(t)
	server.add("pay", "pays", func(_ context.Context, r *sdk.CallToolRequest) (string, error) {
		paid <- string(r.Params.Arguments)
		return "paid", nil
	})
	w = newWorld(t).onDiscord()
	w.uses(t, "bank", server.url, "tools:\n  policy:\n    bank__pay: {ask: always}\n")
	return w, paid
}

// pays has the model call the tool with these arguments when somebody says "pay", and
// answer anything else with "I see.".
func (w *world) pays(args func() string) {
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case last.Role == "tool":
			return llmtest.Turn{Text: "It came to: " + last.Text()}
		case strings.HasSuffix(last.Text(), "pay"):
			return callTool("bank__pay", args())
		}
		return llmtest.Turn{Text: "I see."}
	})
}

// misread returns a text of the characters that are read otherwise than they are.
func misread(r *rand.Rand, n int) string {
	pieces := []string{"a", "Z", "5", " ", "  ", "_", "*", "**", "~~", "||", "`", "```", "````\n", "\n", "\n\n", "\t",
		"\r", `"`, `\`, `\u202e`, "\u202e", "\u2066", "\u200b", "\u200d",
		"\U000E0041", "\U000E0062", "\ufe0f", "❤", "👩‍👩‍👧", "é", "e\u0301", "ש", "ع", "ที่", "<b>", "&amp;", "<@1>",
		"@everyone", "@parley_bot", "#x", "/stop", "](http://evil.example/x)", "https://evil.example/?q=1",
		"notes_for.example.com/a", "/tmp/_old_/*", "- ", "> ", "1. ", "|a|b|", "\u2028", "\u0000", "\u001b[31m", "\u3164",
		"\ufffd", "𝔊", "漢", "$1", "%s", "[1]", "\u00a0"}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// arguments returns those of a call, in JSON.
func arguments(r *rand.Rand) string {
	size := []int{0, 5, 40, 300, 900, 5_000, 100_000}[r.IntN(7)]
	list := map[string]any{"to": misread(r, size), "amount": json.Number(fmt.Sprint(r.IntN(1e6), ".50"))}
	if r.IntN(2) == 0 {
		list[misread(r, 6)] = []any{true, nil, misread(r, 10), map[string]any{misread(r, 3): []any{1, "1", ""}}}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(r.IntN(2) == 0)
	_ = e.Encode(list) // plain data
	return strings.TrimSpace(b.String())
}

// compact returns JSON without what its layout adds.
func compact(t *testing.T, shown string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(shown)); err != nil {
		t.Fatalf("%v in %q", err, shown)
	}
	return b.String()
}

// codeOn returns the code that a message on Telegram shows.
func codeOn(m telegramtest.SentMessage) (code string) {
	units := utf16.Encode([]rune(m.Text))
	for _, e := range m.Entities {
		if e.Type == "pre" {
			code += string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		}
	}
	return code
}

// TestWhatIsShownIsRun: whatever the arguments of a call are, what people read on Telegram
// and on Discord is what is run, byte for byte; or nobody is asked, and nothing is run.
func TestWhatIsShownIsRun(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	r := rand.New(rand.NewPCG(15, 2))
	var args string
	w.pays(func() string { return args })
	w.serve(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	asked := 0
	for i := range 60 {
		args = arguments(r)
		before := len(w.tg.Sent()) + len(w.dc.Sent())
		if i%2 == 0 {
			w.tg.Push(telegramtest.Text(5, 5, "please pay"))
		} else {
			w.dc.Message("", "10", "42", "please pay")
		}
		eventually(t, "it says something", func() bool { return len(w.tg.Sent())+len(w.dc.Sent()) > before })
		w.settled(t)
		shown := ""
		if i%2 == 0 {
			shown = codeOn(w.tg.Sent()[len(w.tg.Sent())-1])
		} else if _, rest, ok := strings.Cut(w.dc.Sent()[len(w.dc.Sent())-1].Content, "```json\n"); ok {
			shown, _, _ = strings.Cut(rest, "\n```")
		}
		last := w.lastSaid(i%2 == 0)
		if shown == "" {
			if len(args) < 100 || len(args) < 30_000 && !strings.Contains(last, "too long to be shown whole") {
				t.Fatalf("%.200s is asked about as %q", args, last)
			}
			continue
		}
		asked++
		if i%2 == 0 {
			w.tg.Push(telegramtest.Text(5, 5, "yes"))
		} else {
			w.dc.Message("", "10", "42", "yes")
		}
		if ran := <-paid; ran != compact(t, shown) {
			t.Errorf("shown %s\nrun   %s", shown, ran)
		}
		w.settled(t)
	}
	if asked < 20 || len(paid) != 0 {
		t.Errorf("asked %d times, %d more were paid", asked, len(paid))
	}
}

func (w *world) lastSaid(telegram bool) string {
	if telegram {
		return w.tg.Sent()[len(w.tg.Sent())-1].Text
	}
	return w.dc.Sent()[len(w.dc.Sent())-1].Content
}

// to is a message in reply to another on Telegram.
func (w *world) to(u telegramtest.Update, id int, by int64) telegramtest.Update {
	u.Message.ReplyTo = &telegramtest.Message{ID: id, Chat: u.Message.Chat, Date: 1, Text: "x",
		From: &telegramtest.User{ID: by, IsBot: by == w.tg.BotID(), FirstName: "Who"}}
	return u
}

// TestYesBelongsToItsQuestion: in groups, on both platforms, a yes to somebody else or to
// nobody pays nothing, also in the next process after the first was killed; one to the
// question does, once.
func TestYesBelongsToItsQuestion(t *testing.T) {
	t.Parallel()
	w, paid := banked(t)
	w.tg.AddChat(-100)
	w.pays(func() string { return `{"amount":500,"to":"mallory"}` })
	child := w.start(t)
	w.connected(t)
	w.shows(t, "/tools servers", "bank: up, 1 tool in use")
	u := telegramtest.Text(-100, 7, "@parley_bot pay")
	u.Message.Entities = []telegramtest.Entity{{Type: "mention", Offset: 0, Length: 11}}
	w.tg.Push(u)
	onTelegram := w.told(t, -100, "mallory")
	w.dc.Message("77", "50", "42", "<@9000> pay")
	onDiscord := w.posted(t, "50", "mallory")
	w.settled(t)
	kill(child)
	w.start(t)
	w.connected(t)
	w.tg.Push(w.to(telegramtest.Text(-100, 7, "yes"), 899, 8))
	w.tg.Push(telegramtest.Text(-100, 7, "yes"))
	w.dc.Message("77", "50", "42", "yes")
	beer := w.dc.Message("77", "50", "43", "anyone up for a beer?")
	w.dc.Reply(discordtest.Reply{Guild: "77", Channel: "50", User: "42", To: beer, Text: "yes"})
	w.dc.Reply(discordtest.Reply{Guild: "77", Channel: "50", User: "42", To: "1", Text: "yes"}) // that one is gone
	w.shows(t, "/status", "up: ")
	w.settled(t)
	if len(paid) != 0 {
		t.Fatalf("paid %s", <-paid)
	}
	w.tg.Push(w.to(telegramtest.Text(-100, 7, "yes"), onTelegram.ID, w.tg.BotID()))
	if got := <-paid; got != `{"amount":500,"to":"mallory"}` {
		t.Errorf("paid %s", got)
	}
	w.dc.Reply(discordtest.Reply{Guild: "77", Channel: "50", User: "42", To: onDiscord.ID, Text: "yes"})
	<-paid
	w.settled(t)
	if len(paid) != 0 {
		t.Errorf("paid again: %s", <-paid)
	}
}

// TestYesDuringAHandover: what is asked of a person is answered to it also while people
// answer everything else; what a tool server asks is not answered by words for them.
func TestYesDuringAHandover(t *testing.T) {
	t.Parallel()
	w, heard, _ := curious(t, "BOT_HANDOFF_DESK=telegram:-200")
	w.tg.AddChat(-200)
	w.say(t, 5, "/facts add I live in Aachen")
	w.say(t, 5, "please order")
	if got := w.say(t, 5, "/handoff I want a human"); !strings.Contains(got, "asked a person") || strings.Contains(got, "still waiting") {
		t.Fatalf("said %q", got)
	}
	w.tg.Push(telegramtest.Text(5, 5, "large trouble"))
	w.told(t, -200, "large trouble")
	w.tg.Push(telegramtest.Text(5, 5, "large"))
	w.told(t, -200, "User 5: large")
	w.tg.Push(telegramtest.Text(5, 5, "/forget-me"))
	w.told(t, 5, "yes or no")
	w.tg.Push(telegramtest.Text(5, 5, "yes"))
	eventually(t, "all is forgotten", func() bool { return w.count(t, "SELECT count(*) FROM key_facts") == 0 })
	w.settled(t)
	for len(heard) > 0 {
		if got := <-heard; strings.Contains(got, "accept") {
			t.Errorf("the server heard %s", got)
		}
	}
}

// TestServersHearOnlyAnswers: while a tool server asks something, what its person says to
// others, to the model or in a command is no answer.
func TestServersHearOnlyAnswers(t *testing.T) {
	t.Parallel()
	w, heard, _ := curious(t)
	w.say(t, 5, "please order")
	if got := w.say(t, 5, "what is the weather"); !strings.Contains(got, "still waiting for your answer") {
		t.Errorf("something else: %q", got)
	}
	w.say(t, 5, "/tasks list")
	w.tg.Push(w.to(telegramtest.Text(5, 5, "large"), 4711, 5))
	w.told(t, 5, "shop__large") // the model got it
	w.settled(t)
	if len(heard) != 0 {
		t.Fatalf("the server heard %s", <-heard)
	}
	if got := w.say(t, 5, "large"); !strings.Contains(got, "2 of 2: when") || !strings.Contains(got, "Your next message here is the answer") {
		t.Errorf("then asked %q", got)
	}
	if got := w.say(t, 5, "/stop"); !strings.Contains(got, "It said:") || !strings.Contains(<-heard, `"cancel"`) {
		t.Errorf("left: %q", got)
	}
}
