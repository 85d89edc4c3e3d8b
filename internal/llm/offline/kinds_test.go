package offline

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/text/catalog"
)

// understood is what newcomers type, as what it asks for: a tool with its arguments, or
// an answer. Sentences of the same kind with other words stand beside them.
var understood = []struct{ say, does string }{
	{"hello!", "greeting"}, {"Good morning", "greeting"}, {"hey there", "greeting"}, {"hi bot", "greeting"},
	{"what can you do", "help"}, {"help", "help"}, {"how does this work?", "help"}, {"What can I say here?", "help"}, {"?", ""},
	{"who are you?", "about"}, {"what is Parley", "about"}, {"are you a bot?", "about"},
	{"remember that I prefer tea", `save_fact content=I prefer tea`}, {"my name is Bob", `save_fact content=my name is Bob`},
	{"I live in Zürich", `save_fact content=I live in Zürich`},
	{"pls remember my wifes birthday is 3rd of march", `save_fact content=my wifes birthday is 3rd of march`},
	{"rember that my dog is called rex", `save_fact content=my dog is called rex`}, {"remeber: the code is 1234",
		`save_fact content=the code is 1234`},
	{"I'm allergic to nuts", `save_fact content=I'm allergic to nuts`}, {"my favourite colour is blue",
		`save_fact content=my favourite colour is blue`}, {"I like hiking", `save_fact content=I like hiking`},
	{"what do you know about me?", "list_facts"}, {"show my facts", "list_facts"},
	{"whats my name?", "list_facts query=name"}, {"What is my name", "list_facts query=name"}, {"what do i drink?",
		"list_facts query=drink"}, {"do I like tea or coffee?", "list_facts query=like tea or coffee"},
	{"when is my wife's birthday?", "list_facts query=wife's birthday"}, {"where do I live?", "list_facts query=live"},
	{"no, I prefer coffee now", "save_fact content=I prefer coffee"}, {"actually my name is Robert", "save_fact content=my name is Robert"},
	{"remind me to stretch in 10 minutes", "set_reminder text=stretch when=in 10 minutes"}, {"remind me in 10 min to drink water",
		"set_reminder text=drink water when=in 10 min"}, {"remind me tomorrow at 9 to call the dentist",
		"set_reminder text=call the dentist when=tomorrow at 9"},
	{"remind me on friday at 5pm to submit timesheet", "set_reminder text=submit timesheet when=on friday at 5pm"},
	{"set a reminder for 6pm", "What shall I remind you of (6pm)?"}, {"remind me every day at 8 to take pills",
		"set_reminder text=take pills when=every day at 8"},
	{"wake me up in an hour", "set_reminder text=wake up when=in an hour"}, {"remind me to buy milk",
		"When shall I remind you of “buy milk”?"}, {"remind me", "What shall I remind you of, and when?"},
	{"can you remind me about the meeting at 14:30?", "set_reminder text=the meeting when=at 14:30"},
	{"remnid me to stretch in 10 minutes", "set_reminder text=stretch when=in 10 minutes"},
	{"show my reminders", "list_reminders"}, {"list reminders", "list_reminders"}, {"do I have any reminders?", "list_reminders"},
	{"cancel the dentist reminder", "cancel_reminder words=dentist"}, {"cancel reminder 2", "cancel_reminder id=2"},
	{"delete the reminder about the dentist", "cancel_reminder words=dentist"},
	{"add a task to call mom", "add_task description=call mom"}, {"add task buy milk", "add_task description=buy milk"},
	{"todo: pay rent", "add_task description=pay rent"}, {"I need to pay the rent", "add_task description=pay the rent"},
	{"put eggs on my shopping list", "add_task description=buy eggs"}, {"add bread to my list", "add_task description=bread"},
	{"what are my tasks", "list_tasks"}, {"show tasks", "list_tasks"}, {"what do I have to do today?", "list_tasks"},
	{"shwo my tasks", "list_tasks"},
	{"done with #1", "complete_task id=1"}, {"I called mom", "complete_task words=I called mom"}, {"mark buy milk as done",
		"complete_task words=buy milk"}, {"task 3 is done", "complete_task id=3"}, {"delete task 2", "delete_task id=2"},
	{"remove eggs from my shopping list", "delete_task words=eggs"},
	{"log that I finished the report", "log_entry content=I finished the report"}, {"journal: slept badly",
		"log_entry content=slept badly"}, {"what did I log today?", "list_log day=today"}, {"what did I log yesterday?",
		"list_log day=yesterday"}, {"show my journal", "list_log"},
	{"what time is it", "current_time"}, {"what day is it today", "current_time"}, {"what's the date next friday?",
		"current_time when=next friday"}, {"how many days until christmas", "current_time when=christmas"},
	{"whats the date today", "current_time"},
	{"what did we say about the dentist?", "recall_conversation query=the dentist"}, {"search for rent", "vault_search query=rent"},
	{"forget that I prefer tea", "forget_fact words=I prefer tea"}, {"forget everything about me", "all"},
	{"forget my name", "forget_fact words=my name"}, {"delete all my data", "all"},
	{"thanks", "thanks"}, {"Thank you very much!", "thanks"}, {"you're stupid", "upset"}, {"good night", "bye"},
	{"exit", "bye"}, {"quit", "bye"}, {"ok", "ok"}, {"2+2", "2+2 = 4"}, {"what is 12 * (3 + 4)?", "12 * (3 + 4) = 84"},
	{"7/2", "7/2 = 3.5"}, {"1/0", "I can't work that out."},
	{"remind me to 🧘 in 2 hours", "set_reminder text=🧘 when=in 2 hours"}, {"remember that my favourite emoji is 👩‍👩‍👧‍👦",
		"save_fact content=my favourite emoji is 👩‍👩‍👧‍👦"},

	{"Merk dir, dass ich Tee mag", "save_fact content=ich mag Tee"}, {"merk dir das ich keine nüsse vertrage",
		"save_fact content=ich vertrage keine nüsse"}, {"Merke dir bitte, dass ich morgens um 6 aufstehen muss.",
		"save_fact content=ich muss morgens um 6 aufstehen"}, {"merk dir dass wir in Bern wohnen", "save_fact content=wir wohnen in Bern"},
	{"merk dir, dass ich Hunde und Katzen mag", "save_fact content=ich mag Hunde und Katzen"},
	{"merk dir, dass ich Tee mag und Kaffee hasse", "save_fact content=dass ich Tee mag und Kaffee hasse"},
	{"merk dir, dass ich Tee mag, aber keinen Kaffee", "save_fact content=dass ich Tee mag, aber keinen Kaffee"},
	{"Merk dir, dass meine Schwester Anna heißt", "save_fact content=dass meine Schwester Anna heißt"},
	{"merk dir, dass ich um 7 aufstehe", "save_fact content=dass ich um 7 aufstehe"},
	{"merk dir: ich mag Tee", "save_fact content=ich mag Tee"}, {"merk dir, das Passwort vom WLAN hängt im Flur",
		"save_fact content=das Passwort vom WLAN hängt im Flur"}, {"logge, dass ich heute gelaufen bin",
		"log_entry content=ich bin heute gelaufen"}, {"Tagebuch: schlecht geschlafen", "log_entry content=schlecht geschlafen"},
	{"recuerda que mi hermana se llama Ana", "save_fact content=mi hermana se llama Ana"},
	{"souviens-toi que je n'aime pas le café", "save_fact content=je n'aime pas le café"}, {"retiens qu'on habite à Lyon",
		"save_fact content=on habite à Lyon"}, {"запомни что у меня аллергия на орехи", "save_fact content=у меня аллергия на орехи"},
	{"记住，我不吃花生", "save_fact content=我不吃花生"},
	{"Erinnere mich in 10 Minuten an den Kuchen", "set_reminder text=den Kuchen when=in 10 Minuten"},
	{"Füge eine Aufgabe hinzu: Mama anrufen", "add_task description=Mama anrufen"}, {"Wie spät ist es?", "current_time"},
	{"Was weißt du über mich?", "list_facts"}, {"Hilfe", "help"},
	{"Hallo!", "greeting"}, {"Ich heiße Anna", "save_fact content=Ich heiße Anna"}, {"Zeig meine Aufgaben", "list_tasks"},
	{"Welche Erinnerungen habe ich?", "list_reminders"}, {"Erinnere mich an die Milch", "When shall I remind you of “die Milch”?"},
	{"Erledigt: 3", "complete_task id=3"}, {"Danke", "thanks"}, {"Was kannst du?", "help"}, {"Wecke mich um 7",
		"set_reminder text=aufwachen when=um 7"},
	{"recuerda que me gusta el café", "save_fact content=me gusta el café"}, {"recuérdame en 10 minutos llamar a mamá",
		"set_reminder text=llamar a mamá when=en 10 minutos"}, {"¿qué hora es?", "current_time"}, {"ayuda", "help"},
	{"hola", "greeting"}, {"¿Qué sabes de mí?", "list_facts"}, {"añade una tarea: comprar pan", "add_task description=comprar pan"},
	{"mis tareas", "list_tasks"}, {"me llamo Ana", "save_fact content=me llamo Ana"}, {"gracias", "thanks"},
	{"记住我喜欢喝茶", "save_fact content=我喜欢喝茶"}, {"十分钟后提醒我喝水", "set_reminder text=喝水 when=十分钟后"}, {"现在几点了?", "current_time"},
	{"你好", "greeting"}, {"帮助", "help"}, {"提醒我明天早上8点开会", "set_reminder text=开会 when=明天早上8点"}, {"添加任务：买牛奶", "add_task description=买牛奶"},
	{"我的任务", "list_tasks"}, {"你知道我什么？", "list_facts"}, {"谢谢", "thanks"},
	{"retiens que j'aime le thé", "save_fact content=j'aime le thé"}, {"rappelle-moi dans 10 minutes de boire",
		"set_reminder text=boire when=dans 10 minutes"}, {"quelle heure est-il ?", "current_time"}, {"aide", "help"},
	{"bonjour", "greeting"}, {"ajoute une tâche : acheter du pain", "add_task description=acheter du pain"},
	{"que sais-tu de moi ?", "list_facts"}, {"mes tâches", "list_tasks"},
	{"запомни, что я люблю чай", "save_fact content=я люблю чай"}, {"напомни мне через 10 минут попить воды",
		"set_reminder text=попить воды when=через 10 минут"}, {"который час?", "current_time"}, {"помощь", "help"},
	{"привет", "greeting"}, {"добавь задачу: купить хлеб", "add_task description=купить хлеб"}, {"что ты знаешь обо мне?",
		"list_facts"}, {"мои задачи", "list_tasks"},

	{"tell me a joke", ""}, {"sing me a song", ""}, {"what is the capital of France?", ""}, {"write a poem about the sea", ""},
	{"remember that", ""}, {"do you remember the war?", ""}, {"I have a question", "help"}, {"is it going to rain?", ""},
	{"Erzähl mir einen Witz", ""}, {"how far is the moon", ""}, {"when is the next train to Bern?", ""},
}

