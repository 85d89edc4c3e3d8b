package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
)

// planted are what a year of sessions has to keep: what somebody says, the words
// by which it is known again, and how it is asked for.
var planted = []struct{ said, known, asked string }{
	{"We will fly to Lisbon on 14 May, the whole family.", "Lisbon", "where do we fly in May?"},
	{"My boat is called Seabiscuit, by the way.", "Seabiscuit", "what is my boat called?"},
	{"We decided to go with the oak floor from Hansen.", "Hansen", "which floor did we decide on?"},
	{"The landlord is called Petrov, his number is 555-0142.", "555-0142", "what is the landlord's number?"},
	{"I agreed with Marta that she gets the blue room.", "blue room", "which room does Marta get?"},
	{"Theo's birthday is on 9 October.", "9 October", "when is Theo's birthday?"},
	{"The budget for the kitchen is 8400 euros.", "8400", "what is the kitchen budget?"},
	{"ok so we take the green tiles from the shop in bergen", "bergen", "which tiles do we take?"},
	{"Der Umzug ist am 12. August, Hilde hilft uns mit dem Wagen.", "Hilde", "wann ist der Umzug?"},
	{"i told the bank that i want the small loan, not the big one", "small loan", "which loan did I want from the bank?"},
	{"We plan to sell the van in autumn.", "van", "what do we plan to sell?"},
	{"Wilma takes over the choir in September.", "Wilma", "who takes over the choir?"},
	{"The note about the router is in the green folder behind the Brockhaus.", "Brockhaus", "where is the note about the router?"},
	{"We chose the Tuesday course with Mr Lindqvist.", "Lindqvist", "which course did we choose?"},
	{"my sister and her two kids stay with us over the holidays", "two kids", "who stays with us over the holidays?"},
	{"The concert tickets are for row 17 in the Tempodrom.", "Tempodrom", "where are the concert tickets for?"},
	{"We agreed that the attic becomes an office by March.", "attic", "what becomes an office?"},
	{"let's do the thing with the solar panels, but without the battery", "without the battery",
		"do we take the battery with the solar panels?"},
	{"J'ai promis à Amélie que je garde son chat en juillet.", "Amélie", "qui a un chat en juillet?"},
	{"The new car is a Corolla, it comes on 3 June.", "Corolla", "what is the new car?"},
}

// poor are summarizers as poor models are: what each writes when it is asked to
// sum up the n-th time; an error is an answer of 500.
var poor = map[string]func(n int, r llm.Request) (string, error){
	"none": func(int, llm.Request) (string, error) { return "", &llm.Error{Class: llm.ErrNone, Detail: "none"} },
	"500s": func(int, llm.Request) (string, error) {
		return "", &llm.Error{Class: llm.ErrUnavailable, Detail: "500"}
	},
	"empty": func(int, llm.Request) (string, error) { return " \n", nil },
	"prose": func(int, llm.Request) (string, error) {
		return "Here is the summary:\n\n**They** talked for a while, said hello and were friendly with each other.", nil
	},
	"forgetful": func(int, llm.Request) (string, error) {
		return `{"summary":"They said hello.","title":"Hello","decisions":[],"keep":[],"outdated":[1,2,3,4,5,6,7,8,9,10],"facts":[]}`, nil
	},
	"words before": func(int, llm.Request) (string, error) {
		return "Sure! {Let me see} I will sum up:\n{\"summary\": \"They said hello.\", \"title\": \"Hello\", \"decisions\": \"none\"}\nDone.", nil
	},
	"fences": func(int, llm.Request) (string, error) {
		return "Here you go\n```json\n{\"Summary\": \"They said hello.\", \"decisions\": [{\"x\": 1}]}\n```\nAnything else?", nil
	},
	"cut short": func(int, llm.Request) (string, error) {
		return `{"summary": "They said hello and then they were", "title": "Hel`, nil
	},
	"now and then": func(n int, r llm.Request) (string, error) {
		switch n % 4 {
		case 0:
			return "", &llm.Error{Class: llm.ErrUnavailable, Detail: "500"}
		case 1:
			return "They talked for a long while about everything under the sun.", nil
		case 2:
			return `{"summary": "They said "hello" to`, nil
		}
		return `{"summary":"They said hello.","title":"Hello","decisions":["It was decided to say hello."],"keep":["They like to say hello."],"outdated":[],"facts":[]}`, nil
	},
}

