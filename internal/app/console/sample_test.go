package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/app/console"
	"parley/internal/app/trial"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/tools"
)

// sampleViews returns views of a complete bot.
func sampleViews() console.Views {
	return console.Views{
		Status: func(context.Context) []console.Line {
			return []console.Line{
				{Name: "model", State: "qwen3, ok, 42 ms"}, {Name: "telegram", State: "receiving"}, {Name: "discord",
					State: "close code 4014: tick Message Content Intent in the developer portal", Ill: true},
				{Name: "database", State: "ok"}, {Name: "persona", State: "built in"}, {Name: "tools", State: "7"}, {Name: "playbook", State: "ok"},
				{Name: "now", State: "2 conversations at work, 0 messages waiting"}, {Name: "cron sweep", State: "last just now, next 12:01:00 UTC"},
				{Name: "cron retention", State: "last 8 h ago, next 04:17:00 UTC"}, {Name: "up", State: "26h3m0s"},
			}
		},
		Settings: func() string {
			return "data_dir: \"data\"\nmodel:\n  base_url: \"http://127.0.0.1:11434/v1\"\n  api_key: \"(set)\"\n  name: " +
				"\"qwen3\"\nhttp:\n  listen: \"127.0.0.1:9090\"\n"
		},
		Book:    func(context.Context, *console.Agent) (*console.Playbook, error) { return sampleBook(), nil },
		Trial:   sampleTrial{"A <b>warm</b> welcome. Silver orders stay as they are."},
		Persona: func() (string, string, error) { return "You are kind.", "persona.md", nil },
		Facts: func(_ context.Context, q console.FactQuery) ([]console.Fact, bool, error) {
			return []console.Fact{{ID: "12", About: "telegram:42", Text: "Alice is allergic to nuts. " + q.Words, Type: "fact",
				By: "user", Rank: "kept", At: time.Now().Add(-time.Hour),
				History: []console.FactChange{{By: "user", Text: "Alice likes nuts.", At: time.Now().Add(-48 * time.Hour)}}}}, true, nil
		},
	}
}

// sampleTrial is a change of the persona that was tried; each answer is its words.
type sampleTrial struct{ said string }

func (s sampleTrial) State() trial.State {
	before := whatif.Outcome{Text: "Cancelled. " + s.said, Ended: "answered",
		Calls: []whatif.Call{{Tool: "cancel", Args: s.said, Came: "success"}}}
	after := whatif.Outcome{Text: s.said + " Thanks.", Ended: "answered", Again: 1, Rules: []string{s.said, s.said}, Unknown: s.said}
	state := trial.State{Change: trial.Change{Kind: trial.Persona, Value: clipped(s.said)}, Phase: trial.Done,
		Tally: whatif.Tally{Messages: 214, Unchanged: 194, Kinds: map[whatif.Kind]int{whatif.Tools: 1, whatif.Words: 20}, Requests: 6}}
	for i := range 20 {
		state.Lines = append(state.Lines, trial.Line{Written: "rehearsals/x.txt", Difference: whatif.Difference{ID: fmt.Sprint("line", i),
			Place: "telegram:42", Person: "telegram:42", Said: s.said, Kinds: whatif.Kinds, Before: before, After: after}})
	}
	return state
}

func clipped(s string) string { return s[:min(len(s), 200)] }

func (sampleTrial) Start(trial.Change, trial.Budget) error { return nil }
func (sampleTrial) Stop()                                  {}
func (sampleTrial) Judge(context.Context, string, string) (string, bool, error) {
	return "", false, nil
}

// wholeViews are sampleViews with everything that can be done.
func wholeViews() console.Views {
	v := sampleViews()
	v.Tunable = func() []console.Setting {
		return []console.Setting{{Name: "session.ttl", Value: "1h", Doc: "silence after which a session ends and is summarized"},
			{Name: "limits.user_tokens_per_day", Value: "0", Doc: "tokens of one person; 0 is no limit"}}
	}
	v.Operations = func() []tools.Operation { return tools.FactOperations(nil, nil) }
	v.Handoffs = func(context.Context) ([]console.Handoff, error) {
		return []console.Handoff{{N: 3, Who: "Alice", Place: "telegram:42", State: "waiting", Why: "she wants to speak to a person",
			By: "a rule", Opened: time.Now(), Due: time.Now().Add(time.Hour)}}, nil
	}
	v.Capture = func(context.Context, string, string) (string, error) { return "", nil }
	v.Script = func(context.Context, string) (string, error) {
		return "A conversation of 2026-11-22, with what the models answered.\n-- settings.yaml --\naccess: {mode: open}\n-- " +
			"talk --\n> [telegram:42] hello bot\n= Hello!\n< Hello!", nil
	}
	return v
}

