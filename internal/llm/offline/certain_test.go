package offline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/text/catalog"
)

// lane says what the free lane does about the last of some sentences: its calls, the text
// that needs none, or "" for what it leaves to the model.
func lane(t *testing.T, said ...llm.Message) string {
	t.Helper()
	resp, err := Model{Sure: true}.Complete(t.Context(), llm.Request{Callable: everyTool(), Messages: said}, nil)
	if errors.Is(err, llm.ErrNone) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range resp.Message.ToolCalls {
		calls = append(calls, c.Name+c.Args)
	}
	return strings.Join(calls, " + ") + resp.Message.Content
}

func says(said string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: said} }

// What only sounds like a wish is left to the model, or asked about where there is none.
func TestTheLaneLeavesWhatIsNotCertain(t *testing.T) {
	for _, said := range []string{
		"I need to book a flight", "I want to visit the cliffs", "I called mom", "I live in Zürich",
		"remember when we met?", "Remember that time we went fishing?", "Remind me again, Emilia, what are you majoring in?",
		"how do i set a reminder", "should I add milk to my shopping list?", "did you add milk to my shopping list?",
		"remember that. It was the best day of my life. I will never forget it!", "looks like fun!", "my sister is done with school",
		"hello", "thanks", "yes", "what is the capital of France?", "add this to my list", "don't forget to smile",
		"remind me at 5 to call mom and delete my account", "add milk to my shopping list and translate it",
		"Soll ich Milch auf die Einkaufsliste setzen?", "Ich muss noch einkaufen", "Ich wohne in Bern", "Hast du mich erinnert?",
		"Tengo que irme", "¿Debo añadir leche a mi lista?", "je dois partir", "мне надо идти", "я купил хлеб", "我要走了", "我喜欢你",
		"remind me to buy milk the next time I go shopping", "remind me of my pin", "remind me again", "remnid me to stretch in 10 minutes",
		"remind me at a party to smile",
	} {
		if got := lane(t, says(said)); got != "" {
			t.Errorf("%q: %s", said, got)
		}
	}
}

