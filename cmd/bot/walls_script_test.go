package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// The five people. What ben, and in some tales dan, says where nobody else reads is what makes
// the worlds differ.
const (
	eva = iota // the owner
	anna
	ben
	cleo
	dan
)

var folks = []string{"eva", "anna", "ben", "cleo", "dan"}

// tale is which private words make two worlds differ.
type tale struct {
	control   bool  // they are said in both worlds, which must not differ
	secretive []int // whose
	company   bool  // and they speak among others, in both worlds
	forgotten bool  // and then they are forgotten
	owner     bool  // what the owner sees is compared too
}

// others are the people whose words are the same in both worlds.
func (t *tale) others() (list []int) {
	for who := range folks {
		if !slices.Contains(t.secretive, who) {
			list = append(list, who)
		}
	}
	return list
}

var tales = map[string]*tale{
	"control":   {secretive: []int{ben}, company: true, control: true},
	"beside":    {secretive: []int{ben}, company: true},
	"several":   {secretive: []int{ben, dan}, company: true},
	"forgotten": {secretive: []int{ben}, forgotten: true},

	"exceptions": {secretive: []int{ben}, owner: true},
}

// taleNames are those whose scripts are drawn.
var taleNames = []string{"beside", "forgotten", "several", "control"}

// turn is what one person does.
type turn struct {
	who     int
	front   string // telegram, discord, terminal; "" for none
	place   string // of many; "" is a direct chat
	text    string // at the terminal, lines
	press   bool   // a button of the newest message that has one; pick chooses
	pick    int
	deed    string // kill
	private bool   // done in one world alone
	last    bool   // agrees to be forgotten
}

func (t turn) name() string { return folks[t.who] }

func (t turn) id() int64 {
	if t.who == eva {
		return 1
	}
	return int64(10 + t.who)
}

func (t turn) chat() int64 {
	if t.place == "" {
		return t.id()
	}
	return -100
}