// visitors stores people waiting to be let in and let in, and a dead letter.
func (s *site) visitors() {
	s.t.Helper()
	ctx := context.Background()
	_, err := s.store.Accept(ctx, chat.Batch{Platform: "telegram",
		Dead: []chat.DeadLetter{{Raw: []byte(`{"update_id": 7, "strange": true}`), Reason: "nothing in it is known"}}})
	err = errors.Join(err, s.store.Access.AddCode(ctx, "pair", []byte("x"), chat.User{ID: "telegram:77", Name: "Zoe"},
		time.Now().Add(time.Hour)),
		s.store.Access.Grant(ctx, "telegram:42", "member", "x"), s.store.Access.Grant(ctx, "discord:7", "denied", "x"))
	if err != nil {
		s.t.Fatal(err)
	}
}

func sampleBook() *console.Playbook {
	return &console.Playbook{
		Rules: []console.Rule{
			{ID: "refund_policy", When: `regex:(?i)\b(refund|money back|return)`,
				Then: "Explain that unused items can be returned within 30 days and that damaged ones are replaced at no cost.", Priority: 100},
			{ID: "angry_customer", When: "the person is angry or threatens to leave",
				Then: "Apologize once, in one sentence, and say what happens next.", Priority: 80},
			{ID: "pricing", When: "literal:pricing", Then: "the reply pricing", Priority: 40},
			{ID: "stay_polite", When: "always", Then: "Stay friendly and short, also when the person is not.", Priority: -10, Off: true},
		},
		Journeys: []console.Journey{
			{ID: "refund", Name: "Refund", Description: "Find out what is wrong and give the money back.", Trigger: `regex:(?i)\brefund\b`,
				Start: "order", Steps: []console.Step{
					{ID: "order", Name: "Ask for the order number", To: []console.Arrow{{To: "reason", When: "var:order_id is set"}}},
					{ID: "reason", Name: "Ask for the reason", To: []console.Arrow{{To: "photo", When: `var:refund_reason = "damaged"`},
						{To: "confirm", When: "var:refund_reason is set"}}},
					{ID: "photo", Name: "Ask for a photo of the damage", To: []console.Arrow{{To: "confirm", When: "event:file"},
						{To: "order", When: "the person gave another order"}}},
					{ID: "confirm", Name: "Confirm the refund", To: []console.Arrow{{To: "done", When: "regex:(?i)\\byes\\b"}}},
					{ID: "done", Name: "Money is on its way", End: true},
				}},
			{ID: "onboarding", Name: "New user onboarding", Description: "Guide a new person through setting up an account.", Start: "welcome",
				Steps: []console.Step{{ID: "welcome", Name: "Welcome", To: []console.Arrow{{To: "done"}}}, {ID: "done", Name: "Done", End: true}}},
		},
	}
}

// exchange is one message, its answer and what was done for it.
type exchange struct {
	place      chat.Key
	who        chat.User
	said, told string
	calls      []memory.CallRecord
	why        []string
	fail       string
}

// fill stores a day of a bot in use, with words that must be escaped.
func (s *site) fill() {
	s.hours(func(hour, i int) exchange {
		id := fmt.Sprint(100 + i%5)
		return exchange{place: keyOf("telegram:" + id), who: userOf("telegram:"+id, "Carol"),
			said: fmt.Sprintf("message %d of hour %d", i, hour), told: "An answer."}
	})
	s.clock.shift(-10 * time.Minute)
	s.exchange(exchange{place: keyOf("discord:1099/88"), who: userOf("discord:7", "Bob <script>alert(1)</script>"),
		said: "is <b>this</b> escaped? </textarea><script>alert(1)</script>", told: "It is: `<script>` stays text."})
	s.mug()
}