func TestTheLaneTakesWhatIsCertain(t *testing.T) {
	for said, want := range map[string]string{
		"remind me tomorrow at 9 to call the dentist":                         `set_reminder{"text":"call the dentist","when":"tomorrow at 9"}`,
		"Can you remind me at 14:30 about the meeting?":                       `set_reminder{"text":"the meeting","when":"at 14:30"}`,
		"add milk to my shopping list":                                        `add_task{"description":"buy milk"}`,
		"add milk to my shopping list and remind me at 5pm to call mom":       `add_task{"description":"buy milk"} + set_reminder{"text":"call mom","when":"at 5pm"}`,
		"i want to know my reminders":                                         `list_reminders{}`,
		"Wie spät ist es in Tokio?":                                           `current_time{"time_zone":"Asia/Tokyo"}`,
		"东京现在几点？":                                                             `current_time{"time_zone":"Asia/Tokyo"}`,
		"¿Qué hora es en Londres?":                                            `current_time{"time_zone":"Europe/London"}`,
		"what's on my grocery list?":                                          `list_tasks{}`,
		"take milk off my shopping list":                                      `delete_task{"words":"milk"}`,
		"call me later":                                                       "",
		"what is my name again":                                               `list_facts{"query":"name"}`,
		"quelle heure est-il à Paris ?":                                       `current_time{"time_zone":"Europe/Paris"}`,
		"который час в Москве?":                                               `current_time{"time_zone":"Europe/Moscow"}`,
		"Stell einen Timer auf 10 Minuten":                                    `set_reminder{"text":"Timer","when":"in 10 Minuten"}`,
		"поставь таймер на 10 минут":                                          `set_reminder{"text":"таймер","when":"через 10 минут"}`,
		"mets un minuteur de 10 minutes":                                      `set_reminder{"text":"minuteur","when":"dans 10 minutes"}`,
		"pon un temporizador de 10 minutos":                                   `set_reminder{"text":"temporizador","when":"en 10 minutos"}`,
		"what time is it in Tokyo?":                                           `current_time{"time_zone":"Asia/Tokyo"}`,
		"set a timer for ten minutes":                                         `set_reminder{"text":"timer","when":"in ten minutes"}`,
		"what is 15% of 60?":                                                  "15% of 60 = 9",
		"is there milk on my shopping list":                                   `list_tasks{}`,
		"what time is it?":                                                    `current_time{}`,
		"what is 12 * (3 + 4)?":                                               "12 * (3 + 4) = 84",
		"show my tasks":                                                       `list_tasks{}`,
		"remember that I prefer tea":                                          `save_fact{"content":"I prefer tea"}`,
		"what did we say about the trip?":                                     `recall_conversation{"query":"the trip"}`,
		"Erinnere mich morgen um 9 an den Arzt":                               `set_reminder{"text":"den Arzt","when":"morgen um 9"}`,
		"Kannst du mich morgen um 9 an den Arzt erinnern?":                    `set_reminder{"text":"den Arzt","when":"morgen um 9"}`,
		"¿Puedes añadir leche a mi lista de la compra?":                       `add_task{"description":"comprar leche"}`,
		"recuérdame mañana a las 9 llamar a mamá":                             `set_reminder{"text":"llamar a mamá","when":"mañana a las 9"}`,
		"rappelle-moi demain à 9h de boire":                                   `set_reminder{"text":"boire","when":"demain à 9h"}`,
		"напомни мне через 10 минут попить воды":                              `set_reminder{"text":"попить воды","when":"через 10 минут"}`,
		"十分钟后提醒我喝水":                                                           `set_reminder{"text":"喝水","when":"十分钟后"}`,
		"Setz Milch auf die Einkaufsliste und erinnere mich um 17 Uhr an Oma": `add_task{"description":"Milch kaufen"} + set_reminder{"text":"Oma","when":"um 17 Uhr"}`,
	} {
		if got, _, _ := strings.Cut(lane(t, says(said)), "\n"); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}

// A statement changes nothing before the person agrees with what it was taken for.
func TestAGuessIsAskedAbout(t *testing.T) {
	for _, tt := range []struct{ said, yes, does string }{
		{"I need to pay the rent", "yes", `add_task{"description":"pay the rent"}`},
		{"I live in Zürich", "Yes!", `save_fact{"content":"I live in Zürich"}`},
		{"I called mom", "ok", `complete_task{"words":"I called mom"}`},
		{"Ich wohne in Bern", "ja", `save_fact{"content":"Ich wohne in Bern"}`},
		{"мне надо купить хлеб", "да", `add_task{"description":"купить хлеб"}`},
	} {
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{says(tt.said)}}
		asks, err := Model{}.Complete(t.Context(), r, nil)
		if err != nil || len(asks.Message.ToolCalls) != 0 || !strings.ContainsAny(asks.Message.Content, "“«„") {
			t.Fatalf("%q: %+v, %v", tt.said, asks.Message, err)
		}
		for answer, want := range map[string]string{tt.yes: tt.does, "no": "", "show my tasks": "list_tasks{}"} {
			r.Messages = []llm.Message{says(tt.said), asks.Message, says(answer)}
			resp, err := Model{}.Complete(t.Context(), r, nil)
			got := ""
			for _, c := range resp.Message.ToolCalls {
				got += c.Name + c.Args
			}
			if err != nil || got != want {
				t.Errorf("%q, %q: %s, want %s, %v", tt.said, answer, got, want, err)
			}
		}
		r.Messages = []llm.Message{says(tt.said), {Role: llm.RoleAssistant, Content: "Something else?"}, says(tt.yes)}
		if resp, _ := (Model{}).Complete(t.Context(), r, nil); len(resp.Message.ToolCalls) != 0 {
			t.Errorf("%q: agreed to what was never asked: %+v", tt.said, resp.Message.ToolCalls)
		}
	}
}

// Each of several results is told, in the order in which they were asked for.
func TestSeveralResultsAreTold(t *testing.T) {
	calls := []llm.ToolCall{{ID: callID + "1", Name: "add_task", Args: "{}"}, {ID: callID + "2", Name: "set_reminder", Args: "{}"}}
	got := lane(t, says("add milk to my list and remind me at 5pm to call mom"), llm.Message{Role: llm.RoleAssistant, ToolCalls: calls},
		llm.Message{Role: llm.RoleTool, Name: "add_task", ToolCallID: calls[0].ID, Content: "Task #1 added: milk"},
		llm.Message{Role: llm.RoleTool, Name: "set_reminder", ToolCallID: calls[1].ID, Content: "DECLINED: no"})
	if want := "Task #1 added: milk\n" + (catalog.Printer{}).Text("All right, nothing was changed."); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nobody pays with waiting for what the lane does not take.
func BenchmarkLane(b *testing.B) {
	for i, said := range []string{"remind me tomorrow at 9 to call the dentist", "tell me a joke about the history of the world and its people"} {
		b.Run(fmt.Sprint(i), func(b *testing.B) {
			r := llm.Request{Callable: everyTool(), Messages: []llm.Message{says(said)}}
			for b.Loop() {
				_, _ = Model{Sure: true}.Complete(b.Context(), r, nil)
			}
		})
	}
}