func (t turn) String() string {
	if t.deed != "" {
		return t.deed
	}
	does := fmt.Sprintf("says %q", t.text)
	if t.press {
		does = "presses a button"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s on %s %s", t.name(), does, t.front, t.place))
}

// writer draws a script.
type writer struct {
	*rand.Rand
	tale  *tale
	lines []string // texts that people say
	notes int
	heard []string // what was said, to be said again by others
}

// script draws an episode: about a third of its turns are private.
func (e episode) script(t *testing.T) (script []turn) {
	w := &writer{Rand: rand.New(rand.NewPCG(uint64(e.seed), 5)), tale: tales[e.tale], lines: wallsTexts(t, e.seed)}
	forgets := 2 * e.turns / 3
	for who := range folks { // whether a direct chat is open shows in company
		if w.tale.company || !w.secretive(who) {
			script = append(script, turn{who: who, front: "telegram", text: "hello"}, turn{who: who, front: "discord", text: "hello"})
		}
	}
	for i := range e.turns {
		switch {
		case w.tale.forgotten && i == forgets:
			script = append(script, w.farewell()...)
		case i%23 == 20:
			script = append(script, turn{deed: "kill"})
		case i%29 == 14:
			script = append(script, w.typed(anna, i < forgets), w.typed(ben, i < forgets))
		}
		private := w.IntN(3) == 0 && (!w.tale.forgotten || i < forgets)
		script = append(script, w.turn(private))
	}
	return script
}

// turn draws one.
func (w *writer) turn(private bool) (t turn) {
	t.front, t.private = []string{"telegram", "discord"}[w.IntN(2)], private
	if private {
		t.who = w.tale.secretive[w.IntN(len(w.tale.secretive))]
		t.text = w.words(t, privateDoes)
		return w.pressing(t)
	}
	for t.who = w.IntN(len(folks)); ; t.who = w.IntN(len(folks)) {
		if t.who == eva || w.IntN(3) == 0 { // the owner's own view shows everything
			t.place = map[string]string{"telegram": "-100", "discord": "50"}[t.front]
		}
		switch secret := w.secretive(t.who); {
		case secret && t.place != "" && w.tale.company, !secret:
			if t.place != "" {
				t.text = w.words(t, companyDoes)
			} else {
				t.text = w.words(t, directDoes)
			}
			return w.pressing(t)
		}
	}
}

func (w *writer) secretive(who int) bool {
	return slices.Contains(w.tale.secretive, who)
}

// pressing makes of some turns a button that is pressed.
func (w *writer) pressing(t turn) turn {
	if t.front == "telegram" && t.place == "" && w.IntN(8) == 0 {
		t.press, t.pick = true, w.IntN(6)
	}
	return t
}

// typed is a visit to the terminal.
func (w *writer) typed(who int, private bool) turn {
	t := turn{who: who, front: "terminal", private: who == ben}
	if who == ben && !private {
		return turn{deed: "kill"}
	}
	var lines []string
	for range 4 {
		lines = append(lines, strings.ReplaceAll(w.words(t, directDoes), "\n", " "))
	}
	t.text = strings.Join(lines, "\n")
	return t
}

// farewell has ben forgotten wherever he was.
func (w *writer) farewell() []turn {
	t := turn{who: ben, private: true}
	at := func(front, text string, last bool) turn {
		t.front, t.text, t.last = front, text, last
		return t
	}
	return []turn{at("telegram", "/forget-me", false), at("telegram", "yes", true), at("discord", "/forget-me", false),
		at("discord", "yes", true), at("terminal", "/forget-me\nyes", true)}
}

// words draws what somebody says, by what there is to do.
func (w *writer) words(t turn, does []string) string {
	if len(w.heard) > 0 && w.IntN(10) == 0 {
		return w.heard[w.IntN(len(w.heard))]
	}
	line := w.lines[w.IntN(len(w.lines))]
	said := does[w.IntN(len(does))]
	if strings.Contains(said, "NOTE") {
		w.notes++
	}
	said = strings.NewReplacer("SAID", line, "WORD", w.word(), "ALSO", w.word(), "NOTE", fmt.Sprintf("%s-%d.md", folks[t.who], w.notes),
		"SHELF", []string{"garden.md", "kitchen.md", "travel.md"}[w.IntN(3)], "NUMBER", fmt.Sprint(1+w.IntN(4))).Replace(said)
	if !strings.HasPrefix(said, "/") && !strings.Contains(said, "{") {
		w.heard = append(w.heard, said)
	}
	return said
}

// word draws a word of what people say.
func (w *writer) word() string {
	all := strings.Fields(w.lines[w.IntN(len(w.lines))])
	return strings.Trim(strings.ToLower(all[w.IntN(len(all))]), `.,;:!?"'{}[]\`)
}

// What people do: SAID is something of what people say, WORD a word of it.
var (
	chatDoes = []string{"SAID", "SAID", "SAID", `please call recall {"query":"WORD ALSO"}`, `please call recall {"query":"SAID"}`}
	bookDoes = []string{
		`please call save_fact {"content":"I like WORD and ALSO"}`, `please call save_fact {"content":"My WORD is called ALSO"}`,
		`please call list_facts {"query":"WORD"}`, `please call update_fact {"id":NUMBER,"content":"I prefer WORD"}`,
		`please call forget_fact {"id":NUMBER}`, `please call add_task {"description":"buy WORD"}`, `please call list_tasks {}`,
		`please call complete_task {"id":NUMBER}`, `please call set_reminder {"text":"WORD ALSO","when":"in NUMBER days"}`,
		`please call list_reminders {}`, `please call cancel_reminder {"id":NUMBER}`, `please call log_entry {"content":"did WORD"}`,
		`please call list_log {"query":"WORD"}`, `please call vault_search {"query":"WORD ALSO"}`,
		`please call vault_search {"query":"SAID"}`, `please call vault_related {"path":"SHELF"}`, `please call vault_list {}`,
		`please call vault_write {"path":"NOTE","title":"WORD","content":"SAID"}`,
		`please call vault_write {"path":"NOTE","content":"WORD ALSO. SAID"}`,
		"/facts add I own a WORD", "/facts list", "/facts search WORD", "/facts undo", "/facts learned", "/facts history NUMBER",
		"/tasks add find WORD", "/tasks list", "/tasks done NUMBER", "/tasks delete NUMBER", "/remind in NUMBER hours to WORD",
		"/remind list", "/remind move NUMBER in 3 days", "/remind cancel NUMBER", "/log add I saw WORD", "/log day today",
		"/log search WORD", "/decisions", "/notes", "/notes search WORD ALSO", "/notes search SAID", "/notes show WORD",
		"/notes recent", "/notes status", "/notes related SHELF", "/session list", "/session info", "/session end", "/session reset",
		"/export", "/why", "/trace", "yes", "no", "/journey list", "/journey start parcel", "/journey status", "parcel of WORD", "ticket",
	}
	ownDoes = []string{"/status", "/help", "/start", "/agent", "/model show", "/tools list", "/hook list", "/handoff list", "/language",
		"/remind zone", "/session show nothing", "/nonsense", "/pair list", "/stats", "/config show"}
	directDoes  = append(append(append([]string{}, chatDoes...), bookDoes...), ownDoes...)
	privateDoes = append(append(append([]string{}, chatDoes...), bookDoes...), "/facts digest daily", "/facts digest session",
		`please call recall {"query":"SAID"}`)
	companyDoes = append(append([]string{}, chatDoes...), "/session info", "/session end", "/session list", "/help", "/decisions", "/why",
		`please call vault_search {"query":"WORD ALSO"}`, `please call list_facts {"query":"WORD"}`, "/facts list", "/notes search WORD",
		"/tasks list", "/remind list", "/start", "/agent")
)

// shelf are the files of notes.
var shelf = map[string]string{
	"garden.md":  "# Garden\nThe old pear tree needs a ladder. See [[kitchen]].\n\n## Water\nTwice a week, in the evening.\n",
	"kitchen.md": "# Kitchen\nBread rises twice. The blue kettle leaks.\n\n## Soup\nLeek, potato, nutmeg.\n",
	"travel.md":  "# Travel\nThe night train to the coast leaves at nine. Take a lantern. #coast\n",
}

// wallsBook asks a model about each message, and has journeys.
const wallsBook = theatreBook + `guidelines:
  - {id: sorry, condition: the person is unhappy about something, action: Say that you are sorry.}
`

// wallsTexts returns what people say: sentences of our own, or texts of a public set.
func wallsTexts(t *testing.T, seed int) (lines []string) {
	if file := os.Getenv("PARLEY_WALLS_TEXTS"); file != "" {
		data, err := os.ReadFile(file)
		must(t, err)
		var chats []struct {
			Msgs []struct{ Text string }
		}
		must(t, json.Unmarshal(data, &chats))
		for _, m := range chats[seed%len(chats)].Msgs {
			if text := strings.NewReplacer(`"`, "'", "\n", " ", "{", "(", "}", ")", `\`, "/").Replace(m.Text); len(strings.Fields(text)) > 3 &&
				len(text) < 400 && !strings.HasPrefix(text, "/") {
				lines = append(lines, text)
			}
		}
		return lines
	}
	r := rand.New(rand.NewPCG(uint64(seed), 9))
	draw := func(of string) string { all := strings.Fields(of); return all[r.IntN(len(all))] }
	for range 60 {
		lines = append(lines, fmt.Sprintf("%s %s a %s %s %s the %s.", draw("I We They Mother Somebody"),
			draw("found bought lost painted mended sold"),
			draw("blue wooden tiny broken silver quiet"), draw("kettle violin ladder lantern pear bicycle compass kayak"),
			draw("near behind under beside"), draw("station orchard harbour library bakery chapel")))
	}
	return lines
}
