package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/cli"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// pressing brings up the buttons that one place in the code makes.
type pressing struct {
	before  []string // said first
	say     string   // what brings the buttons up
	then    string   // and what after it; "" is nothing
	model   []llmtest.Turn
	buttons int
	shop    bool // there is a tool server that asks something
	// want is what each button answers.
	want []string
}

// pressed is every place in the code that makes buttons. Whoever makes one
// elsewhere adds it here, with what a press of it does.
var pressed = map[string][]pressing{
	"internal/agent/cite.go:sourceButtons": {{
		say:     "what is the rent?",
		model:   []llmtest.Turn{callTool("vault_search", `{"query":"rent"}`), {Text: "It is 1450 [1]."}},
		buttons: 1, want: []string{"The rent is 1450 a month"},
	}},
	"internal/agent/loop.go:spoke": {{
		say: "count to two", model: []llmtest.Turn{{Text: "One,", Finish: "length"}, {Text: "and two."}}, buttons: 1, want: []string{"and two."},
	}},
	"internal/command/gate/press.go:buttons": {
		{before: []string{"/tasks add milk"}, say: "/tasks delete 1", buttons: 2, want: []string{"Deleted: #1 milk", "nothing was changed"}},
		{before: []string{"/tasks add milk"}, say: "delete the milk", model: []llmtest.Turn{callTool("delete_task", `{"id":1}`),
			{Text: "So be it."}},
			buttons: 2, want: []string{"So be it.", "So be it."}},
	},
	"internal/command/gate/form.go:formButtons": {{
		shop: true, say: "order something", model: []llmtest.Turn{callTool("shop__order", "{}"), {Text: "So be it."}},
		buttons: 3, want: []string{"2 of 2", "2 of 2", "So be it."},
	}},
	"internal/command/gate/commands.go:offer": {{say: "/debug", buttons: 2, want: []string{"will show calls", "no longer show"}}},
	"internal/command/gate/help.go:help":      {{say: "/help", buttons: 1, want: []string{"These commands work too"}}},
	"internal/command/gate/help.go:Page": {
		{before: many16("/tasks add thing %d"), say: "/tasks list", buttons: 1, want: []string{"Page 2 of 2"}},
		{before: many16("/tasks add thing %d"), say: "/tasks list page:2", buttons: 1, want: []string{"Page 1 of 2"}},
	},
	"internal/command/facts.go:paged": {
		{before: many16("/facts add I own book %d"), say: "/facts list", buttons: 1, want: []string{"« Back"}},
		{before: many16("/facts add I own book %d"), say: "/facts list page:2", buttons: 1, want: []string{"More »"}},
	},
	"internal/command/learned.go:Learned": {{
		// What is in no word of theirs is a guess.
		say: "hello there", model: []llmtest.Turn{callTool("save_fact", `{"content":"Lives in Oslo"}`), {Text: "Hello."}},
		then: "/facts learned", buttons: 3,
		want: []string{"I keep this (#1)", "send /facts change 1", "Forget this"},
	}},
	"internal/memory/facts/told.go:Buttons": {
		{before: []string{"/facts add I live in Rome"}, say: "/facts add I live in Paris", buttons: 1,
			want: []string{"says again: “I live in Rome”"}},
		{before: []string{"/facts add I live in Rome #important"}, say: "/facts add I live in Paris", buttons: 3,
			want: []string{"Forgotten: “I live in Rome”", "Forgotten: “I live in Paris”", "I keep this (#2)"}},
		{say: "we moved to Oslo", model: []llmtest.Turn{callTool("save_fact", `{"content":"Lives in Oslo"}`), {Text: "Nice."}},
			buttons: 1, want: []string{"no longer remember “Lives in Oslo”"}},
	},
	"internal/command/language/language.go:show": {{say: "/language", buttons: 5, want: []string{"Deutsch", "Español",
		"Français", "Русский", "中文"}}},
	"internal/command/notedesk.go:which":    {{say: "/notes show plan", buttons: 2, want: []string{"Plan of the", "Plan of the"}}},
	"internal/command/notedesk.go:versions": {{say: "/notes restore diary", buttons: 1, want: []string{"+ It rained."}}},
	"internal/tools/deed.go:Moved": {{say: "/notes move diary old/journal", buttons: 1,
		want: []string{"Moved agent-notes/old/journal.md to agent-notes/diary.md"}}},
	"internal/app/reminders.go:reminderParts": {{
		say: "/remind in 1 second to stretch", buttons: 3,
		want: []string{"again in 10 minutes: stretch", "again in 60 minutes: stretch", "Well done: #1 stretch"},
	}},
}