// does says what the responder does about the last of some sentences.
func does(t *testing.T, said ...string) string {
	t.Helper()
	r := llm.Request{Callable: everyTool()}
	for i, s := range said {
		if i > 0 {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, Content: "…"})
		}
		r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Content: s})
	}
	a, ok := (talk{messages: r.Messages, tools: r.Callable}).said()
	if !ok {
		return ""
	}
	call, text := Model{}.answer(catalog.Printer{}, a)
	if call == nil && (a.does == "sum" || a.does == "set_reminder") {
		return text
	}
	out := []string{a.does}
	for name, value := range a.args {
		out = append(out, name+"="+value)
	}
	slices.Sort(out[1:])
	return strings.Join(out, " ")
}

func TestWhatNewcomersType(t *testing.T) {
	for _, tt := range understood {
		if got := does(t, tt.say); got != tt.does && !(strings.Contains(tt.does, "?") && strings.HasPrefix(got, tt.does)) &&
			!(strings.HasPrefix(tt.does, tt.say) && strings.HasPrefix(got, tt.does)) && !strings.HasPrefix(got, tt.does+"\n") {
			t.Errorf("%q is %q, want %q", tt.say, got, tt.does)
		}
	}
}

// firstSentences are what people type first.
var firstSentences = []string{"hi", "what can you do?", "who are you", "help", "my name is Anna", "what's my name?",
	"remind me to call mom tomorrow at 10", "what time is it?", "add milk to my shopping list", "what's on my list?",
	"thanks!", "tell me a joke"}

