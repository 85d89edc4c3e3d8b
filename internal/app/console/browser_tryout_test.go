package console_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app"
	"parley/internal/app/platform"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// The personas of the shop: as it is, and as its owner would like to have it.
const (
	shopPersona    = "You answer the customers of Mugs & More. Be polite, and explain what you do.\n"
	shorterPersona = shopPersona + "Answer in one sentence. Whatever arrived broken is sent again, without a photo.\n"
)

// asked is what customers ask for, and what the model says to it with either persona.
type asked struct{ who, said, told, shorter string }

var shopTalk = []asked{
	{"Alice", "My mug arrived broken, what now?",
		"I am sorry about your mug! Please send a photo of the damage, and I will have a new one sent to you.",
		"I am sorry about your mug! I will have a new one sent to you."},
	{"Bob", "When are you open on Sundays?", "Sundays from 10:00 to 16:00.", "Sundays from 10:00 to 16:00."},
	{"Carol", "Do the blue mugs go in the dishwasher?",
		"Yes, they do. All our mugs are fired at 1,240 °C, so the dishwasher does not harm them, at up to 65 °C.",
		"Yes, they do, at up to 65 °C."},
	{"David", "Thank you!", "You are welcome.", "You are welcome."},
	{"Erin", "Two plates in my parcel are cracked",
		"That should not happen, I am sorry. Please send a photo of both plates, and I will have new ones sent to you.",
		"That should not happen, I am sorry. New ones are on their way."},
	{"Farid", "Which cup is best for espresso?", "The small one with the thick rim, 12.", "The small one with the thick rim, 12."},
	{"Grace", "Can I change the address of my order?",
		"As long as it has not left, yes. Orders leave at noon. What is the new address?", "As long as it has not left, yes: what is it?"},
}

// tells answers as the model of the shop does.
func tells(r llmtest.Request) llmtest.Turn {
	last := r.Messages[len(r.Messages)-1].Text()
	for _, a := range shopTalk {
		if strings.Contains(last, a.said) {
			if strings.Contains(string(r.Raw), "in one sentence") {
				return llmtest.Turn{Text: a.shorter, Usage: [2]int{900, 20}}
			}
			return llmtest.Turn{Text: a.told, Usage: [2]int{880, 60}}
		}
	}
	return llmtest.Turn{Text: "What do you mean?"}
}

// lived starts a bot that has answered customers on Telegram, a few each day of four weeks, and
// returns a link to its control page, as its owner asks for it there.
func lived(t *testing.T) (link string) {
	t.Helper()
	var clock clock
	tg, model := telegramtest.Start(telegramtest.Options{Now: clock.now}), llmtest.NewServer()
	t.Cleanup(tg.Close)
	t.Cleanup(model.Close)
	model.Models("qwen3")
	model.Respond(tells)
	model.Structured(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: `{"summary":"They talked.","title":"Talk","decisions":[],"facts":[]}`}
	})
	dir := t.TempDir()
	persona, file := filepath.Join(dir, "persona.md"), filepath.Join(dir, "bot.yaml")
	settings := fmt.Sprintf("data_dir: %s\nagent: {prompt_file: %s}\nhttp: {listen: \"127.0.0.1:0\"}\nlog: {level: error}\n"+
		"model: {base_url: %q, name: qwen3, price: {input: 0.5, output: 2}}\naccess: {mode: open, owners: [\"telegram:1\"]}\n"+
		"telegram: {token: %q, api_url: %q}\nlimits: {user_per_minute: 0}\ntrace: {keep: 90d}\n",
		filepath.Join(dir, "data"), persona, model.URL(), tg.Token(), tg.URL())
	for name, body := range map[string]string{persona: shopPersona, file: settings} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func() (config.Config, error) {
		return config.Load(config.Options{File: file, IDs: platform.Identities()})
	}
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	clock.shift(-28 * 24 * time.Hour)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- app.Process{Out: io.Discard, Err: os.Stderr, Now: clock.now}.Serve(ctx, cfg, load) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	n := 0
	say := func(user int64, name, words string) string {
		u := telegramtest.Text(user, user, words)
		u.Message.From.FirstName = name
		tg.Push(u)
		n++
		waittest.Until(t, "an answer to "+words, func() bool { return len(tg.Sent()) >= n })
		return tg.Sent()[n-1].Text
	}
	for day := 28; day > 0; day-- {
		for i := range 1 + day%2 {
			a := shopTalk[(2*day+3*i)%len(shopTalk)]
			clock.shift(-time.Duration(24*day-i) * time.Hour)
			say(int64(100+(2*day+3*i)%len(shopTalk)), a.who, a.said)
		}
	}
	clock.shift(0)
	found := regexp.MustCompile(`http://\S+code=[\w-]+`).FindString(say(1, "Olga", "/page"))
	if found == "" {
		t.Fatalf("no link: %s", tg.Sent()[n-1].Text)
	}
	return found
}