// What a year leaves is one page that still knows the plan from spring, however
// poor the summarizer is: all that was planted stands in the last prompt, or is
// found when it is asked for.
func TestAYearOfSessionsKeepsWhatMatters(t *testing.T) {
	for name, summarizer := range poor {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Options{Sessions: Sessions{TTL: func() time.Duration { return time.Hour }}})
			n := 0
			b.model.Answer = func(r llm.Request) (llm.Response, error) {
				said := "Fine."
				if r.Schema != nil {
					n++
					var err error
					if said, err = summarizer(n, r); err != nil {
						return llm.Response{}, err
					}
				}
				return spoken(said), nil
			}
			year(b)
			b.say("hello again")
			requests := b.model.Requests()
			prompt := system(requests[len(requests)-1])
			inPrompt := 0
			for _, p := range planted {
				if strings.Contains(prompt, p.known) {
					inPrompt++
					continue
				}
				found, err := b.store.Recall(t.Context(), memory.Query{User: "telegram:7", Text: p.asked, Tokens: 1000})
				must(t, err)
				if !slices.ContainsFunc(found, func(f memory.Passage) bool { return strings.Contains(f.Text, p.known) }) {
					t.Errorf("%q is neither in the prompt nor found", p.said)
				}
			}
			t.Logf("%d of %d in the prompt of %d characters", inPrompt, len(planted), len(prompt))
			if inPrompt < 15 {
				t.Errorf("only %d of %d are in the prompt:\n%s", inPrompt, len(planted), prompt)
			}
		})
	}
}

// year is 60 sessions, a week apart, of which 50 say nothing.
func year(b *bench) {
	next := 0
	for i := range 60 {
		if i%6 == 2 { // ten of them
			for range 2 {
				b.say("Good morning! How are you?")
				b.say(planted[next].said)
				b.say("That is all, thanks.")
				next++
			}
		} else {
			b.say([]string{"hi", "hello there", "good night", "thanks!", "how are you?"}[i%5])
		}
		se := b.live()
		b.clock = b.clock.Add(2 * time.Hour)
		must(b.t, b.Expire(context.Background(), se.ID))
		b.tick()
		b.clock = b.clock.Add(6 * 24 * time.Hour)
		b.tick()
	}
}

// decided reports whether a decision holds in a session.
func decided(se memory.Session, text string) bool {
	return slices.ContainsFunc(se.Decisions, func(d sessions.Decision) bool { return d.Text == text })
}

// tick is what cron does for summaries.
func (b *bench) tick() {
	b.t.Helper()
	ended, err := b.store.Past.DueToArchive(context.Background(), nil, 100)
	must(b.t, err)
	for _, d := range ended {
		_ = b.Archive(context.Background(), d.ID) // a failure is tried again
	}
	owed, err := b.store.Past.DueToPay(context.Background(), nil, 100)
	must(b.t, err)
	for _, d := range owed {
		_ = b.Pay(context.Background(), d.ID)
	}
}

// A fold that failed is a debt that a later tick pays: the model is shown all
// that was folded meanwhile, and its summary takes the place of the extract.
func TestAFailedFoldIsADebt(t *testing.T) {
	b := newBench(t, Options{})
	down, shown := true, ""
	b.model.Answer = func(r llm.Request) (llm.Response, error) {
		said := "ok"
		if r.Schema != nil {
			if down {
				return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "500"}
			}
			shown = r.Messages[1].Content
			said = `{"summary":"They counted points.","title":"Points","decisions":["Point 3 wins."],"keep":[],"outdated":[],"facts":[]}`
		}
		return spoken(said), nil
	}
	for i := range 24 {
		b.say(fmt.Sprintf("point %d is for Ann", i))
	}
	se := b.live()
	if se.Owed == nil || se.SummarizedAt == 0 || !strings.Contains(se.Summary, "point 0") {
		t.Fatalf("owes %+v after %q", se.Owed, se.Summary)
	}
	down = false
	b.clock = b.clock.Add(firstDebt)
	b.tick()
	b.clock = b.clock.Add(longestDebt)
	b.tick()
	after := b.live()
	if after.Owed != nil || after.Summary != "They counted points." || after.Title != "Points" ||
		!decided(after, "Point 3 wins.") {
		t.Errorf("after the tick %q, owes %+v", after.Summary, after.Owed)
	}
	for i := range 10 {
		if !strings.Contains(shown, fmt.Sprintf("point %d is", i)) {
			t.Errorf("the summarizer never saw point %d:\n%s", i, shown)
		}
	}
	if after.SummarizedAt != se.SummarizedAt {
		t.Errorf("the window begins at %d, and did at %d", after.SummarizedAt, se.SummarizedAt)
	}
}

