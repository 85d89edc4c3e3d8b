package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/engine"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// Where people are asked to take a conversation over, and where the owner talks.
const (
	theDesk  = -200
	ownerDM  = 1
	bystands = "zxbystander"
)

// theatre is a bot between fakes in which crossings are played one after the other, each
// with people and places of its own.
type theatre struct {
	*world
	t            *testing.T
	engine       string
	till, shop   *till
	rows         *sql.DB
	child        *exec.Cmd
	dead         chan struct{}
	n            int  // crossings
	cold         bool // its tool server may still be starting
	polls, meets int  // of the processes before
	terminal     bool
	typed        io.WriteCloser // where lines are typed
	shown        string         // the file with what a terminal shows
	gone         []string       // canaries of people who were forgotten
	levels       int
	appointed    string // where the settings say that the clerk answers; "" is nowhere
	desk         int64  // where its desk is now
	door         string // where programs talk to the bot

	mu    sync.Mutex
	moods map[string]mood // of a crossing, by its number
}

// mood is how the model answers one crossing's people.
type mood struct {
	status int           // an error with this status, in place of everything
	delay  time.Duration // before each answer
	chunks int           // an answer grows in so many pieces
}

// till is a tool server that pays and draws, and keeps a record.
type till struct {
	toolServer

	mu    sync.Mutex
	paid  map[int]int      // by amount
	heard map[int][]string // what people answered, by order
	held  time.Time        // until when nobody is served
}

