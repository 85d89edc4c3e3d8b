package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/config"
	"parley/internal/app/cli"
	"parley/internal/app/platform"
	"parley/internal/app/rehearse"
	"parley/internal/app/setup"
	"parley/internal/app/whatif"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
)

// The history of these tests: most messages say nothing of interest, and each kind of change
// meets those with its word.
const (
	pastBook = `# the rules
guidelines:
  - id: refunds
    condition: literal:refund
    action: Say REFUND30.
  - id: hello
    condition: literal:bonjour
    reply: Bonjour to you.
`
	pastGuards = `guards:
  - id: no_gold
    tool: cancel_order
    require: 'not (args.number startsWith "gold")'
    otherwise: refuse
    say: Gold orders stay.
`
	pastPersona  = "You are a helpful assistant of a shop.\n"
	pastSettings = `access: {mode: open, owners: ["telegram:99"]}
model: {base_url: "http://127.0.0.1:9/v1", name: scripted, context_size: 32768}
limits: {user_per_minute: 0}
playbook: {dir: BOOK}
agent: {prompt_file: PERSONA}
trace: {keep: 90d}
tools:
  http:
    - {name: cancel_order, description: Cancels an order., method: POST, url: "SHOP/{number}"}
    - {name: return_order, description: Takes an order back., method: POST, url: "SHOP/back/{number}"}
  policy:
    - {name: cancel_order, ask: never}
    - {name: return_order, ask: never}
`
)

// plantedWords are the messages that one change meets, by the word in them.
var plantedWords = []string{"warranty", "refund", "silver", "gold", "return", "ahoy", "opinion", "bonjour"}

// pastWord is what message i is about; planted ones are spread evenly, five of each.
func pastWord(i, n int) string {
	every := n / (5 * len(plantedWords))
	if i%every == every/2 && i/every < 5*len(plantedWords) {
		return plantedWords[(i/every)%len(plantedWords)]
	}
	return []string{"garden", "cancel", "weather", "music"}[i%4]
}

var pastMark = regexp.MustCompile(`#(\d+) (\w+)`)

// pastModel answers by the last message, and by a few words of its instructions.
type pastModel struct {
	asked    atomic.Int64
	recorded *recordings // of what it says instead, if there are any
}

func (p *pastModel) Complete(_ context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	if r.Schema != nil {
		return llm.Response{}, &llm.Error{Class: llm.ErrBadRequest, Detail: "words only"}
	}
	p.asked.Add(1)
	resp := llm.Response{Finish: llm.FinishStop, Model: r.Model, Usage: llm.Usage{Prompt: 100, Completion: 10, Total: 110},
		Message: llm.Message{Role: llm.RoleAssistant}}
	all, last := "", ""
	for _, m := range r.Messages {
		all += m.Content + "\n"
		if m.Role == llm.RoleUser {
			last = m.Content
		}
	}
	found := pastMark.FindAllStringSubmatch(last, -1)
	if found == nil {
		resp.Message.Content = "What do you mean?"
		return resp, nil
	}
	n, word := found[len(found)-1][1], found[len(found)-1][2]
	if p.recorded != nil {
		resp.Message = p.recorded.step(r, n)
		if resp.Finish = llm.FinishStop; len(resp.Message.ToolCalls) > 0 {
			resp.Finish = llm.FinishToolCalls
		}
		return resp, nil
	}
	if end := r.Messages[len(r.Messages)-1]; end.Role == llm.RoleTool {
		resp.Message.Content = fmt.Sprintf("So much for #%s: %.60s", n, end.Content)
		return resp, nil
	}
	for of, call := range map[string]string{"cancel": "cancel_order", "silver": "cancel_order", "gold": "cancel_order",
		"return": "return_order"} {
		if of == word {
			resp.Finish = llm.FinishToolCalls
			args := fmt.Sprintf(`{"number":%q,"user_id":"no tool asks for it"}`, word+n)
			resp.Message.ToolCalls = []llm.ToolCall{{ID: "call_" + n, Name: call, Args: args}}
			return resp, nil
		}
	}
	resp.Message.Content = "About #" + n + " " + word
	for _, say := range []string{"REFUND30", "WARRANTY2"} {
		if strings.Contains(all, "Say "+say) {
			resp.Message.Content += " " + say
		}
	}
	if strings.Contains(all, "PIRATE") && word == "ahoy" || r.Model == "other" && word == "opinion" {
		resp.Message.Content += ", matey"
	}
	return resp, nil
}

// called is the model under a name.
type called struct {
	*pastModel
	name string
}

func (c called) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	r.Model = c.name
	return c.pastModel.Complete(ctx, r, onText)
}

