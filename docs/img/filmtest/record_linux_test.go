package filmtest_test

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/docs/img/filmtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/adapters/terminal/lineedit/lineedittest"
	_ "parley/internal/db/sqlite" // the driver
	"parley/internal/llm/llmtest"
	"parley/internal/memory/datadir"
	"parley/internal/text/waittest"
)

// films is where the films of the papers are.
const films = "../"

// bot is the program as it is now, set by TestMain.
var bot string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "parley-film-")
	if err != nil {
		panic(err)
	}
	bot = filepath.Join(dir, "bot")
	build := exec.Command("go", "build", "-tags", "sqlite_fts5", "-o", bot, "parley/cmd/bot")
	build.Stderr = os.Stderr
	code := 1
	if build.Run() == nil {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a bot between a fake Telegram and a fake model.
type world struct {
	tg  *telegramtest.Server
	llm *llmtest.Server
	dir string
}

func newWorld(t *testing.T) *world {
	w := &world{tg: telegramtest.New(), llm: llmtest.NewServer(), dir: t.TempDir()}
	t.Cleanup(w.tg.Close)
	t.Cleanup(w.llm.Close)
	return w
}

// start starts the bot; it ends with the test.
func (w *world) start(t *testing.T, cmd *exec.Cmd, env ...string) {
	cmd.Dir = w.dir
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "LC_ALL=C", "BOT_TELEGRAM_API_URL="+w.tg.URL(), "BOT_LOG_LEVEL=warn")
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// in returns what was sent to a chat.
func (w *world) in(chat int64) (list []telegramtest.SentMessage) {
	for _, m := range w.tg.Sent() {
		if m.Chat == chat {
			list = append(list, m)
		}
	}
	return list
}

// database opens the bot's database beside it.
func (w *world) database(t *testing.T) *sql.DB {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.dir, "data", datadir.Name)+"?_busy_timeout=10000")
	must(t, err)
	return db
}

// settled reports whether everything is answered and sent.
func (w *world) settled(t *testing.T) bool {
	db, n := w.database(t), 0
	defer func() { _ = db.Close() }()
	err := db.QueryRow("SELECT (SELECT count(*) FROM inbox WHERE state = 'new') + (SELECT count(*) FROM outbox " +
		"WHERE state IN ('ready', 'started'))").Scan(&n)
	return err == nil && n == 0
}

// passing matches what differs each time: times, sizes of processes, versions.
var passing = regexp.MustCompile(`\d+(\.\d+)? ?(ms|s)\b|\d{1,2}:\d\d|\b(today|tomorrow)\b|Parley (dev|v?\d\S*)|\b[A-Z0-9]{5}-[A-Z0-9]{5}\b`)

// shows fails a test whose film says something else than the one in the papers, apart
// from what passing matches. With PARLEY_RECORD, as make recordings sets it, it writes the
// film there instead.
func shows(t *testing.T, name string, film []byte) {
	t.Helper()
	if len(film) > 300<<10 {
		t.Errorf("%s has %d bytes", name, len(film))
	}
	if os.Getenv("PARLEY_RECORD") != "" {
		must(t, os.WriteFile(films+name, film, 0o644))
		return
	}
	old, err := os.ReadFile(films + name)
	must(t, err)
	was, err := filmtest.Words(old)
	must(t, err)
	is, err := filmtest.Words(film)
	must(t, err)
	if was, is = passing.ReplaceAllString(was, "…"), passing.ReplaceAllString(is, "…"); was != is {
		same := 0
		for same < min(len(was), len(is)) && was[same] == is[same] {
			same++
		}
		from := max(0, same-60)
		t.Errorf("docs/img/%s shows an earlier program; run make recordings.\nit says   %.200q\nnow it is %.200q",
			name, was[from:], is[from:])
	}
}