// Closing summaries that could not be written are owed, too, for as long as it
// takes.
func TestAFailedClosingIsADebt(t *testing.T) {
	b := newBench(t, Options{})
	var err error = &llm.Error{Class: llm.ErrUnavailable, Detail: "500"}
	b.model.Answer = func(r llm.Request) (llm.Response, error) {
		if r.Schema != nil && err != nil {
			return llm.Response{}, err
		}
		said := "ok"
		if r.Schema != nil {
			said = `{"summary":"They plan a trip to Oslo.","title":"Oslo","decisions":["They go by train."],"keep":["They plan a trip to Oslo in June."],"outdated":[],"facts":[]}`
		}
		return spoken(said), nil
	}
	b.say("shall we go to Oslo in June, by train?")
	se := b.live()
	must(t, second(b.End(t.Context(), se.ID, true)))
	for range maxSummaryTries {
		b.tick()
	}
	if se, e := b.store.Sessions.SessionByID(t.Context(), se.ID); e != nil || se.Status != memory.Archived || se.Owed == nil ||
		!strings.Contains(se.Closing, "Oslo") {
		t.Fatalf("%+v %v", se, e)
	}
	b.say("hello") // the next one has begun
	err = nil
	b.clock = b.clock.Add(longestDebt)
	b.tick()
	if se, e := b.store.Sessions.SessionByID(t.Context(), se.ID); e != nil || se.Owed != nil || se.Closing != "They plan a trip to Oslo." ||
		se.Title != "Oslo" {
		t.Errorf("%+v %v", se, e)
	}
	if now := b.live(); !decided(now, "They go by train.") || !sessions.Covers(now.CarriedPage, "trip Oslo June") {
		t.Errorf("the next session has decisions %+v and the page %v", now.Decisions, now.CarriedPage)
	}
}

// Near the limit a conversation is folded once for each half of the budget that
// it gains, not every few messages.
func TestOneFoldForEachGainedHalf(t *testing.T) {
	const limit = 4000
	b := newBench(t, Options{Limits: Limits{TokenBudget: limit, ContextSize: 8000, History: 1000, MaxMessages: 1000}})
	folds := 0
	b.model.Answer = func(r llm.Request) (llm.Response, error) {
		said := strings.Repeat("and so on ", 85)
		if r.Schema != nil {
			folds++
			said = `{"summary":"They went on.","title":"On","decisions":[],"keep":[],"outdated":[],"facts":[]}`
		}
		return spoken(said), nil
	}
	words := 0
	for i := range 40 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("more of it ", 70))
		b.say(text)
		words += len(text)/4 + 212
	}
	t.Logf("%d folds for %d tokens", folds, words)
	if most := words/(limit/2) + 1; folds < 3 || folds > most {
		t.Errorf("%d folds for %d tokens; at most %d", folds, words, most)
	}
	for _, r := range b.model.Requests() {
		if n := b.o.Limits.Tokens(r); n > limit*11/10 {
			t.Errorf("a request of %d tokens", n)
		}
	}
}

// What /summarize folds leaves five exchanges in the window.
func TestSummarizeKeepsFiveExchanges(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{History: 1000, MaxMessages: 1000}})
	b.model.Answer = folding("ok", `{"summary":"They counted to nine.","title":"Nine","decisions":[],"keep":[],"outdated":[],"facts":[]}`)
	place := memory.Place{Key: annAlone.Key}
	b.say("number 0")
	if said, err := b.Summarize(t.Context(), place); err != nil || said != "They counted to nine." || b.live().SummarizedAt != 0 {
		t.Errorf("a short one: %q, %v, folded to %d", said, err, b.live().SummarizedAt)
	}
	for i := 1; i < 9; i++ {
		b.say(fmt.Sprint("number ", i))
	}
	said, err := b.Summarize(t.Context(), place)
	must(t, err)
	b.say("and now?")
	last := b.last()
	if said != "They counted to nine." || count(last.Messages, llm.RoleUser) != 6 || !strings.Contains(system(last), said) {
		t.Errorf("said %q, then sent %+v", said, last.Messages)
	}
}

