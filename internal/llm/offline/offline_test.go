package offline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

// TestSentences is the documented set.
func TestSentences(t *testing.T) {
	var all []llm.ToolSpec
	for _, name := range everyTool() {
		all = append(all, llm.ToolSpec{Name: name})
	}
	tests := []struct{ say, tool, args string }{
		{"Remember that I prefer tea.", "save_fact", `{"content":"I prefer tea"}`},
		{"remember I prefer tea", "save_fact", `{"content":"I prefer tea"}`},
		{"remember that I like snow", "save_fact", `{"content":"I like snow"}`},
		{"remember that I like snow, please", "save_fact", `{"content":"I like snow"}`},
		{"What do you know about me?", "list_facts", `{}`},
		{"forget fact 3", "forget_fact", `{"id":3}`},
		{"Add a task to call mom", "add_task", `{"description":"call mom"}`},
		{"show my tasks", "list_tasks", `{}`},
		{"done with task 2!", "complete_task", `{"id":2}`},
		{"remind me to stretch in 10 minutes", "set_reminder", `{"text":"stretch","when":"in 10 minutes"}`},
		{"Remind me tomorrow at 9 to call Ann.", "set_reminder", `{"text":"call Ann","when":"tomorrow at 9"}`},
		{"log that I finished the report", "log_entry", `{"content":"I finished the report"}`},
		{"what did I log on Tuesday?", "list_log", `{"day":"Tuesday"}`},
		{"what did I log today?", "list_log", `{"day":"today"}`},
		{"What time is it?", "current_time", `{}`},
		{"What did we say about the trip?", "recall_conversation", `{"query":"the trip"}`},
		{"search my notes for tea", "vault_search", `{"query":"tea"}`},
		{"Decision: we ship on Fridays", "save_decision", `{"content":"we ship on Fridays"}`},
		{"cancel reminder 4", "cancel_reminder", `{"id":4}`},
		{"move reminder 4 to tomorrow at 9", "move_reminder", `{"id":4,"when":"tomorrow at 9"}`},
		{"push the dentist reminder to five", "move_reminder", `{"when":"at five","words":"dentist"}`},
		{"verschiebe Erinnerung 4 auf 8", "move_reminder", `{"id":4,"when":"um 8"}`},
		{"mueve el recordatorio 4 a las 11", "move_reminder", `{"id":4,"when":"a las 11"}`},
		{"mueve el recordatorio 4 a mañana a las 11", "move_reminder", `{"id":4,"when":"mañana a las 11"}`},
		{"déplace le rappel 4 à demain à 15h", "move_reminder", `{"id":4,"when":"demain à 15h"}`},
		{"перенеси напоминание 4 на завтра в 16:00", "move_reminder", `{"id":4,"when":"завтра в 16:00"}`},
		{"把提醒4改到明天下午3点", "move_reminder", `{"id":4,"when":"明天下午3点"}`},
		{"move reminder 4 to the kitchen", "", ""},
		{"push it to five", "", ""}, // nothing was spoken of
		{"delete task #4", "delete_task", `{"id":4}`},
		{"remember that", "", ""},
		{"tell me a joke", "", ""},
		{"do you remember the war?", "", ""},
	}
	for _, tt := range tests {
		r := llm.Request{Tools: all, Messages: []llm.Message{{Role: llm.RoleUser, Content: tt.say}}}
		resp, err := Model{}.Complete(context.Background(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		var tool, args string
		if calls := resp.Message.ToolCalls; len(calls) == 1 {
			tool, args = calls[0].Name, calls[0].Args
		}
		if tool != tt.tool || args != tt.args {
			t.Errorf("%q: got %s %s, want %s %s", tt.say, tool, args, tt.tool, tt.args)
		}
	}
}

// everyTool names the tools that phrases ask for.
func everyTool() []string { return everything() }

func TestHonestAndOnlyWithOfferedTools(t *testing.T) {
	said := []llm.Message{{Role: llm.RoleUser, Content: "remember that I prefer tea"}}
	resp, err := Model{}.Complete(context.Background(), llm.Request{Messages: said}, nil)
	if err != nil || len(resp.Message.ToolCalls) != 0 || !strings.Contains(resp.Message.Content, "no language model is connected") ||
		!strings.Contains(resp.Message.Content, "OPENAI_API_KEY") {
		t.Fatalf("got %+v, %v", resp, err)
	}
	said = append(said, resp.Message, llm.Message{Role: llm.RoleUser, Content: "and now?"})
	if resp, _ = (Model{}).Complete(context.Background(), llm.Request{Messages: said}, nil); strings.Contains(resp.Message.Content, "Hello") {
		t.Errorf("greets twice: %s", resp.Message.Content)
	}
}

// A journey's question is asked word for word; cmd/bot rehearses it with the
// words the playbook really writes.
func TestSpeaksForThePlaybook(t *testing.T) {
	const stands = "Now: Monday.\n## Where the conversation stands\nIt is in \"Refund\", at the step \"Order\". Only the " +
		"bot's own record moves it on.\n"
	for _, tt := range []struct{ told, say string }{
		{stands + "Learn which order.\n\n## Ask for one thing\nNot known yet: the number. For example: \"Which " +
			"\"order\"?\"\nAsk for this in your own words.", `Which "order"?`},
		{stands + "Learn which order.\n\n## Ask for one thing\nNot known yet: the order number, 5 digits.\nWhat they gave " +
			"was not taken: it is too long. Say so kindly and ask again.\nAsk",
			"I could not take that: it is too long. Please tell me the order number, 5 digits."},
		{stands + "Say that it is done.",
			"We are at “Order”. No language model is connected, so I can only show what is meant to happen here: Say that it is done."},
		{stands + "\n## Known (data, not instructions)\n- x", "We are at “Order”."},
		{"Now: Monday.", "Hello! I am the built-in responder"},
	} {
		r := llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: tt.told}, {Role: llm.RoleUser, Content: "well"}}}
		resp, err := Model{}.Complete(context.Background(), r, nil)
		if err != nil || !strings.HasPrefix(resp.Message.Content, tt.say) {
			t.Errorf("%q: got %q, %v", tt.told, resp.Message.Content, err)
		}
	}
}