// TestRecordInit films bot init at a pseudo terminal, to the first answered message.
func TestRecordInit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.llm.Models("qwen3:8b", "gemma3:4b")
	w.llm.Respond(func(r llmtest.Request) llmtest.Turn {
		if strings.Contains(string(r.Messages[len(r.Messages)-1].Content), "capital of France") {
			return llmtest.Turn{Text: "Paris"}
		}
		if !strings.Contains(string(r.Tools), "keep_word") {
			return llmtest.Turn{Text: "Hello! What can I do for you?"}
		}
		return llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "keep_word", Args: `{"word":"hello"}`}}}
	})
	f := film(t, w)
	f.answers("[ollama]:", "1")
	f.answers("[gemma3:4b]:", "2")
	f.answers("[terminal]:", "telegram")
	f.answers("(or skip):", w.tg.Token())
	f.answers("[with the link]:", "")
	f.answers("[yes]:", "")
	f.waits("I wait for the first message", 3)
	f.waits("makes you the owner", 5)
	code := regexp.MustCompile(`/claim ([A-Z0-9-]+)`).FindStringSubmatch(f.shown())[1]
	w.tg.Push(from("Ann", 7, 7, "/start "+code))
	waittest.Until(t, "a welcome", func() bool { return len(w.in(7)) > 0 })
	w.tg.Push(from("Ann", 7, 7, "good morning"))
	f.waits("It works: ", 4)
	shows(t, "init.svg", f.terminal.SVG(
		"bot init asks who answers and where people find the bot, tries each answer, starts it and waits for the first message"))
}

// from is what somebody of that name writes.
func from(name string, chat, user int64, text string) telegramtest.Update {
	u := telegramtest.Text(chat, user, text)
	u.Message.From.FirstName = name
	return u
}

// filmed is a program at a pseudo terminal that is filmed.
type filmed struct {
	t        *testing.T
	world    *world
	keys     io.Writer
	screen   *lineedittest.Screen
	terminal *filmtest.Terminal
}

// film starts bot init at a terminal, in an empty folder.
func film(t *testing.T, w *world) *filmed {
	ours, theirs := terminalPair(t)
	f := &filmed{t: t, world: w, keys: ours, screen: lineedittest.New(104, 200), terminal: filmtest.NewTerminal("bot init", 30)}
	copied := make(chan struct{})
	go func() { defer close(copied); _, _ = io.Copy(f.screen, ours) }()
	t.Cleanup(func() {
		_ = ours.Close()
		<-copied
	})
	cmd := exec.Command(bot, "init")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	w.start(t, cmd, "OLLAMA_HOST="+hostPart(w.llm))
	_ = theirs.Close()
	return f
}

// hostPart returns where a fake model listens.
func hostPart(s *llmtest.Server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/v1")
}

// shown is what stands there, with the address that Ollama has at home.
func (f *filmed) shown() string {
	return strings.ReplaceAll(f.screen.All(), hostPart(f.world.llm), "127.0.0.1:11434")
}

// waits until the program shows some words, and films them for a time.
func (f *filmed) waits(words string, seconds float64) {
	f.t.Helper()
	waittest.Until(f.t, words+" in "+f.screen.All(), func() bool { return strings.Contains(f.whole(), words) })
	f.terminal.Show(f.whole(), seconds)
}

// whole is what is shown without a line that the program is still writing.
func (f *filmed) whole() string {
	lines := strings.Split(f.shown(), "\n")
	if row, col := f.screen.Cursor(); col > 0 && row < len(lines) {
		lines = lines[:row]
	}
	return strings.Join(lines, "\n")
}

// answers types an answer to a question.
func (f *filmed) answers(question, answer string) {
	f.t.Helper()
	asked := func() bool {
		all := f.shown()
		_, col := f.screen.Cursor()
		return strings.HasSuffix(all, question) && col == len([]rune(all[strings.LastIndex(all, "\n")+1:]))+1
	}
	waittest.Until(f.t, question+" in "+f.screen.All(), asked)
	f.terminal.Show(f.shown(), 2.2)
	row, col := f.screen.Cursor()
	f.terminal.Typed(row, col)
	chars := func() int { return len([]rune(f.shown())) }
	before, each := chars(), 1
	if len(answer) > 12 {
		each = len(answer) // it is pasted
	}
	for i := 0; i < len(answer); i += each {
		_, err := io.WriteString(f.keys, answer[i:i+each])
		must(f.t, err)
		waittest.Until(f.t, "a key", func() bool { return chars() > before+i+each }) // and the space before the first
		f.terminal.Show(f.shown(), 0.09)
	}
	f.terminal.Show(f.shown(), 0.6)
	_, err := io.WriteString(f.keys, "\n")
	must(f.t, err)
}