// A fold works beside the lane: messages are answered meanwhile, and its result
// is taken only if what it was made of is as it was.
func TestFoldsWorkBesideTheLane(t *testing.T) {
	var work []func(context.Context) func(context.Context)
	b := newBench(t, Options{Sessions: Sessions{Beside: func(_ chat.Key,
		w func(context.Context) func(context.Context)) {
		work = append(work, w)
	}}})
	b.model.Answer = folding("ok", `{"summary":"They counted.","title":"Counting","decisions":[],"keep":[],"outdated":[],"facts":[]}`)
	for i := range 13 {
		b.say(fmt.Sprint("number ", i))
	}
	if len(work) != 1 || b.live().Summary != "" {
		t.Fatalf("%d folds at work, summary %q", len(work), b.live().Summary)
	}
	take := work[0](t.Context())
	b.say("meanwhile")
	take(t.Context())
	if se := b.live(); se.Summary != "They counted." || se.Title != "Counting" {
		t.Errorf("summary %q, title %q", se.Summary, se.Title)
	}
	for i := range 13 {
		b.say(fmt.Sprint("another ", i))
	}
	at := b.live().SummarizedAt
	take = work[len(work)-1](t.Context())
	entries, err := b.store.Transcript(t.Context(), b.live().ID, at, 0)
	must(t, err)
	must(t, second(b.store.EditMessage(t.Context(), b.live().Key, entries[0].MessageID, "edited", 0)))
	take(t.Context())
	if se := b.live(); se.SummarizedAt != at {
		t.Error("a summary of what was edited since was taken")
	}
}

// readFolded and prose take what poor models write.
func TestReadFolded(t *testing.T) {
	for said, want := range map[string]string{
		`{"summary":"a b"}`: "a b",
		"<think>{hm}</think>\nOf course:\n```json\n{\"summary\":\"a b\"}\n```": "a b",
		`{"summary":"a b","title":"t","decisions":["one","tw`:                  "a b",
		`{"summary":"a b`: "a b",
		`{"title":"t","summary":"a \"b\"","facts":[{"person":"x"`: `a "b"`,
		`{"summary":"a b\`: "a b",
		`{"summary":7}`:    "",
		`[]`:               "",
		``:                 "",
	} {
		if f, ok := sessions.ReadFolded(said); f.Summary != want || ok != (want != "") {
			t.Errorf("%s gives %q, %v", said, f.Summary, ok)
		}
	}
	f, _ := sessions.ReadFolded(`{"summary":"s","decisions":["a",{"b":1},"c"],"outdated":["2",3],"keep":"none"}`)
	if got, _ := json.Marshal(f); !strings.Contains(string(got), `"Decisions":["a","c"]`) || !slices.Equal(f.Outdated, []int{3}) ||
		f.Keep != nil {
		t.Errorf("got %s", got)
	}
	for said, ok := range map[string]bool{"OK.": false, `{"broken": `: false, "Ann plans a long trip to Rome.": true} {
		if _, got := sessions.Prose(said, maxSummary); got != ok {
			t.Errorf("%q is prose: %v", said, got)
		}
	}
}

// TestLongTalkCostsFewSummaries: as long as there is room, many messages are summed
// up with one call, and none is left out before that.
func TestLongTalkCostsFewSummaries(t *testing.T) {
	b := newBench(t, Options{Limits: Limits{MaxMessages: 100}})
	b.model.Answer = folding("ok", `{"summary":"They counted.","title":"Counting","decisions":[],"facts":[]}`)
	for i := range 200 {
		b.say(fmt.Sprintf("number %d.", i))
	}
	requests := b.model.Requests()
	if n := len(requests); n > 210 {
		t.Errorf("%d model calls for 200 messages", n)
	}
	summed := 0
	for _, r := range requests {
		if r.Schema != nil {
			summed += strings.Count(r.Messages[1].Content, "number ")
			continue
		}
		last := 0
		_, _ = fmt.Sscanf(r.Messages[len(r.Messages)-1].Content, "number %d.", &last)
		if n := count(r.Messages, llm.RoleUser); n+summed <= last || n > 32 {
			t.Fatalf("message %d comes with %d others, and %d are summed up", last, n-1, summed)
		}
	}
}

// payers is a summarizer that notes who pays.
type payers struct{ list []chat.Message }

func (p *payers) Complete(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	p.list = append(p.list, chat.Payer(ctx))
	return llm.Response{}, &llm.Error{Class: llm.ErrUnavailable, Detail: "down"}
}

// TestSummariesArePaidFor: a summary is made by its own models, and whoever spoke
// last in what it sums up pays for it, although nobody waits for it.
func TestSummariesArePaidFor(t *testing.T) {
	p := &payers{}
	b := newBench(t, Options{Sessions: Sessions{Summarizer: p}})
	b.model.Answer = func(llm.Request) (llm.Response, error) {
		return spoken("ok"), nil
	}
	for i := range 12 {
		b.say(fmt.Sprintf("point %d", i))
	}
	if len(p.list) == 0 {
		t.Fatal("no summary was asked for")
	}
	for _, m := range p.list {
		if m.From.ID != annAlone.User || m.Key != annAlone.Key {
			t.Errorf("paid by %q in %s", m.From.ID, m.Key)
		}
	}
}