func TestFirstSentences(t *testing.T) {
	n := 0
	for _, s := range firstSentences {
		if does(t, s) != "" {
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d of the first %d sentences are understood", n, len(firstSentences))
	}
}

// A reminder that lacks its time or what it is for is completed by what is said next.
func TestRemindersAreCompleted(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want string
	}{
		{[]string{"remind me to buy milk", "tomorrow at 9"}, "set_reminder text=buy milk when=tomorrow at 9"},
		{[]string{"remind me to buy milk", "every day at 8"}, "set_reminder text=buy milk when=every day at 8"},
		{[]string{"set a reminder for 6pm", "call mom"}, "set_reminder text=call mom when=6pm"},
		{[]string{"remind me", "call mom in 10 minutes"}, "set_reminder text=call mom when=in 10 minutes"},
		{[]string{"remind me", "call mom", "in 10 minutes"}, "set_reminder text=call mom when=in 10 minutes"},
		{[]string{"Erinnere mich an die Milch", "morgen um 9"}, "set_reminder text=die Milch when=morgen um 9"},
		{[]string{"remind me to buy milk", "show my tasks"}, "list_tasks"},
		{[]string{"remind me to buy milk", "show my tasks", "tomorrow at 9"}, ""},
		{[]string{"remind me to buy milk", "the moon is made of cheese"}, ""},
	} {
		if got := does(t, tt.said...); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}

// Each file says what a native speaker may have mistyped, and what people are shown is
// understood.
func TestBooks(t *testing.T) {
	for _, bad := range []string{"greeting hello", "greeting : (hello", "greeting : hello]", "greeting : {Name}", "greeting : {x"} {
		if _, err := readBook("xx", bad); err == nil || !strings.Contains(err.Error(), "xx.txt, line 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, b := range books() {
		for _, p := range b.phrases {
			p.pattern() // panics
		}
		for does, all := range b.next {
			for _, said := range all {
				_, ok := (talk{tools: everyTool()}).in(b, strings.ReplaceAll(said, slotID, "12"))
				if !ok {
					t.Errorf("%s.txt shows “%s” after %s, which is not understood", b.tag, said, does)
				}
			}
		}
		for _, basic := range []string{"greeting", "help", "about", "thanks", "bye", "save_fact", "set_reminder", "add_task",
			"list_tasks", "current_time", "list_facts"} {
			if !slices.ContainsFunc(b.phrases, func(p phrase) bool { return p.does == basic }) {
				t.Errorf("%s.txt has no way to say %s", b.tag, basic)
			}
		}
		if len(b.next["start"]) == 0 {
			t.Errorf("%s.txt has no line “next start”", b.tag)
		}
	}
}

// People are answered in the language of what they said.
func TestAnswersInTheLanguageOfTheSentence(t *testing.T) {
	for said, want := range map[string]string{"Hilfe": "Sag zum Beispiel", "gracias": "De nada", "谢谢": "不客气",
		"merci beaucoup": "De rien", "спасибо": "Пожалуйста", "thanks": "You are welcome", "Erinnere mich an die Milch": "Wann soll ich dich"} {
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"},
			{Role: llm.RoleAssistant, Content: "…"}, {Role: llm.RoleUser, Content: said}}}
		resp, err := Model{}.Complete(t.Context(), r, nil)
		if err != nil || !strings.Contains(resp.Message.Content, want) {
			t.Errorf("%q: %q, %v", said, resp.Message.Content, err)
		}
	}
}