// pressedInScripts are places whose buttons are pressed in a rehearsal, often by somebody
// else, somewhere else.
var pressedInScripts = map[string]string{
	"internal/command/welcome/manners.go:joined":   examples + "/group.txt",
	"internal/command/welcome/manners.go:Knock":    "testdata/rehearsals/let-in.txt",
	"internal/command/gate/builtin.go:runPairList": "testdata/rehearsals/let-in.txt",
	"internal/agent/handover/words.go:takeButton":  examples + "/handoff.txt",
	"internal/agent/handover/words.go:backButton":  examples + "/handoff.txt",
}

func many16(format string) (list []string) {
	for i := range 15 + 1 {
		list = append(list, fmt.Sprintf(format, i+1))
	}
	return list
}

// TestEveryButtonIsKnown: nobody makes a button that is never pressed in a test.
func TestEveryButtonIsKnown(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, root := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(filepath.Join("..", ".."), path) // it is below
			for _, d := range f.Decls {
				if makesButtons(d) {
					made[filepath.ToSlash(name)+":"+nameOf(d)] = true
				}
			}
			return nil
		})
		must(t, err)
	}
	for _, place := range slices.Sorted(maps.Keys(made)) {
		if pressed[place] == nil && pressedInScripts[place] == "" {
			t.Errorf("%s makes buttons that no test presses: add it to pressed", place)
		}
	}
	for place, script := range pressedInScripts {
		if b, err := os.ReadFile(script); err != nil || !strings.Contains(string(b), "\npress ") {
			t.Errorf("%s presses no button of %s: %v", script, place, err)
		}
	}
	for place := range pressed {
		if !made[place] {
			t.Errorf("%s makes no buttons", place)
		}
	}
}

// makesButtons reports whether a declaration writes a chat.Button down: a literal of
// that type, or one whose type is left out, with its two fields.
func makesButtons(d ast.Decl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string]bool{}
		for _, e := range l.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					fields[id.Name] = true
				}
			}
		}
		sel, _ := l.Type.(*ast.SelectorExpr)
		found = found || sel != nil && sel.Sel.Name == "Button" || l.Type == nil && fields["Label"] && fields["Data"]
		return true
	})
	return found
}

func nameOf(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Name.Name
	}
	return "a variable"
}

// finger is a front end whose buttons are pressed.
type finger struct {
	say   func(text string)
	press func(n int) // button n of the last answer that has some
	// seen is all that was said, and how many buttons the last answer with
	// buttons has.
	seen func() (text string, buttons int)
}

func telegramFinger(t *testing.T, w *world) finger {
	w.run(t)
	presses := 0
	last := func() (m telegramtest.SentMessage) {
		for _, s := range w.tg.Sent() {
			if len(s.Buttons) > 0 {
				m = s
			}
		}
		return m
	}
	return finger{
		say: func(text string) { w.tg.Push(telegramtest.Text(1, 1, text)) },
		press: func(n int) {
			presses++
			m := last()
			w.tg.Push(telegramtest.Press(1, 1, m.ID, fmt.Sprint("press", presses), slices.Concat(m.Buttons...)[n].Data))
		},
		seen: func() (text string, buttons int) {
			for _, m := range w.tg.Sent() {
				text += m.Text + "\n"
				for _, b := range slices.Concat(m.Buttons...) {
					text += "(" + b.Text + ")\n"
				}
			}
			return text, len(slices.Concat(last().Buttons...))
		},
	}
}

func discordFinger(t *testing.T, w *world) finger {
	w.onDiscord()
	w.env = append(w.env, "BOT_ACCESS_OWNERS=discord:42")
	w.run(t)
	w.connected(t)
	last := func() (id string, buttons []string) {
		for _, m := range w.dc.Sent() {
			if len(m.Buttons) > 0 {
				id, buttons = m.ID, m.Buttons
			}
		}
		return id, buttons
	}
	return finger{
		say: func(text string) { w.dc.Message("", "10", "42", text) },
		press: func(n int) {
			id, buttons := last()
			w.dc.Press("", "10", "42", id, buttons[n])
		},
		seen: func() (text string, buttons int) {
			for _, m := range w.dc.Sent() {
				text += m.Content + "\n"
				for _, data := range m.Buttons { // labels are not kept
					text += strings.NewReplacer("/facts list page:1", "« Back", "/facts list page:2", "More »").Replace(data) + "\n"
				}
			}
			_, all := last()
			return text, len(all)
		},
	}
}