// hours stores a day's messages by the hour; some answers fail.
func (s *site) hours(brings func(hour, i int) exchange) {
	for hour := 23; hour >= 1; hour-- {
		for i := range (hour*7)%11 + 2 {
			s.clock.shift(-time.Duration(hour)*time.Hour + time.Duration(i)*time.Minute)
			e := brings(hour, i)
			if (hour+i)%17 == 0 {
				e.fail = "connection refused"
			}
			s.exchange(e)
		}
	}
}

// mug stores Alice's conversation about a broken mug.
func (s *site) mug() {
	alice, direct := userOf("telegram:42", "Alice"), keyOf("telegram:42")
	for i, e := range []exchange{
		{place: direct, who: alice, said: "I want my money back for order 12345, the mug came damaged",
			told: "I'm sorry about the mug. Damaged items are replaced at no cost, or I can return the money.\n\n**Next:** " +
				"please send a photo of the damage.",
			why: []string{"rule refund_policy applies (relevance 1.00, priority 100): the text matches",
				"rule stay_polite does not apply (excluded): refund_policy has the higher priority",
				`journey "Refund" is at step "Ask for a photo of the damage"`},
			calls: []memory.CallRecord{{CallID: "c1", Name: "recall", Arguments: `{"query":"order 12345"}`,
				Result: "[2026-11-19 10:12] Alice: I ordered the blue mug, number 12345", Status: "success", Took: 38 * time.Millisecond},
				{CallID: "c2", Name: "set_variable", Arguments: `{"name":"refund_reason","value":"damaged"}`, Result: "stored",
					Status: "success", Took: 6 * time.Millisecond}}},
		{place: direct, who: alice, said: "here it is, and thank you!",
			told: "Thank you, I have it. Shall I return **12.50 EUR** to your card?",
			why:  []string{`journey "Refund" is at step "Confirm the refund"`}},
	} {
		s.clock.shift(-time.Duration(9-i) * time.Minute)
		s.exchange(e)
	}
	s.clock.shift(0)
}

// exchange stores an exchange.
func (s *site) exchange(e exchange) {
	s.t.Helper()
	s.n++
	now := s.clock.now()
	m := chat.Message{ID: fmt.Sprint(s.n), Key: e.place, From: e.who, Text: e.said, Addressed: true, At: now.Add(-2 * time.Second)}
	rec := turn(m, e.told)
	rec.Entries[1].At = now
	d := &rec.Decision
	d.Usage, d.Took, d.Calls = llm.Usage{Prompt: 640, Completion: 90, Total: 730}, time.Duration(600+(s.n*373)%1900)*time.Millisecond,
		1+min(1, len(e.calls))
	d.Detail = memory.Detail{Why: e.why, Steps: []memory.Lap{{Kind: "rules", Start: 1, Took: 14},
		{Kind: "model", Name: "qwen3", Start: 15, Took: 410, Tokens: 320}}}
	at := int64(430)
	for _, c := range e.calls {
		d.Detail.Steps = append(d.Detail.Steps, memory.Lap{Kind: "tool", Name: c.Name, Start: at, Took: c.Took.Milliseconds()})
		at += c.Took.Milliseconds()
		last := len(rec.Entries) - 1
		rec.Entries = slices.Insert(rec.Entries, last, memory.Entry{Role: "tool", Name: c.Name, ToolCallID: c.CallID, Content: c.Result, At: now})
	}
	if len(e.calls) > 0 {
		d.End.Outcome = chat.Answered
		d.Detail.Steps = append(d.Detail.Steps, memory.Lap{Kind: "model", Name: "qwen3", Start: at, Took: 120, Tokens: 410})
	}
	if len(e.why) > 0 {
		d.Detail.Playbook = json.RawMessage(`{"top_matches":[{"guideline_id":"refund_policy"}],"dropped":[{"guideline_id":"stay_polite"}]}`)
	}
	if e.fail != "" {
		d.End, d.Detail.Error = chat.End{Outcome: chat.Failed, ErrorID: "ABCD1234"}, e.fail
		rec.Entries = rec.Entries[:1]
	}
	rec.Calls = e.calls
	s.finish(m, rec)
}

func keyOf(s string) chat.Key { k, _ := chat.ParseKey(s); return k }

func userOf(id, name string) chat.User { return chat.User{ID: id, Name: name} }
