package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// house is one of two worlds: a bot between fakes that all live by one clock, which goes on by
// a minute with each turn.
type house struct {
	*world
	t       *testing.T
	tale    *tale
	private bool // what is private is said
	clock   string
	now     time.Time
	child   *exec.Cmd
	dead    chan struct{}
	rows    *sql.DB
	seen    struct{ polls, meets, sent, posts, asked, toasts int }
	asks    int // how often what is due was done
	left    []sight
	wrong   string // why it ended too soon
}

// morning is when all worlds begin.
var morning = time.Date(2026, 3, 2, 8, 0, 30, 0, time.UTC)

func newHouse(t *testing.T, e episode) *house {
	w := newWorld(t, "BOT_LIMITS_USER_TOKENS_PER_DAY=3000000", "BOT_VAULT_WRITERS=everyone").onDiscord()
	h := &house{world: w, t: t, tale: tales[e.tale]}
	h.env = slices.DeleteFunc(h.env, func(e string) bool { return strings.HasPrefix(e, "BOT_ACCESS_OWNERS") })
	dir := t.TempDir()
	h.clock = filepath.Join(dir, "clock")
	h.env = append(h.env, "BOT_ACCESS_OWNERS=telegram:1,discord:1,terminal:eva", clockEnv+"="+h.clock,
		"BOT_VAULT_DIR="+filepath.Join(dir, "notes"),
		"BOT_QUICK=on", "BOT_SESSION_HISTORY_MESSAGES=8", "BOT_CONTEXT_TOKEN_BUDGET=6000")
	if e.tale == "exceptions" {
		h.env = append(h.env, fmt.Sprint("BOT_LIMITS_TOKENS_PER_DAY=", allOfDay))
	}
	h.ticks(-1)
	h.dc.Clock(func() time.Time { return hour(h.clock) })
	must(t, os.MkdirAll(filepath.Join(dir, "notes"), 0o700))
	for name, text := range shelf {
		must(t, os.WriteFile(filepath.Join(dir, "notes", name), []byte(text), 0o600))
		must(t, os.Chtimes(filepath.Join(dir, "notes", name), morning, morning))
	}
	h.file = filepath.Join(dir, "bot.yaml")
	must(t, os.MkdirAll(filepath.Join(dir, "book"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "book", "rules.yaml"), []byte(wallsBook), 0o600))
	must(t, os.WriteFile(h.file, []byte("playbook: {dir: \""+filepath.Join(dir, "book")+"\"}\n"), 0o600))
	if e.engine == "postgres" && h.url == "" {
		h.served(t)
	}
	h.llm.Respond(wallsModel)
	h.llm.Structured(wallsForms)
	for _, chat := range append([]int64{-100}, 1, 11, 12, 13, 14) {
		h.tg.AddChat(chat)
	}
	return h
}

// ticks sets the clock to a turn.
func (h *house) ticks(turn int) {
	h.now = morning.Add(time.Duration(turn) * time.Minute)
	must(h.t, os.WriteFile(h.clock+".new", []byte(fmt.Sprint(h.now.Unix())), 0o600))
	must(h.t, os.Rename(h.clock+".new", h.clock))
}

// begin starts the process that serves both platforms.
func (h *house) begin() {
	h.seen.polls, h.seen.meets = len(h.tg.Calls("getUpdates")), h.dc.Identifies()+h.dc.Resumes()
	cmd := exec.Command(os.Args[0], "--config", h.file)
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), h.env...)
	cmd.Stderr = &h.log
	must(h.t, cmd.Start())
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); <-dead })
	h.child, h.dead = cmd, dead
}

func (h *house) over() bool {
	select {
	case <-h.dead:
		return true
	default:
		return false
	}
}

// ready waits until the process hears both platforms.
func (h *house) ready() {
	h.waits("both platforms are connected", func() bool {
		return len(h.tg.Calls("getUpdates")) > h.seen.polls && h.dc.Identifies()+h.dc.Resumes() > h.seen.meets && h.dc.Connected() > 0
	})
	if h.rows != nil {
		_ = h.rows.Close()
	}
	h.waits("the rows can be read", func() bool {
		var err error
		h.rows, err = h.look()
		return err == nil && h.one("SELECT count(*) FROM inbox") >= 0
	})
}

// ends ends the process as its service manager does, or as a power cut does.
func (h *house) ends(t *testing.T) {
	_ = h.child.Process.Signal(syscall.SIGTERM)
	if !waittest.Within(3*time.Minute, h.over) || h.child.ProcessState.ExitCode() != 0 {
		h.breaks("the process did not end well")
	}
}

func (h *house) killed() {
	_ = h.child.Process.Kill()
	<-h.dead
}