// triedOut tries another persona in a browser, as the owner of a shop would: first what it would
// ask a model, then with that. It ends on the page with what came of it.
func triedOut(t *testing.T) (b *browser, at string) {
	b = newBrowser(t)
	link := lived(t)
	b.look(1280, 900, "light")
	b.open(link)
	b.key("Enter") // the button has the focus
	b.until(`location.pathname === "/" && !!document.querySelector("main")`)
	at = link[:strings.Index(link, "/login")] + "/tryout"
	b.open(at)
	press := func(button string) {
		b.eval(`window.left = true; [...document.querySelectorAll("button")].filter((b) => b.textContent === "` + button + `").at(-1).click()`)
		b.until(`!window.left && document.readyState === "complete"`)
	}
	b.eval(fmt.Sprintf(`document.getElementById("text").value = %q`, shorterPersona))
	press("Try it")
	b.until(`document.body.innerText.includes("42 messages run again")`)
	b.until(`document.body.innerText.includes("would ask a model again: 42 requests")`)
	b.shoot("tryout-asks")
	press("Ask")
	b.until(`document.body.innerText.includes("Asked for this: 42 requests")`)
	return b, at
}

// TestTryItInChromium: the owner of a bot with four weeks behind it tries another persona in a
// browser and sees what would have come out differently.
func TestTryItInChromium(t *testing.T) {
	b, at := triedOut(t)
	for _, want := range []string{"42 messages run again, 18 unchanged", "24 other words", "Please send a photo", "30 days"} {
		if !strings.Contains(b.eval("document.body.innerText").(string), want) {
			t.Errorf("not shown: %s", want)
		}
	}
	if b.eval(`["del", "ins"].every((mark) => document.querySelectorAll("article.tried " + mark).length > 4)`) != true {
		t.Error("words that differ are not marked")
	}
	for _, l := range looks {
		b.inspect("tryout", at, l)
	}
	b.open(at)
	b.eval(`window.left = true; document.querySelector("article.tried button[value=good]").click()`)
	b.until(`!window.left && document.readyState === "complete" && document.body.innerText.includes("A rehearsal is written")`)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bad := range b.bad {
		t.Error("the browser complains: " + bad)
	}
}

// TestRecordTryIt makes the pictures of a persona that is tried; make recordings runs it.
func TestRecordTryIt(t *testing.T) {
	if os.Getenv("PARLEY_RECORD") == "" {
		t.Skip("PARLEY_RECORD is not set")
	}
	b, at := triedOut(t)
	for name, l := range map[string]look{"whatif.png": {1100, 1000, "light"}, "whatif-phone.png": {390, 844, "dark"}} {
		b.look(l.width, l.height, l.scheme)
		b.open(at)
		if l.width < 500 {
			b.eval(`document.querySelector("article.tried").scrollIntoView()`)
		}
		if err := os.WriteFile(films+name, b.picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