// What can be said next names the thing that the answer is about, and nothing where it
// is about none. It is in the language of the answer, whatever the sentence was in.
func TestNextNamesTheThing(t *testing.T) {
	for _, tt := range []struct{ said, result, want, not, speaks string }{
		{"remind me to stretch in 10 minutes", "I will remind you (#7) of “#3 again” on Monday.", "“cancel reminder 7”", "", "en"},
		{"show my reminders", "Your reminders:\n- #5 tomorrow: tea\n- #6 tomorrow: milk", "“cancel reminder 5”", "", "en"},
		{"show my reminders", "You have no reminders waiting here.", "“remind me", "cancel", "en"},
		{"add a task to call mom", "Task #12 added: call mom", "“done with #12”", "", "en"},
		{"show my tasks", "Your tasks:\n- #1 ~~tea~~ (done)\n- #4 milk", "“done with #4”", "#1”", "en"},
		{"Erinnere mich in 10 Minuten an den Kuchen", "Ich erinnere dich (#31) …", "„lösche die Erinnerung 31“", "", "de"},
		{"十分钟后提醒我喝水", "我会提醒你（#8）", "取消提醒8", "", "zh"},
		{"Aufgabe: Milch kaufen", "Tarea #2 añadida: Milch kaufen", "\n\nAhora puedes decir: «mis tareas», «hecho: 2»",
			"sagen", "es"},
		{"ajoute une tâche : appeler maman", "Aufgabe #3 hinzugefügt: appeler maman",
			"\n\nDu kannst als Nächstes sagen: „meine Aufgaben“, „erledigt: 3“", "dire", "de"},
	} {
		call := llm.ToolCall{ID: callID, Name: strings.Fields(does(t, tt.said))[0], Args: "{}"}
		r := llm.Request{Callable: everyTool(), Messages: []llm.Message{{Role: llm.RoleUser, Content: tt.said},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{call}}, {Role: llm.RoleTool, Name: call.Name, ToolCallID: callID,
				Content: tt.result}}}
		p, _ := catalog.For(tt.speaks)
		resp, err := Model{}.Complete(catalog.With(t.Context(), p), r, nil)
		got := strings.TrimPrefix(resp.Message.Content, tt.result)
		if err != nil || !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) || strings.Contains(got, "{") {
			t.Errorf("%q: after it %q, %v", tt.said, got, err)
		}
	}
}