// alike gives the other world the same secrets: what is signed with them is the same.
func (h *house) alike(other *house) {
	from, err := h.look()
	must(h.t, err)
	defer func() { _ = from.Close() }()
	list, err := from.Query("SELECT name, value FROM secrets")
	must(h.t, err)
	defer func() { _ = list.Close() }()
	for list.Next() {
		var name string
		var value []byte
		must(h.t, list.Scan(&name, &value))
		other.change(h.t, fmt.Sprintf("UPDATE secrets SET value = %s WHERE name = '%s'", other.blob(value), name))
	}
	must(h.t, list.Err())
}

// blob writes bytes as its engine reads them.
func (h *house) blob(value []byte) string {
	if h.url != "" {
		return fmt.Sprintf("'\\x%x'::bytea", value)
	}
	return fmt.Sprintf("x'%x'", value)
}

func (h *house) one(query string) (n int) {
	if h.rows.QueryRow(query).Scan(&n) != nil {
		return -1
	}
	return n
}

// breaks ends a world in which something does not come true.
func (h *house) breaks(why string) {
	log := h.log.String()
	h.wrong = fmt.Sprintf("%s\n%s", why, log[max(0, len(log)-2000):])
	runtime.Goexit()
}

func (h *house) waits(what string, ok func() bool) {
	if !waittest.Within(3*time.Minute, ok) {
		h.breaks("waited in vain: " + what)
	}
}

// lives plays a script.
func (h *house) lives(script []turn) {
	h.begin()
	h.ready()
	h.looks(-1, false)
	for i, said := range script {
		h.ticks(i)
		h.plays(said)
		h.looks(i, said.private)
	}
	h.ends(h.t)
	_ = h.rows.Close()
}

// plays plays a turn, and waits until all that it led to is over. What is private is played
// in one world only, but a process begins and ends in both.
func (h *house) plays(said turn) {
	mute := said.private && !h.private
	switch {
	case said.deed == "kill":
		h.killed()
		h.begin()
		h.ready()
	case said.front == "terminal":
		h.ends(h.t)
		if !mute {
			h.types(said)
		}
		h.begin()
		h.ready()
	case mute: // what is due is done at the same turns in both
	case said.front == "telegram":
		h.onTelegram(said)
	default:
		h.onDiscordSays(said)
	}
	h.rests(said.String())
}

// types has somebody talk at the terminal, a line when the one before is answered: else it is
// chance what is answered beside what, and what comes due between.
func (h *house) types(said turn) {
	cmd := exec.Command(os.Args[0], "--config", h.file, "chat", "--user", said.name(), "--name", said.name())
	cmd.Env = append(slices.DeleteFunc(append(append(os.Environ(), childEnv+"=1"), h.env...), func(e string) bool {
		return strings.HasPrefix(e, "BOT_TELEGRAM") || strings.HasPrefix(e, "BOT_DISCORD")
	}), "BOT_DATA_DIR="+h.dir)
	var shown bytes.Buffer
	cmd.Stdout, cmd.Stderr = &shown, &h.log
	in, err := cmd.StdinPipe()
	must(h.t, err)
	must(h.t, cmd.Start())
	h.t.Cleanup(func() { _ = cmd.Process.Kill() })
	h.does(said.String(), func() bool { return false })
	for line := range strings.Lines(said.text + "\n") {
		last := h.one("SELECT coalesce(max(id), 0) FROM inbox")
		_, err := in.Write([]byte(line))
		must(h.t, err)
		h.waits(line+" is answered", func() bool {
			return h.one("SELECT coalesce(max(id), 0) FROM inbox") > last && h.one("SELECT count(*) FROM inbox WHERE state = 'new'") == 0
		})
		h.does(line, func() bool { return false })
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		h.breaks("the terminal: " + err.Error())
	}
	text := savedFile.ReplaceAllStringFunc(shown.String(), func(line string) string {
		found := savedFile.FindStringSubmatch(line)
		data, err := os.ReadFile(found[2])
		must(h.t, err)
		return found[2] + ": " + h.uploaded(&telegramtest.File{Name: found[1], Data: data})
	})
	h.left = append(h.left, sight{to: "terminal " + said.name(), text: strings.ReplaceAll(text, h.dir, "DATA"), turn: -2})
}

// savedFile is how the terminal shows a file. What is in it is compared, not its length: that
// differs with how long something took.
var savedFile = regexp.MustCompile(`\[file (\S+), \d+ bytes, saved as ([^\]\n]+)\]`)

func (h *house) onTelegram(said turn) {
	if said.press {
		for _, m := range slices.Backward(h.tg.Sent()) {
			if m.Chat == said.chat() && len(m.Buttons) > 0 && !m.Deleted {
				row := m.Buttons[said.pick%len(m.Buttons)]
				if data := row[said.pick%len(row)].Data; data != "" {
					h.tg.Push(telegramtest.Press(m.Chat, said.id(), m.ID, fmt.Sprint("p", said.pick, "-", said.place, "-", h.now.Unix()), data))
				}
				return
			}
		}
		return
	}
	text := said.text
	if said.place != "" {
		text = inCompany(true, "@parley_bot", text)
	}
	u := telegramtest.Text(said.chat(), said.id(), text)
	h.tg.Push(u)
}