// TestRecordGroup films a group's first minutes beside the owner's direct chat, from
// what Telegram received.
func TestRecordGroup(t *testing.T) {
	t.Parallel()
	const group, owner, bob = -100, 1, 9
	w := newWorld(t)
	notes := t.TempDir()
	must(t, os.WriteFile(filepath.Join(notes, "heating.md"),
		[]byte("# Heating\n\nThe boiler was serviced on 14 October. The pressure should stand at 1.5 bar.\n"), 0o600))
	w.tg.AddChat(owner)
	w.tg.AddChat(group)
	w.start(t, exec.Command(bot), "BOT_TELEGRAM_TOKEN="+w.tg.Token(), "BOT_MODEL_BASE_URL="+w.llm.URL(), "BOT_MODEL_NAME=test",
		"BOT_ACCESS_MODE=pairing", "BOT_ACCESS_OWNERS=telegram:1", "BOT_VAULT_DIR="+notes)
	var c filmtest.Chats
	garden, own := c.Pane("The Garden", "Bob, Carol, Ann, Parley"), c.Pane("Parley", "bot · the owner's direct chat")
	see := func(p *filmtest.Pane, chat int64, n int) telegramtest.SentMessage {
		t.Helper()
		waittest.Until(t, fmt.Sprint("message ", n, " in ", chat), func() bool { return len(w.in(chat)) > n && w.settled(t) })
		m := w.in(chat)[n]
		var buttons []string
		for _, row := range m.Buttons {
			for _, b := range row {
				buttons = append(buttons, b.Text)
			}
		}
		p.Say("Parley", m.Text, buttons...)
		return m
	}
	say := func(who int64, name, text string) {
		garden.Say(name, text)
		w.tg.Push(from(name, group, who, text))
	}
	garden.Notice("Bob added Parley")
	w.tg.Push(telegramtest.Raw(fmt.Sprintf(`{"update_id":0,"my_chat_member":{"chat":{"id":%d,"type":"supergroup","title":"The Garden"},
		"from":{"id":9,"is_bot":false,"first_name":"Bob"},"date":%d,
		"old_chat_member":{"status":"left","user":{"id":1,"is_bot":true,"first_name":"p"}},
		"new_chat_member":{"status":"member","user":{"id":1,"is_bot":true,"first_name":"p"}}}}`, group, time.Now().Unix())))
	see(garden, group, 0)
	notice := see(own, owner, 0)
	own.Press("Allow here")
	w.tg.Push(telegramtest.Press(owner, owner, notice.ID, "q1", notice.Buttons[0][0].Data))
	see(own, owner, 1)
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "1", Name: "vault_search", Args: `{"query":"heating pressure"}`}}},
		llmtest.Turn{Text: "It should stand at **1.5 bar** [1]."})
	say(bob, "Bob", "@parley_bot what pressure does the heating need?")
	see(garden, group, 1)
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "2", Name: "set_reminder",
		Args: `{"text":"check the pressure","when":"in 20 minutes"}`}}},
		llmtest.Turn{Text: "I will remind you in 20 minutes."})
	say(bob, "Bob", "@parley_bot remind me in 20 minutes to check the pressure")
	see(garden, group, 2)
	w.passes(t, 20*time.Minute)
	c.Wait(1)
	garden.Notice("20 minutes later")
	see(garden, group, 3)
	shows(t, "group.svg", c.SVG(
		"A group on Telegram: Parley greets it, the owner allows it with a button, Bob gets an answer with its source, and later a reminder"))
}

// passes makes reminders due as if so much time had passed.
func (w *world) passes(t *testing.T, d time.Duration) {
	t.Helper()
	db := w.database(t)
	defer func() { _ = db.Close() }()
	_, err := db.Exec("UPDATE reminders SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', due_at, ?)", fmt.Sprintf("-%d seconds", int(d.Seconds())))
	must(t, err)
}

// terminalPair opens a pseudo terminal.
func terminalPair(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0))
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	return ours, theirs
}