// history is a bot with a past.
type history struct {
	dir   string // of its files
	n     int
	shop  *httptest.Server
	calls atomic.Int64 // of tools
	model *pastModel
	texts []string
}

func newHistory(t *testing.T, n int) *history {
	h := &history{dir: t.TempDir(), n: n, model: &pastModel{}}
	h.shop = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.calls.Add(1)
		if p := h.model.recorded; p != nil {
			_, _ = io.WriteString(w, p.result(r))
			return
		}
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(h.shop.Close)
	h.write(t, "book/rules.yaml", pastBook)
	h.write(t, "book/guards.yaml", pastGuards)
	h.write(t, "persona.md", pastPersona)
	h.write(t, "bot.yaml", h.settings(pastSettings))
	return h
}

func (h *history) settings(s string) string { return h.settingsIn(h.dir, s) }

// settingsIn fills in the addresses of settings whose other files are in a folder.
func (h *history) settingsIn(dir, s string) string {
	return strings.NewReplacer("BOOK", filepath.Join(dir, "book"), "PERSONA", filepath.Join(dir, "persona.md"), "SHOP",
		h.shop.URL).Replace(s)
}

// write writes a file and returns its path.
func (h *history) write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(h.dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func (h *history) load(t *testing.T, file, data string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Options{File: file, Flags: map[string]string{"data_dir": data}, IDs: platform.Identities()})
	must(t, err)
	return cfg
}