// offers is a line of choices in the terminal, one for each row of buttons.
var offers = regexp.MustCompile(`^\d+\) `)

func terminalFinger(t *testing.T, w *world) finger {
	w.env = slices.DeleteFunc(w.env, func(e string) bool {
		return strings.HasPrefix(e, "BOT_TELEGRAM") || strings.HasPrefix(e, "BOT_ACCESS_OWNERS")
	})
	in, typed := io.Pipe()
	var out safeBuffer
	done := make(chan error, 1)
	cfg := w.config(t)
	go func() {
		done <- chatCmd{}.talk(t.Context(), cfg, process(&cli.Streams{In: in, Out: &out, Err: io.Discard}))
	}()
	t.Cleanup(func() {
		_ = typed.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	say := func(text string) {
		if _, err := fmt.Fprintln(typed, text); err != nil {
			t.Error(err)
		}
	}
	return finger{
		say:   say,
		press: func(n int) { say(fmt.Sprint(n + 1)) },
		seen: func() (text string, buttons int) {
			text = out.String()
			lines := strings.Split(strings.TrimSpace(text), "\n")
			for i := len(lines) - 1; i >= 0 && offers.MatchString(lines[i]); i-- {
				buttons += strings.Count(lines[i], ") ")
			}
			return text, buttons
		},
	}
}

// TestEveryButtonIsPressed: whatever is offered does what it says, on every
// front end.
func TestEveryButtonIsPressed(t *testing.T) {
	t.Parallel()
	for name, front := range map[string]func(*testing.T, *world) finger{"telegram": telegramFinger, "discord": discordFinger,
		"terminal": terminalFinger} {
		for place, list := range pressed {
			for i, p := range list {
				for n, want := range p.want {
					t.Run(fmt.Sprint(name, "/", place, "/", i, "/", n), func(t *testing.T) {
						t.Parallel()
						pressOne(t, front, p, n, want)
					})
				}
			}
		}
	}
}

// copyRent returns a folder with a few notes.
func copyRent(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"rent.md": "# Rent\nThe rent is 1450 a month.", "a/plan.md": "Plan of the garden", "b/plan.md": "Plan of the house",
		"agent-notes/diary.md": "The sun shone.\n", "agent-notes/.versions/diary.md.20260102T150405.000000000Z.bak": "It rained.\n",
	} {
		file := filepath.Join(dir, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
	}
	return dir
}

// patiently waits until ok holds, on a machine with other work, too.
func patiently(t *testing.T, what string, f finger, ok func() bool) {
	t.Helper()
	if !waittest.Within(time.Minute, ok) {
		text, _ := f.seen()
		t.Fatalf("never: %s; there is:\n%s", what, text)
	}
}

func pressOne(t *testing.T, front func(*testing.T, *world) finger, p pressing, n int, want string) {
	w := newWorld(t)
	w.env = append(w.env, "BOT_VAULT_DIR="+copyRent(t), "BOT_LIMITS_QUEUE_PER_CHANNEL=100")
	if p.shop {
		w.file, _, _ = shop(t)
	}
	f := front(t, w)
	if p.shop {
		patiently(t, "the server is there", f, func() bool {
			f.say("/tools servers")
			return waittest.Within(time.Second, func() bool { text, _ := f.seen(); return strings.Contains(text, "shop: up") })
		})
	}
	if strings.HasPrefix(p.say, "/notes") {
		patiently(t, "the notes are read", f, func() bool {
			f.say("/notes recent")
			return waittest.Within(time.Second, func() bool { text, _ := f.seen(); return strings.Contains(text, "rent.md") })
		})
	}
	for _, line := range p.before {
		f.say(line)
	}
	w.llm.Queue(p.model...)
	f.say(p.say)
	if p.then != "" { // what only reads does not wait for its turn
		patiently(t, "the answer before", f, func() bool { _, got := f.seen(); return got > 0 })
		f.say(p.then)
	}
	patiently(t, "the buttons are there", f, func() bool { _, got := f.seen(); return got == p.buttons })
	if len(p.want) != p.buttons {
		t.Fatalf("%d buttons, %d tried", p.buttons, len(p.want))
	}
	before, _ := f.seen()
	f.press(n)
	patiently(t, "the button does: "+want, f, func() bool {
		text, _ := f.seen()
		return strings.Count(text,
			want) > strings.Count(before, want)
	})
}