func (h *house) onDiscordSays(said turn) {
	guild, channel, text := "", fmt.Sprint(1000+said.id()), said.text
	if said.place != "" {
		guild, channel, text = "77", said.place, "<@"+discordtest.App+"> "+text
	}
	id := h.dc.Message(guild, channel, fmt.Sprint(said.id()), text)
	if said.last {
		h.waits("somebody is forgotten", func() bool { return h.dcTold(channel, "I have deleted everything") })
		return
	}
	h.waits(said.String()+" is taken", func() bool {
		return h.over() || h.one("SELECT count(*) FROM inbox WHERE message_id = '"+id+"' AND state <> 'new'") > 0
	})
}

func (h *house) dcTold(channel, words string) bool {
	return slices.ContainsFunc(h.dc.Sent(), func(m discordtest.Message) bool {
		return m.Channel == channel && strings.Contains(m.Content, words)
	})
}

// rests does what is due, and waits until nothing is under way.
func (h *house) rests(what string) {
	open := func() bool {
		return h.tg.Waiting() > 0 || h.llm.Flying() > 0 || h.one(`SELECT (SELECT count(*) FROM inbox WHERE state = 'new') +
			(SELECT count(*) FROM outbox WHERE state IN ('ready', 'started') AND platform <> 'terminal') + (SELECT count(*) FROM ends) +
			(SELECT count(*) FROM bulk_work)`) != 0
	}
	for again := true; again; {
		h.waits("all is over after "+what, func() bool {
			return h.over() || h.tg.Waiting() == 0 && h.one("SELECT count(*) FROM inbox WHERE state = 'new'") == 0
		})
		h.does(what, h.over)
		if h.over() {
			h.breaks("the process ended by itself after " + what)
		}
		again = open()
	}
}

// does has what is due done, and waits until nothing is under way or the process is over.
func (h *house) does(what string, over func() bool) {
	h.asks++
	must(h.t, os.WriteFile(h.clock+".asks.new", []byte(fmt.Sprint(h.asks)), 0o600))
	must(h.t, os.Rename(h.clock+".asks.new", h.clock+".asks"))
	h.waits("what is due is done after "+what, func() bool {
		done, _ := os.ReadFile(h.clock + ".done")
		if number, failed, _ := strings.Cut(string(done), " "); failed != "" {
			h.breaks("what is due failed: " + failed)
		} else if number == fmt.Sprint(h.asks) {
			return true
		}
		return over()
	})
}

// names reports whether a request shows one of some people as who speaks.
func names(request string, people []int) bool {
	return slices.ContainsFunc(people, func(who int) bool {
		one := turn{who: who}
		return regexp.MustCompile(fmt.Sprintf(`(?i)\b(%s|user ?%d)~`, one.name(), one.id())).MatchString(request)
	})
}

// looks notes what left since the last time.
func (h *house) looks(turn int, private bool) {
	for i, s := range h.left {
		if s.turn == -2 {
			h.left[i].turn = turn
		}
	}
	var list []sight
	sent := h.tg.Sent()
	for _, m := range sent[h.seen.sent:] {
		s, _ := json.Marshal(map[string]any{"text": m.Text, "entities": m.Entities, "buttons": m.Buttons,
			"file": h.uploaded(m.File), "thread": m.Thread, "reply": m.ReplyTo})
		if !m.Deleted {
			list = append(list, sight{turn: turn, to: fmt.Sprint("telegram ", m.Chat), text: string(s)})
		}
	}
	posts := h.dc.Sent()
	for _, m := range posts[h.seen.posts:] {
		channel, only := h.dc.Readers(m)
		files := map[string]string{}
		for name, data := range m.Files {
			files[name] = h.uploaded(&telegramtest.File{Name: name, Data: data})
		}
		s, _ := json.Marshal([]any{m.Content, m.Buttons, m.Menu, m.Links, files, m.Flags, m.Pinged, m.ReplyTo, only})
		if only != "" {
			channel += " only " + only
		}
		if !m.Deleted {
			list = append(list, sight{turn: turn, to: "discord " + channel, text: string(s)})
		}
	}
	toasts := h.tg.Calls("answerCallbackQuery")
	for _, c := range toasts[h.seen.toasts:] {
		list = append(list, sight{turn: turn, to: "telegram toast", text: c.Fields["callback_query_id"] + " " + c.Fields["text"]})
	}
	asked := h.llm.Requests()
	for _, r := range asked[h.seen.asked:] {
		list = append(list, sight{turn: turn, to: "model", text: string(r.Raw)})
	}
	h.seen.sent, h.seen.posts, h.seen.toasts, h.seen.asked = len(sent), len(posts), len(toasts), len(asked)
	for _, s := range list {
		if private && s.to == "telegram toast" {
			continue
		}
		if s.to == "model" {
			theirs := names(s.text, h.tale.secretive)
			s.beside = private || theirs
			s.theirs = theirs && !strings.Contains(s.text, "This is a group") && !names(s.text, h.tale.others())
		}
		h.left = append(h.left, s)
	}
	h.left = slices.DeleteFunc(h.left, func(s sight) bool { return h.hidden(s.to) })
	for i := range h.left {
		h.left[i].text = masked(h.left[i].text)
	}
}