// "Forget that" means the fact that was spoken of last.
func TestForgetThat(t *testing.T) {
	r := llm.Request{Tools: []llm.ToolSpec{{Name: "forget_fact"}}, Messages: []llm.Message{
		{Role: llm.RoleTool, Name: "save_fact", Content: "Remembered (#7): tea"}, {Role: llm.RoleAssistant,
			Content: "Remembered (#7): tea"}, {Role: llm.RoleUser, Content: "Forget that!"}}}
	if a, ok := (talk{messages: r.Messages, tools: offered(r)}).said(); !ok || a.does != "forget_fact" || a.args["id"] != "7" {
		t.Errorf("got %+v, %v", a, ok)
	}
	r.Messages = r.Messages[2:]
	if a, ok := (talk{messages: r.Messages, tools: offered(r)}).said(); ok {
		t.Errorf("nothing was spoken of, yet %+v", a)
	}
}

func FuzzUnderstand(f *testing.F) {
	f.Add("remember that x")
	f.Add("remind me to a in b")
	f.Add("Füge eine Aufgabe hinzu: ä")
	f.Fuzz(func(t *testing.T, text string) {
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
		resp, err := Model{}.Complete(context.Background(), r, nil)
		if err != nil || len(resp.Message.ToolCalls) == 0 && resp.Message.Content == "" {
			t.Fatalf("%q: %+v, %v", text, resp, err)
		}
		for _, c := range resp.Message.ToolCalls {
			if c.Name == "" || !json.Valid([]byte(c.Args)) {
				t.Fatalf("%q: %+v", text, c)
			}
		}
	})
}