// live has a bot with these settings answer all messages.
func (h *history) live(t *testing.T, cfg config.Config) {
	t.Helper()
	clock := &whatif.Clock{}
	at := time.Now().Add(-time.Duration(h.n)*time.Minute - 200*time.Hour).UTC().Truncate(time.Second)
	clock.Set(at)
	a, err := Process{Now: clock.Now}.newApp(t.Context(), cfg, slog.New(slog.DiscardHandler), true)
	must(t, err)
	a.people.speaker.English = true
	a.models.endpoint = setup.Endpoint{Model: called{h.model, cfg.Model.Name}, Name: cfg.Model.Name,
		List: func(context.Context) ([]string, error) { return []string{cfg.Model.Name}, nil }}
	must(t, a.build(t.Context()))
	must(t, a.openFront(t.Context(), nil))
	a.start(&rehearse.Board{Name: "telegram"})
	for i := range h.n {
		if at = at.Add(time.Minute); i%50 == 49 {
			at = at.Add(2 * time.Hour)
		}
		clock.Set(at)
		who, said := h.said(i)
		m := chat.Message{ID: fmt.Sprint(1000 + i), Key: chat.Key{Platform: "telegram", Channel: who}, At: at, Addressed: true, Direct: true,
			From: chat.User{ID: "telegram:" + who, Name: "P" + who}, Text: said}
		must(t, a.platforms.hub.Deliver(t.Context(), chat.Batch{Platform: "telegram", Messages: []chat.Message{m}}))
		done := make(chan struct{})
		a.platforms.hub.Do(m.Key, chat.Quick, func(context.Context) { close(done) })
		<-done
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	a.platforms.hub.Drain(ctx)
	a.work.Wait()
	a.close()
}

// said returns who writes message i, and what.
func (h *history) said(i int) (who, words string) {
	if p := h.model.recorded; p != nil {
		return fmt.Sprint(1 + p.turns[i].talk), fmt.Sprintf("#%d said. %s", i, p.turns[i].words)
	}
	return fmt.Sprint(1 + i%5), fmt.Sprintf("#%d %s please. %s", i, pastWord(i, h.n), h.text(i))
}

func (h *history) text(i int) string {
	if len(h.texts) == 0 {
		return "Nothing else for now."
	}
	return h.texts[i%len(h.texts)]
}

// came reads what came of each message, by its number.
func (h *history) came(t *testing.T, cfg config.Config) map[int]string {
	t.Helper()
	store, err := memory.Open(t.Context(), cfg.DataDir, memory.Options{})
	must(t, err)
	defer store.Close()
	all := map[int]string{}
	for after := int64(0); ; {
		list, err := store.Decisions.Past(t.Context(), time.Time{}, after, 500)
		must(t, err)
		if len(list) == 0 {
			return all
		}
		for _, p := range list {
			if len(p.Entries) == 0 {
				t.Fatalf("message %s has no words", p.Message)
			}
			var match playbook.MatchResult
			_ = json.Unmarshal(p.Detail.Playbook, &match)
			said := fmt.Sprint(p.End.Outcome, " ", p.Entries[len(p.Entries)-1].Content)
			for _, g := range p.Detail.Guards {
				if g.Ruling != "allowed" {
					said += fmt.Sprint(" ", g)
				}
			}
			for _, m := range match.TopMatches {
				said += " " + m.GuidelineID
			}
			for _, c := range p.Calls {
				said += fmt.Sprint(" ", c.Name, c.Arguments, c.Status, c.Class)
			}
			n, _ := strconv.Atoi(p.Message)
			all[n-1000] = said
			after = p.Row
		}
	}
}

// told is what bot whatif prints with --json.
type told struct {
	list []whatif.Difference
	sums whatif.Tally
	out  string
}

func (h *history) whatif(t *testing.T, cfg config.Config, c cli.WhatIf) (got told) {
	t.Helper()
	var out bytes.Buffer
	c.History = "3650d"
	build := func(ctx context.Context, p whatif.Parts) (*whatif.Bot, error) {
		inner := p.Model
		p.Model = func(l whatif.Leg) llm.Model { l.Model = called{h.model, l.Name}; return inner(l) }
		return Process{}.WhatIf(ctx, p)
	}
	f := &cli.Flags{Config: filepath.Join(h.dir, "bot.yaml"), Data: cfg.DataDir, IDs: platform.Identities(), Veil: text.NewBlotter(io.Discard)}
	must(t, c.Run(t.Context(), f, cfg, &cli.Streams{Out: &out, Err: io.Discard}, &cli.Bot{WhatIf: build}))
	got.out = out.String()
	for line := range strings.Lines(got.out) {
		var d whatif.Difference
		sums := struct{ Sums *whatif.Tally }{&got.sums}
		if !c.JSON {
			continue
		}
		if strings.HasPrefix(line, `{"id"`) {
			must(t, json.Unmarshal([]byte(line), &d))
			got.list = append(got.list, d)
		} else {
			must(t, json.Unmarshal([]byte(line), &sums))
		}
	}
	return got
}

// changed are the numbers of the messages that come out differently, but for what a model
// was not asked, and for who answers.
func (got told) changed() (ids []int) {
	for _, d := range got.list {
		if slices.ContainsFunc(d.Kinds, func(k whatif.Kind) bool { return k != whatif.Again && k != whatif.Cost && k != whatif.Model }) {
			n, _ := strconv.Atoi(pastMark.FindStringSubmatch(d.Said)[1])
			ids = append(ids, n)
		}
	}
	return ids
}

// planting is a change with the word of the messages that it meets.
type planting struct {
	word  string
	kind  whatif.Kind
	apply []string
	files map[string]string // of a real bot with the change, in place of those of the past
}

func (h *history) trials(t *testing.T) []planting {
	rules := func(s string) map[string]string { return map[string]string{"book/rules.yaml": s} }
	guards := func(s string) map[string]string { return map[string]string{"book/guards.yaml": s} }
	list := []planting{
		{word: "warranty", kind: whatif.Rules, files: rules(pastBook + "  - {id: warranty, condition: 'literal:warranty', action: Say WARRANTY2.}\n")},
		{word: "refund", kind: whatif.Rules, files: rules(strings.Replace(pastBook, "literal:refund", "literal:nothing at all", 1))},
		{word: "silver", kind: whatif.GuardStops, files: guards(pastGuards + "  - {id: no_silver, tool: cancel_order, " +
			"require: 'not (args.number startsWith \"silver\")', otherwise: refuse, say: Silver orders stay.}\n")},
		{word: "gold", kind: whatif.GuardLets, files: guards("guards: []\n")},
		{word: "return", kind: whatif.Tools, files: map[string]string{"bot.yaml": strings.Replace(pastSettings,
			"{name: return_order, ask: never}", "{name: return_order, ask: always}", 1)}},
		{word: "ahoy", kind: whatif.Words, files: map[string]string{"persona.md": pastPersona + "Speak like a PIRATE.\n"}},
		{word: "opinion", kind: whatif.Words, files: map[string]string{"bot.yaml": strings.Replace(pastSettings,
			"name: scripted", "name: other", 1)}},
		{word: "bonjour", kind: whatif.Words, files: rules(strings.Replace(pastBook, "Bonjour to you.", "Salut to you.", 1))},
	}
	for i, one := range list {
		for name, content := range one.files {
			list[i].apply = append(list[i].apply, h.write(t, fmt.Sprintf("edited%d/%s", i, filepath.Base(name)), h.settings(content)))
		}
	}
	return list
}

// TestWhatIf plants changes of eight kinds in a history: each is found, nothing else is, and
// what is foretold is what a real second run does. PARLEY_WHATIF=2000 is the whole
// measurement; PARLEY_WHATIF_TEXTS is a file with a message a line, PARLEY_WHATIF_ONLY the word of one change.
func TestWhatIf(t *testing.T) {
	n := 80
	if s := os.Getenv("PARLEY_WHATIF"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		must(t, err)
	}
	h := newHistory(t, n)
	if name := os.Getenv("PARLEY_WHATIF_TEXTS"); name != "" {
		b, err := os.ReadFile(name)
		must(t, err)
		h.texts = strings.Split(strings.TrimSpace(string(b)), "\n")
	}
	cfg := h.load(t, filepath.Join(h.dir, "bot.yaml"), filepath.Join(h.dir, "data"))
	began := time.Now()
	h.live(t, cfg)
	t.Logf("%d messages lived in %v", n, time.Since(began).Round(time.Millisecond))
	h.tried(t, cfg, h.trials(t))
}

// tried has changes foretold and lived, and holds the one beside the other.
func (h *history) tried(t *testing.T, cfg config.Config, trials []planting) {
	t.Helper()
	n, was := h.n, h.came(t, cfg)
	calls, asked, files := h.calls.Load(), h.model.asked.Load(), h.files(t, cfg)
	right, foretold, happened := 0, 0, 0
	for i, one := range trials {
		if only := os.Getenv("PARLEY_WHATIF_ONLY"); only != "" && only != one.word {
			continue
		}
		began, spent := time.Now(), spend()
		off := h.whatif(t, cfg, cli.WhatIf{Offline: true, JSON: true, Change: one.apply})
		took, cost := time.Since(began), spent.end()
		if h.model.asked.Load() != asked {
			t.Errorf("%s: offline, a model was asked", one.word)
		}
		got := h.whatif(t, cfg, cli.WhatIf{JSON: true, Change: one.apply})
		if one.kind != "" {
			h.planted(t, one, got)
		}
		t.Logf("%s: %d of %d run again; offline in %v, %s: %v; asked: %v", one.word, got.sums.Messages, n, took.Round(time.Millisecond),
			cost, off.sums.Kinds, got.sums.Kinds)
		if h.calls.Load() != calls {
			t.Fatalf("%s: %d calls of tools were made", one.word, h.calls.Load()-calls)
		}
		is := h.second(t, i, one)
		calls, asked = h.calls.Load(), h.model.asked.Load()
		truly := got.changed()
		foretold += len(truly)
		for id := range n {
			if is[id] != was[id] {
				happened++
				if slices.Contains(truly, id) {
					right++
				} else {
					t.Logf("%s: not foretold: #%d %s\n%s", one.word, id, was[id], is[id])
				}
			} else if slices.Contains(truly, id) {
				t.Logf("%s: foretold in vain: #%d %s", one.word, id, was[id])
			}
		}
	}
	precision, recall := float64(right)/float64(max(foretold, 1)), float64(right)/float64(max(happened, 1))
	t.Logf("beside real second runs: %d foretold, %d happened, precision %.3f, recall %.3f", foretold, happened, precision, recall)
	if precision < 0.98 || recall < 0.98 {
		t.Error("what is foretold is not what happens")
	}
	if now := h.files(t, cfg); now != files {
		t.Errorf("the database was changed: %x, was %x", now, files)
	}
}

// planted checks that all messages with a word, and no others, differ in a way.
func (h *history) planted(t *testing.T, one planting, got told) {
	t.Helper()
	var want, kind []int
	for i := range h.n {
		if pastWord(i, h.n) == one.word {
			want = append(want, i)
		}
	}
	for _, d := range got.list {
		if slices.Contains(d.Kinds, one.kind) {
			n, _ := strconv.Atoi(pastMark.FindStringSubmatch(d.Said)[1])
			kind = append(kind, n)
		}
	}
	slices.Sort(kind)
	if !slices.Equal(kind, want) || got.sums.Messages != h.n {
		t.Errorf("%s: %s in %v of %d messages, want %v\n%.3000s", one.word, one.kind, kind, got.sums.Messages, want, got.out)
	}
}

// second is a real second run with a change.
func (h *history) second(t *testing.T, i int, one planting) map[int]string {
	t.Helper()
	dir := filepath.Join(h.dir, fmt.Sprint("second", i))
	settings, guards := pastSettings, pastGuards
	if p := h.model.recorded; p != nil {
		settings, guards = p.settings(), "guards: []\n"
	}
	for name, content := range map[string]string{"book/rules.yaml": pastBook, "book/guards.yaml": guards, "persona.md": pastPersona} {
		if edited, ok := one.files[name]; ok {
			content = edited
		}
		h.write(t, filepath.Join(filepath.Base(dir), name), content)
	}
	if edited, ok := one.files["bot.yaml"]; ok {
		settings = edited
	}
	file := h.write(t, filepath.Join(filepath.Base(dir), "bot.yaml"), h.settingsIn(dir, settings))
	cfg := h.load(t, file, filepath.Join(dir, "data"))
	h.live(t, cfg)
	return h.came(t, cfg)
}