// uploaded shows a file as text. Where somebody is forgotten, what is kept of answers to commands
// is not shown, which may show anybody's words: the exception "forgetting".
func (h *house) uploaded(f *telegramtest.File) string {
	if f == nil {
		return ""
	}
	var export map[string]any
	if h.tale.forgotten && json.Unmarshal(f.Data, &export) == nil {
		list, _ := export["answers"].([]any)
		for _, one := range list {
			answer, _ := one.(map[string]any)
			detail, _ := answer["detail"].(map[string]any)
			if intent, _ := detail["intent"].(map[string]any); len(detail) == 0 || intent["by"] == "code" {
				delete(answer, "detail")
			}
		}
		f.Data, _ = json.MarshalIndent(export, "", "  ")
	}
	return f.Name + "\n" + string(f.Data)
}

// hidden reports whether only those read a place whose private words make the worlds differ, or
// the owner, who sees everything.
func (h *house) hidden(place string) bool {
	people := h.tale.secretive
	if !h.tale.owner {
		people = append([]int{eva}, people...)
	}
	return slices.ContainsFunc(people, func(who int) bool {
		one := turn{who: who}
		return place == fmt.Sprint("telegram ", one.id()) || place == fmt.Sprint("discord ", 1000+one.id()) || place == "terminal "+one.name() ||
			strings.HasSuffix(place, fmt.Sprint(" only ", one.id()))
	})
}

// chance is what a process draws anew each time; it stands for nothing.
var chance = regexp.MustCompile(`(?:\b|\\n)[0-9a-f]{8}\b(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?|` +
	`\b[A-Z2-7]{26}\b(:[\w-]+)?|\b[A-Z2-7]{8}(?:[A-Z2-7]{8})?\b|\b\d+(\.\d+)? ?(µs|ms|s)\b`)

// lasted is how long something took, in what people are handed.
var lasted = regexp.MustCompile(`(\\?"(?i:took|start)\\?":\s*)\d+`)

// onDisk is when a note was written: files go by the clock of this machine.
var onDisk = regexp.MustCompile(`\b(` + time.Now().UTC().Format(time.DateOnly) + "|" +
	time.Now().UTC().Add(24*time.Hour).Format(time.DateOnly) + `)[ T]\d\d:\d\d(:\d\d)?`)

// masked names what is drawn by its order.
func masked(text string) string {
	names := map[string]string{}
	text = onDisk.ReplaceAllString(text, "now")
	text = strings.ReplaceAll(lasted.ReplaceAllString(text, "$1~"), "loading, ", "ready, ") // notes, by how far the process is
	return chance.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasSuffix(found, "s") && found[0] <= '9' {
			return "~s"
		}
		if names[found] == "" {
			names[found] = fmt.Sprint("~", len(names))
		}
		return names[found]
	})
}

// wallsModel calls what it is told to, and otherwise answers with what it was told.
func wallsModel(r llmtest.Request) llmtest.Turn {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == "tool" {
		return llmtest.Turn{Text: "It came to: " + last.Text()}
	}
	var turn llmtest.Turn
	for i, found := range wish.FindAllStringSubmatch(last.Text(), -1) {
		turn.Calls = append(turn.Calls, llmtest.Call{ID: fmt.Sprint("c", len(r.Messages), i), Name: found[1], Args: found[2]})
	}
	if len(turn.Calls) == 0 {
		turn.Text = "I see. You said something of " + fmt.Sprint(len(last.Text())) + " letters."
	}
	return turn
}

// wallsForms answers with forms: verdicts and summaries that show what they were asked about.
func wallsForms(r llmtest.Request) llmtest.Turn {
	if strings.Contains(string(r.ResponseFormat), `"verdicts"`) {
		return llmtest.Turn{Text: `{"conditions":[],"variables":[],"parameters":[]}`}
	}
	return llmtest.Turn{Text: fmt.Sprintf(`{"summary":"They talked, %d letters.","title":"Talk %d","decisions":[],"facts":[]}`,
		len(r.Raw), len(r.Raw)%97)}
}