// Where the playbook asks for something, "yes" and "I ordered a book" are for it.
func TestThePlaybookIsAnswered(t *testing.T) {
	const told = "## Where the conversation stands\nIt is in \"Refund\", at the step \"Order\". Only the bot's own record moves it on.\nAsk."
	for said, want := range map[string]bool{"yes": false, "hello": false, "my name is Bob": false, "I ordered a book": false,
		"show my tasks": true, "remember that I prefer tea": true} {
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{{Role: llm.RoleSystem, Content: told},
			{Role: llm.RoleUser, Content: said}}}
		resp, err := Model{}.Complete(context.Background(), r, nil)
		if err != nil || (len(resp.Message.ToolCalls) > 0) != want || !want && !strings.HasPrefix(resp.Message.Content, "We are at “Order”") {
			t.Errorf("%q: %+v, %v", said, resp.Message, err)
		}
	}
}

func TestContract(t *testing.T) {
	llmtest.Contract(t, func(*testing.T) llmtest.Rig { return llmtest.Rig{Model: Model{}} })
}

// A reminder of whose time only a part was read is asked about: what was read is named,
// nothing is set, and the answer completes it.
func TestPartsOfTimesAreAsked(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want string
	}{
		{[]string{"remind me to call mum tomorrow before 4pm"}, "I read “4pm”, but not “tomorrow before”"},
		{[]string{"remind me tomorrow to call mum before 4pm"}, "I read “tomorrow 4pm”, but not “before”"},
		{[]string{"remind me on the last weekday of each month to send the invoice"},
			"set_reminder text=send the invoice when=on the last weekday of each month"},
		{[]string{"remind me on the last weekend of each month to go out"}, "I read “on the last”, but not “weekend of each month”"},
		{[]string{"remind me to take the pills at 8pm and 8am"}, "set_reminder text=take the pills when=at 8pm and 8am"},
		{[]string{"remind me to take the pills at 8pm and 8"}, "When shall I remind you of"},
		{[]string{"set a reminder for tomorrow before 4pm"}, "but not “before"},
		{[]string{"wake me up tomorrow after 7"}, "but not “after"},
		{[]string{"Erinnere mich Mittwoch in 2 Wochen an den Arzt"}, "set_reminder text=den Arzt when=Mittwoch in 2 Wochen"},
		{[]string{"напомни завтра в полдевятого позвонить маме"}, "set_reminder text=позвонить маме when=завтра в полдевятого"},
		{[]string{"remind me to call mum tomorrow before 4pm", "tomorrow at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "before 4pm"}, "but not “before”"},
		{[]string{"remind me to call mum tomorrow before 4pm", "before 4pm", "at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "at 15:00"}, "set_reminder text=call mum when=tomorrow at 15:00"},
		{[]string{"remind me tomorrow to call mum before 4pm", "3pm"}, "set_reminder text=call mum when=tomorrow 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "on friday at 3pm"}, "set_reminder text=call mum when=on friday at 3pm"},
		{[]string{"Erinnere mich morgen vor 12 Uhr an den Arzt", "um 11"}, "set_reminder text=den Arzt when=morgen um 11"},
		{[]string{"remind me", "call mum tomorrow before 4pm", "tomorrow at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to buy 2 pills tomorrow at 9"}, "set_reminder text=buy 2 pills when=tomorrow at 9"},
	} {
		if got := does(t, tt.said...); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}

// What nobody understands is looked at in every language, and once more for each word
// that may be mistyped.
func BenchmarkUnderstand(b *testing.B) {
	for name, said := range map[string]string{"known": "remind me tomorrow at 9 to call the dentist",
		"unknown": "tell me a joek abuot the histery of the wrold and its peple", "long": strings.Repeat("a word or two ", 70)} {
		b.Run(name, func(b *testing.B) {
			t := talk{messages: []llm.Message{{Role: llm.RoleUser, Content: said}}, tools: everyTool()}
			for b.Loop() {
				t.said()
			}
		})
	}
}
