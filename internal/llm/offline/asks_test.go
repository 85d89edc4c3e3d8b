package offline

import (
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/text/catalog"
)

// replied is what the lane makes of an answer to what it asked after a sentence, with the
// system's message between them as a turn lays it out.
func replied(t *testing.T, first, answer string) string {
	t.Helper()
	asks := llm.Message{Role: llm.RoleAssistant, Content: lane(t, says(first))}
	if asks.Content == "" || strings.Contains(asks.Content, "{") {
		t.Fatalf("%q is not asked about: %q", first, asks.Content)
	}
	return lane(t, says(first), asks, llm.Message{Role: llm.RoleSystem, Content: "Now: Friday."}, says(answer))
}

// What a reminder lacks is asked for, and an answer that is wholly that completes it.
func TestAnAnswerCompletesWhatIsAskedFor(t *testing.T) {
	for _, tt := range []struct{ first, answer, want string }{
		{"set an alarm", "7", `set_reminder{"text":"wake up","when":"at 7"}`},
		{"set an alarm", "7 in the morning please", `set_reminder{"text":"wake up","when":"7 in the morning"}`},
		{"set a timer", "10 minutes", `set_reminder{"text":"timer","when":"10 minutes"}`},
		{"set a reminder for 6pm", "call mom", `set_reminder{"text":"call mom","when":"6pm"}`},
		{"set a reminder", "call mom tomorrow at 9", `set_reminder{"text":"call mom","when":"tomorrow at 9"}`},
		{"pon una alarma", "7", `set_reminder{"text":"despertar","when":"a las 7"}`},
	} {
		if got := replied(t, tt.first, tt.answer); got != tt.want {
			t.Errorf("%q, %q: %s, want %s", tt.first, tt.answer, got, tt.want)
		}
	}
}

// Whatever is not wholly an answer is none: another wish is done, all else is the model's.
func TestWhatIsNoAnswer(t *testing.T) {
	for _, tt := range []struct{ first, answer, want string }{
		{"set an alarm", "yes", ""}, {"set an alarm", "why do you ask?", ""}, {"set an alarm", "7, and tell me a joke", ""},
		{"set an alarm", "show my tasks", "list_tasks{}"}, {"set a reminder for 6pm", "what?", ""}, {"set a reminder for 6pm", "that", ""},
		{"set a reminder for 6pm", "call mom. Or not", ""}, {"set a reminder for 6pm", "5pm", ""},
		{"set a reminder for 6pm", strings.Repeat("long ", 40), ""},
	} {
		if got := replied(t, tt.first, tt.answer); got != tt.want {
			t.Errorf("%q, %q: %s, want %s", tt.first, tt.answer, got, tt.want)
		}
	}
}

// The answer counts right after the lane's own question, from whom it asked.
func TestWhoseAnswerCounts(t *testing.T) {
	wish, hour := says("Ann~a1: set an alarm"), says("Ann~a1: 7")
	asks := llm.Message{Role: llm.RoleAssistant, Content: lane(t, wish)}
	for name, tt := range map[string]struct {
		said []llm.Message
		want string
	}{
		"the one who was asked": {[]llm.Message{wish, asks, hour}, `set_reminder{"text":"wake up","when":"at 7"}`},
		"somebody else":         {[]llm.Message{wish, asks, says("Ben~b2: 7")}, ""},
		"others in between": {[]llm.Message{wish, asks, says("Ben~b2: hi"),
			{Role: llm.RoleAssistant, Content: "Hello."}, hour}, ""},
		"a model's question": {[]llm.Message{wish, {Role: llm.RoleAssistant, Content: "When?"}, hour}, ""},
	} {
		if got := lane(t, tt.said...); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if takes := Takes(tt.said, "en"); takes != (tt.want != "") {
			t.Errorf("%s: takes %v", name, takes)
		}
	}
}

// The built-in responder takes an hour and a span for what it asked for, and a yes to a guess,
// also where the system's message stands between.
func TestTheResponderHearsItsAnswer(t *testing.T) {
	for _, tt := range []struct{ first, answer, want string }{
		{"set an alarm", "7", `set_reminder{"text":"wake up","when":"at 7"}`},
		{"set a timer", "10 minutes", `set_reminder{"text":"timer","when":"10 minutes"}`},
		{"I live in Zürich", "yes", `save_fact{"content":"I live in Zürich"}`},
	} {
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{says(tt.first)}}
		asks, err := Model{}.Complete(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Messages = append(r.Messages, asks.Message, llm.Message{Role: llm.RoleSystem, Content: "Now: Friday."}, says(tt.answer))
		resp, err := Model{}.Complete(t.Context(), r, nil)
		if calls := resp.Message.ToolCalls; err != nil || len(calls) != 1 || calls[0].Name+calls[0].Args != tt.want {
			t.Errorf("%q, %q: %+v, %v", tt.first, tt.answer, resp.Message, err)
		}
	}
}

// What points elsewhere in one language is a plain word in another.
func TestVagueWordsAreOfALanguage(t *testing.T) {
	for said, want := range map[string]string{
		"recuerda que me gusta el café": `save_fact{"content":"me gusta el café"}`,
		"remember me":                   "",
	} {
		if got := lane(t, says(said)); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
	es, _ := catalog.For("es")
	if !inOrder(es.Tag())[0].vague("qué") || inOrder("en")[0].vague("tea") {
		t.Error("vague words")
	}
}