func newTill(t *testing.T) *till {
	b := &till{toolServer: newToolServer(t), paid: map[int]int{}, heard: map[int][]string{}}
	b.url, b.end = b.serve()
	t.Cleanup(b.end)
	b.add("pay", "Pays", func(_ context.Context, r *sdk.CallToolRequest) (string, error) {
		var args struct{ Amount int }
		_ = json.Unmarshal(r.Params.Arguments, &args)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paid[args.Amount]++
		return fmt.Sprintf("paid, receipt R-%d", args.Amount), nil
	})
	b.order()
	b.reads("ponder", "Thinks", func(ctx context.Context, _ *sdk.CallToolRequest) (string, error) {
		waittest.Take(ctx, 100*time.Millisecond)
		return "thought", nil
	})
	b.AddTool(&sdk.Tool{Name: "draw", Description: "Draws", InputSchema: json.RawMessage(`{"type":"object"}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\nX")}}}, nil
		})
	return b
}

func (b *till) payments(amount int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paid[amount]
}

// theatreBook is the playbook: a journey that asks, and runs a tool by itself.
const theatreBook = `variables:
  - {name: size, description: how large the parcel is, patterns: ['(?i)parcel of (\w+)'], ask: What is the parcel size?}
  - {name: what, description: what has to be done, patterns: ['(?i)about (\w+)'], ask: What is it about?}
journeys:
  - id: ticket
    name: Ticket
    description: note what has to be done
    trigger: "literal:ticket"
    repeat: true
    initial_step: what
    steps:
      - {id: what, name: What it is, required_context: [what], transitions: [{to_step: note}]}
      - id: note
        name: Note it
        tool: add_task
        args: {description: "call about {{what}}"}
        transitions:
          - {to_step: failed, condition: "tool:add_task failed", priority: 5}
          - {to_step: noted}
      - {id: noted, name: Noted, is_terminal: true}
      - {id: failed, name: Not noted, is_terminal: true}
  - id: parcel
    name: Parcel
    description: send a parcel
    trigger: "literal:parcel"
    repeat: true
    initial_step: size
    steps:
      - {id: size, name: Ask for the parcel size, required_context: [size], transitions: [{to_step: sent}]}
      - {id: sent, name: Sent, is_terminal: true}
`

// written writes the settings; who may pay.
func (h *theatre) written(who string) {
	dir := filepath.Dir(h.file)
	must(h.t, os.WriteFile(h.file, []byte(`mcp:
  servers:
    - {name: bank, url: "`+h.till.url+`"}
    - {name: shop, url: "`+h.shop.url+`"}
tools:
  policy:
    bank__pay: {ask: always, who: `+who+`}
    bank__draw: {ask: never}
    bank__order: {ask: never}
    bank__ponder: {ask: never}
    shop__order: {ask: never}
subagents:
  - {name: errand_runner, description: Runs errands., prompt_file: "`+dir+`/runner.md", tools: [bank__pay], max_turns: 3}
agents:
  - {name: home, persona: "`+dir+`/home.md", playbook: "`+dir+`/book", places: [default]}
  - {name: clerk, persona: "`+dir+`/clerk.md", places: [`+h.appointed+`]}
limits: {user_tokens_per_day: 500000}
quick: on
`), 0o600))
}

func newTheatre(t *testing.T, engine string, terminal bool) *theatre {
	h := &theatre{world: newWorld(t, "BOT_HANDOFF_DESK=telegram:-200", "BOT_ACCESS_OWNERS=telegram:1,discord:1").onDiscord(),
		t: t, engine: engine, moods: map[string]mood{}, desk: theDesk}
	if h.terminal = terminal; terminal {
		h.env = slices.DeleteFunc(h.env, func(e string) bool {
			return strings.HasPrefix(e, "BOT_TELEGRAM") || strings.HasPrefix(e, "BOT_DISCORD") || strings.HasPrefix(e, "BOT_ACCESS") ||
				strings.HasPrefix(e, "BOT_HANDOFF")
		})
	}
	if !terminal {
		h.door = withAPI(t, h.world)
	}
	if engine == "postgres" && h.url == "" {
		h.served(t)
	}
	h.till, h.shop = newTill(t), newTill(t)
	h.llm.Structured(summed)
	dir := t.TempDir()
	h.file = filepath.Join(dir, "bot.yaml")
	must(t, os.Mkdir(filepath.Join(dir, "book"), 0o700))
	for name, text := range map[string]string{"home.md": "You are at home.", "clerk.md": "You are the clerk.",
		"runner.md":       "You run errands.",
		"book/rules.yaml": theatreBook} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	h.shown = filepath.Join(dir, "shown")
	h.written("everyone")
	h.llm.Respond(h.respond)
	h.tg.AddChat(theDesk)
	h.tg.AddChat(ownerDM)
	h.begin()
	h.warm()
	if terminal {
		return h
	}
	h.tg.Push(telegramtest.Text(8, 8, "/facts add "+bystands))
	eventually(t, "the bystander is heard", func() bool { return strings.Contains(h.texts(8), bystands) })
	return h
}

// begin starts a process; env adds to its environment.
func (h *theatre) begin(env ...string) {
	h.t.Helper()
	h.polls, h.meets = len(h.tg.Calls("getUpdates")), h.dc.Identifies()+h.dc.Resumes()
	cmd := exec.Command(os.Args[0], "--config", h.file)
	cmd.Env = append(append(append(os.Environ(), childEnv+"=1"), h.env...), env...)
	cmd.Stderr = &h.log
	if h.terminal {
		cmd.Args = append(cmd.Args, "chat")
		shown, err := os.OpenFile(h.shown, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		must(h.t, err)
		defer func() { must(h.t, shown.Close()) }()
		cmd.Stdout = shown
		in, err := cmd.StdinPipe()
		must(h.t, err)
		h.typed = in
	}
	must(h.t, cmd.Start())
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); <-dead })
	h.child, h.dead, h.cold = cmd, dead, true
}

// ready waits until the process hears both platforms, or has ended.
func (h *theatre) ready() {
	h.t.Helper()
	eventually(h.t, "both platforms are connected", func() bool {
		heard := len(h.tg.Calls("getUpdates")) > h.polls && h.dc.Identifies()+h.dc.Resumes() > h.meets
		return h.over() || h.terminal || heard && h.dc.Connected() > 0
	})
	if h.rows != nil {
		_ = h.rows.Close()
	}
	eventually(h.t, "the rows can be read", func() (ok bool) {
		var err error
		h.rows, err = h.look()
		return err == nil && h.unfinished() >= 0
	})
}

// warm waits until the tool server is in use.
func (h *theatre) warm() {
	h.t.Helper()
	h.ready()
	if h.over() {
		h.t.Fatalf("the process ended: %s", &h.log)
	}
	if h.cold && h.terminal {
		seat := &onPipe{h: h}
		eventually(h.t, "the tool server is up", func() bool {
			before := len(seat.sees())
			id := seat.says(0, "/tools servers", "")
			waittest.Within(patience, func() bool {
				return h.one("SELECT count(*) FROM inbox WHERE id "+id+" AND state <> 'new'") > 0 && h.unfinished() == 0
			})
			all := func() (said string) {
				for _, m := range seat.sees()[before:] {
					said += m.text + "\n"
				}
				return said
			}
			return waittest.Within(time.Second, func() bool { return bothUp.MatchString(all()) })
		})
		h.cold = false
	}
	if h.cold {
		h.shows(h.t, "/tools servers", "bank: up")
		h.shows(h.t, "/tools servers", "shop: up")
		h.settled(h.t)
		h.cold = false
	}
}

// over reports whether the process has ended.
func (h *theatre) over() bool {
	select {
	case <-h.dead:
		return true
	default:
		return false
	}
}

// kills ends the process as a power cut does.
func (h *theatre) kills() {
	_ = h.child.Process.Kill()
	<-h.dead
}

// ends asks the process to end, which it has to do well and in time.
func (h *theatre) ends() (wrong string) {
	if h.over() {
		return "the process ended by itself"
	}
	if h.terminal {
		_ = h.typed.Close()
	} else {
		_ = h.child.Process.Signal(syscall.SIGTERM)
	}
	if !waittest.Within(time.Minute, h.over) {
		h.kills()
		return "the process did not end when it was asked to"
	}
	if code := h.child.ProcessState.ExitCode(); code != 0 {
		return fmt.Sprint("the process ended with ", code)
	}
	return ""
}

// one returns the number that a query has, -1 where it has none.
func (h *theatre) one(query string) (n int) {
	if h.rows.QueryRow(query).Scan(&n) != nil {
		return -1
	}
	return n
}

// unfinished counts the messages to be answered and the answers to be sent.
func (h *theatre) unfinished() int {
	return h.one("SELECT (SELECT count(*) FROM inbox WHERE state = 'new') + (SELECT count(*) FROM outbox WHERE state IN ('ready', 'started'))")
}

// underWay tells what a message that came to no end waits for.
func (h *theatre) underWay(id string) string {
	text := fmt.Sprintf("%d rows of it, %d waiting at Telegram", h.one("SELECT count(*) FROM inbox WHERE message_id = '"+id+"'"), h.tg.Waiting())
	for _, query := range []string{
		"SELECT 'inbox ' || channel || ' ' || message_id || ' ' || state FROM inbox ORDER BY id DESC LIMIT 3",
		"SELECT 'outbox ' || channel || ' ' || state || ' ' || waits_for || ' ' || body FROM outbox WHERE state IN ('ready', 'started')"} {
		rows, err := h.rows.Query(query)
		if err != nil {
			return text + err.Error()
		}
		list, _ := engine.Collect(rows, engine.Value[string])
		text += "; " + strings.Join(list, "; ")
	}
	return text
}

// due makes a reminder due by now.
func (h *theatre) due(t *testing.T, word string) {
	t.Helper()
	h.change(t, "UPDATE reminders SET due_at = '"+stampAgo(0)+"' WHERE state = 'waiting' AND text LIKE '%"+word+"%'")
}

var (
	oneToken = regexp.MustCompile(`tok-(\d+)-\d+\.`)
	sentOut  = regexp.MustCompile(`^[^{]*errand of (\d+)`)
	bothUp   = regexp.MustCompile(`(?s)bank: up.*shop: up`)
	wish     = regexp.MustCompile(`(\w+__?\w+) (\{[^}]*\})`)
)

// respond is the model: it calls what it is told to, and otherwise answers with the token
// of what was said last.
func (h *theatre) respond(r llmtest.Request) llmtest.Turn {
	last, tok, to, paid := r.Messages[len(r.Messages)-1], "", "", false // to: whose answer what a tool said is
	for i, m := range r.Messages {
		if found := oneToken.FindAllString(m.Text(), -1); m.Role == "user" && len(found) > 0 {
			tok = found[len(found)-1] // with those that got no answer before it
		}
		if m.Role == "user" {
			to = ""
			if strings.Contains(m.Text(), tok) {
				to = tok
			}
		}
		for _, call := range m.ToolCalls {
			paid = slices.Contains([]string{"bank__pay", "bank__order", "errand_runner"}, call.Function.Name)
			for _, asked := range r.Messages[:i] { // the answer is to who wished for it, whatever was said since
				if strings.Contains(asked.Text(), call.Function.Arguments) && asked.Role == "user" {
					to = cmp.Or(oneToken.FindString(asked.Text()), to)
				}
			}
		}
	}
	number := "0"
	if found := oneToken.FindStringSubmatch(tok); found != nil {
		number = found[1]
	}
	h.mu.Lock()
	m := h.moods[number]
	h.mu.Unlock()
	if m.status != 0 {
		return llmtest.Turn{Status: m.status, Body: `{"error":{"message":"boom"}}`}
	}
	turn := llmtest.Turn{Delay: m.delay}
	switch {
	case last.Role == "tool" && paid: // what was said since a question has an answer of its own
		turn.Text = "It came to: " + last.Text()
	case last.Role == "tool":
		turn.Text = strings.TrimSpace(to + " It came to: " + last.Text())
	case sentOut.MatchString(last.Text()): // the helper
		turn.Calls = []llmtest.Call{{ID: "e", Name: "bank__pay", Args: `{"amount":` + sentOut.FindStringSubmatch(last.Text())[1] + `}`}}
	case oneToken.FindString(last.Text()) == "":
		turn.Text = "Aside."
	default:
		turn.Text = tok
		for i, found := range wish.FindAllStringSubmatch(last.Text(), -1) {
			turn.Text = ""
			turn.Calls = append(turn.Calls, llmtest.Call{ID: fmt.Sprint("c", i), Name: found[1], Args: found[2]})
		}
		if strings.Contains(last.Text(), "spend all") {
			turn.Usage = [2]int{900_000, 10}
		}
	}
	if m.chunks > 0 && turn.Text != "" {
		turn.Text += strings.Repeat(" and so on", 20)
		turn.Chunks, turn.ChunkWait = m.chunks, 30*time.Millisecond
	}
	return turn
}

// close ends the theatre, and returns what is wrong once all is over.
func (h *theatre) close() (wrong []string) {
	if !h.over() && !waittest.Within(patience, func() bool { return h.one("SELECT count(*) FROM bulk_work") <= 0 }) {
		wrong = append(wrong, "a forgetting is not finished")
	}
	if w := h.ends(); w != "" {
		wrong = append(wrong, w)
	}
	if h.one("SELECT count(*) FROM inbox WHERE state = 'new'") != 0 && !h.terminal { // it came when the process ended
		h.begin()
		h.ready()
		waittest.Within(patience, func() bool { return h.unfinished() == 0 })
		h.ends()
	}
	if n := h.one("SELECT count(*) FROM inbox WHERE state = 'new'"); n != 0 {
		wrong = append(wrong, fmt.Sprint(n, " messages are not answered"))
	}
	if n := h.one("SELECT count(*) FROM outbox WHERE state IN ('ready', 'started')"); n != 0 {
		wrong = append(wrong, fmt.Sprint(n, " parts are not sent"))
	}
	if n := h.one("SELECT count(*) FROM key_facts WHERE content = '" + bystands + "'"); n != 1 && !h.terminal {
		wrong = append(wrong, fmt.Sprint("somebody else's fact is there ", n, " times"))
	}
	if h.engine == "sqlite" {
		var word string
		if err := h.rows.QueryRow("PRAGMA integrity_check").Scan(&word); err != nil || word != "ok" {
			wrong = append(wrong, fmt.Sprint("the database: ", word, err))
		}
	}
	_ = h.rows.Close()
	for _, line := range strings.Split(h.log.String(), "\n") {
		failed := strings.Contains(line, "level=ERROR") && !strings.Contains(line, "model unavailable: status 500")
		if failed || strings.Contains(line, "panic:") || strings.Contains(line, "DATA RACE") {
			wrong = append(wrong, "the log says "+line)
		}
	}
	return append(wrong, h.remains()...)
}

// remains looks for the words of people who were forgotten in every file of the folder.
func (h *theatre) remains() (wrong []string) {
	_ = filepath.WalkDir(h.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "before-restore") { // a backup, which its owner keeps
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, word := range h.gone {
			if bytes.Contains(data, []byte(word)) {
				wrong = append(wrong, filepath.Base(path)+" still has "+word)
			}
		}
		return nil
	})
	return wrong
}
