package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/app/cli"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/notes/index"
	"parley/internal/text"
	"parley/internal/text/markdown"
	"parley/internal/text/times"
	"parley/internal/tools"
)

// faces is one bot with every way to have it do something, and rows of Ann's.
type faces struct {
	*site
	all      []tools.Operation
	commands *gate.Commands
	handler  chat.Handler
	key      chat.Key
	n        int    // messages so far
	vault    string // the folder of notes
}

var (
	ann = chat.User{ID: "telegram:1", Name: "Ann"}
	bob = chat.User{ID: "telegram:2", Name: "Bob"}
)

// facesFrom is when each of them begins: what one says of the time another says, too.
var facesFrom = time.Now().Truncate(time.Minute)

// newFaces stores the same rows each time. Others write where key has a channel of its own.
func newFaces(t *testing.T, key chat.Key) *faces {
	t.Helper()
	f := &faces{key: key}
	views := sampleViews()
	views.Operations = func() []tools.Operation { return f.all }
	f.site = newSite(t, views, echo)
	s := f.site
	s.clock.shift(time.Until(facesFrom))
	planner := tools.Planner{Store: s.store, Now: s.clock.now, Next: times.Next,
		Zone: func(context.Context, chat.User) string { return "UTC" }}
	notes := tools.Notes{Vault: f.notes(), Authors: s.store.Access,
		Owner: func(_ context.Context, id string) bool { return id == "telegram:9" }}
	f.all = slices.Concat(tools.FactOperations(s.store.Facts, nil), tools.DecisionOperations(s.store, nil),
		tools.TaskOperations(s.store), tools.ReminderOperations(planner),
		tools.LogOperations(planner), tools.NoteOperations(notes))
	confirm, err := gate.NewConfirmations(t.Context(), s.store.Questions, s.store.Access, s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	groups := command.Groups{Facts: command.Facts{Rows: s.store.Facts, Steps: s.store}, Decisions: command.Decisions{Rows: s.store},
		Tasks:     command.Tasks{Rows: s.store},
		Reminders: command.Reminders{Planner: planner}, Journal: command.Journal{Planner: planner},
		Notes: command.Notes{View: notes, Writes: true}}
	f.commands, err = gate.NewCommands(groups.Table(), gate.CommandOptions{Confirm: confirm,
		Role: func(context.Context, chat.Message) (gate.Role, error) { return gate.Member, nil }})
	if err != nil {
		t.Fatal(err)
	}
	f.handler = confirm.Wrap(f.commands.Wrap(chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
		return chat.Answer{Text: "no command"}, nil
	})), f.commands.Actions())
	v, ctx := f.viewer(ann), t.Context()
	_, err = s.store.Facts.SaveFact(ctx, v, facts.NewFact{Content: "Ann likes tea"})
	_, terr := s.store.Agenda.AddTask(ctx, v, "water the plants", "", provenance.Origin{})
	due := s.clock.now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour - time.Second) // today, at the same time on every face
	_, rerr := s.store.Agenda.AddReminder(ctx, agenda.Reminder{User: ann, Key: key, Text: "the bread", Due: due, Zone: "UTC"}, "")
	_, lerr := s.store.Agenda.AddLog(ctx, v, agenda.LogEntry{Content: "began a book"}, "")
	derr := s.store.Sessions.SaveSession(ctx, memory.Session{ID: "decided", Key: key, User: ann.ID, Status: memory.Archived,
		Direct: true, Created: s.clock.now(),
		Decisions: []sessions.Decision{{Text: "We go by train.", User: ann.ID, At: s.clock.now()}}})
	for _, err := range []error{err, terr, rerr, lerr, derr} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// notes are the owner's, of which one links to the other, and two of Ann's: one for her alone.
func (f *faces) notes() *index.Vault {
	f.t.Helper()
	f.vault = f.t.TempDir()
	for name, said := range map[string]string{"garden.md": "# Garden\n\nThe roses are red.", "plan.md": "# Plan\n\nSee [[garden]].",
		"agent-notes/mine.md": "# Mine\n\nA secret of Ann.", "agent-notes/ours.md": "# Ours\n\nEverybody's."} {
		path, day := filepath.Join(f.vault, name), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(said), 0o644),
			os.Chtimes(path, day, day)); err != nil {
			f.t.Fatal(err)
		}
		if dir, ok := strings.CutPrefix(name, "agent-notes/"); ok {
			err := f.store.Access.SaveNoteAuthor(f.t.Context(), memory.NoteAuthor{Path: name, User: ann.ID, Shared: dir == "ours.md"})
			if err != nil {
				f.t.Fatal(err)
			}
		}
	}
	v, err := index.Open(f.t.Context(), index.Options{Index: filepath.Join(f.t.TempDir(), "notes.db"), WriteDir: "agent-notes",
		Sources: []index.Source{{Name: "notes", Dir: f.vault, Kind: index.KindNotes}}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = v.Close() })
	if err := v.Refresh(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	return v
}

func (f *faces) direct() bool { return f.key == chat.DirectKey(ann.ID) }

func (f *faces) viewer(who chat.User) provenance.Viewer {
	return provenance.Viewer{User: who.ID, Key: f.key, Direct: f.direct()}
}

// rows tells everything that is stored of Ann.
func (f *faces) rows() string {
	f.t.Helper()
	ctx, v := context.Background(), f.viewer(ann)
	all, err := f.store.Facts.Facts(ctx, v, 100, 0)
	done, terr := f.store.Agenda.Tasks(ctx, v, 100, 0)
	due, rerr := f.store.Agenda.Reminders(ctx, v)
	log, lerr := f.store.Agenda.Log(ctx, v, agenda.LogQuery{})
	known, perr := f.store.People.Person(ctx, ann.ID, "")
	for _, err := range []error{err, terr, rerr, lerr, perr} {
		if err != nil {
			f.t.Fatal(err)
		}
	}
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintf(&b, "fact %d %s\n", x.ID, x.Content)
	}
	for _, x := range done {
		fmt.Fprintf(&b, "task %d %s %v\n", x.ID, x.Description, x.Done)
	}
	for _, x := range due {
		fmt.Fprintf(&b, "reminder %d %s %v\n", x.ID, x.Text, x.Ask)
	}
	for _, x := range log {
		fmt.Fprintf(&b, "log %d %s\n", x.ID, x.Content)
	}
	_ = filepath.WalkDir(f.vault, func(path string, d fs.DirEntry, err error) error {
		if said, rerr := os.ReadFile(path); rerr == nil && filepath.Ext(path) == ".md" {
			fmt.Fprintf(&b, "note %s %s\n", strings.TrimPrefix(path, f.vault), said)
		}
		return err
	})
	b.WriteString("zone " + known.TimeZone)
	return b.String()
}

// came is what a face did.
type came struct {
	asked, said, rows string
	private, failed   bool
}

// byModel has the model call the tool.
func (f *faces) byModel(who chat.User, name, args string) (c came) {
	f.t.Helper()
	set, agent := tools.NewSet(tools.Tools(f.all)...), ""
	if name == "vault_move" {
		agent = tools.Librarian
	}
	call := tools.Call{ID: "1", Name: name, Args: json.RawMessage(args), Who: who, Where: f.key, Direct: f.direct(), Key: "turn:1",
		Caller: tools.Caller{Agent: agent}}
	spec, ok := set.Lookup(name)
	if !ok {
		f.t.Fatalf("no tool %s", name)
	}
	ctx, run := context.Background(), new(tools.Runner)
	if spec.Confirm {
		o := run.Run(ctx, set, call)
		if c.asked = o.Question; o.Class != tools.NeedsYes {
			c.asked = o.Result.Content
		}
	}
	call.Confirmed = true
	o := run.Run(ctx, set, call)
	c.said, c.private, c.failed, c.rows = o.Result.Content, o.Result.Private, o.Class != "", f.rows()
	return c
}

// byCommand has somebody type it, and say yes to what is asked.
func (f *faces) byCommand(who chat.User, line string) (c came) {
	f.t.Helper()
	say := func(kind chat.Kind, words string) chat.Answer {
		f.n++
		m := chat.Message{ID: fmt.Sprint(f.n), UID: fmt.Sprint(f.n), Kind: kind, Text: words, Key: f.key, From: who, Direct: f.direct(),
			Addressed: true, At: f.clock.now()}
		a, err := f.handler.Handle(context.Background(), m, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		return a
	}
	a := say(chat.KindCommand, line)
	for _, b := range slices.Concat(a.Buttons...) {
		if strings.HasPrefix(b.Data, "yes:") {
			c.asked = a.Text
			a = say(chat.KindButton, b.Data)
			break
		}
	}
	c.said, c.private, c.rows = a.Text, a.Private, f.rows()
	return c
}

// byShell has the operator type it.
func (f *faces) byShell(run func(ctx context.Context, f *cli.Flags, s *cli.Streams) error) (c came) {
	f.t.Helper()
	var out bytes.Buffer
	dir := f.t.TempDir()
	var settings []byte
	if url := postgrestest.InFolder(f.t, f.data, nil); url != "" {
		settings = []byte("database: {url: '" + url + "'}\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "bot.yaml"), settings, 0o600); err != nil {
		f.t.Fatal(err)
	}
	f.t.Chdir(dir)
	flags := &cli.Flags{Data: f.data, Veil: text.NewBlotter(&out)}
	err := run(context.Background(), flags, &cli.Streams{Out: &out, Err: &out})
	if c.said = strings.TrimSpace(out.String()); err != nil {
		c.said = err.Error()
	}
	c.rows = f.rows()
	return c
}

// byForm has the owner press it on the control page.
func (f *faces) byForm(fields url.Values) (c came) {
	f.t.Helper()
	f.logIn()
	_, c.said = f.send("/facts", fields)
	c.rows = f.rows()
	return c
}

// shell is a shell command with the arguments that it is given.
type shell = func(context.Context, *cli.Flags, *cli.Streams) error

func addFact(words string) shell {
	var c cli.Facts
	c.Add.User, c.Add.Text = ann.ID, []string{words}
	return c.Add.Run
}

func eraseFact(id int64) shell {
	var c cli.Facts
	c.Forget.Number = id
	return c.Forget.Run
}

// tried is an operation with arguments that mean the same on each of its faces.
type tried struct {
	tool, args, command string
	shell               shell
	form                url.Values
	theirs              string // what somebody else is told; "" may do it to rows of their own
	laid                bool   // the model gets the passages, numbered to be cited
}

var operated = []tried{
	{tool: "save_fact", args: `{"content":"Ann rides a bike"}`, command: "/facts add Ann rides a bike", shell: addFact("Ann rides a bike")},
	{tool: "update_fact", args: `{"id":1,"content":"Ann likes mate"}`, command: "/facts change 1 Ann likes mate",
		form:   url.Values{"do": {"fact-change"}, "id": {"1"}, "value": {"Ann likes mate"}},
		theirs: "There is no such fact."},
	{tool: "forget_fact", args: `{"id":1}`, command: "/facts forget 1", theirs: "There is no such fact.",
		form: url.Values{"do": {"fact-forget"}, "id": {"1"}, "value": {"now"}}},
	{tool: "", command: "/facts forget 1 now", shell: eraseFact(1), theirs: "There is no such fact."},
	{tool: "list_facts", args: `{}`, command: "/facts list", theirs: "I remember nothing about you here."},
	{tool: "list_decisions", args: `{"status":"all"}`, command: "/decisions list all", theirs: "Nothing is noted as decided here."},
	{tool: "change_decision", args: `{"id":1,"content":"We go by bus."}`, command: "/decisions edit 1 We go by bus.",
		theirs: "There is no such decision here."},
	{tool: "forget_decision", args: `{"id":1}`, command: "/decisions forget 1", theirs: "There is no such decision here."},
	{tool: "add_task", args: `{"description":"buy bread"}`, command: "/tasks add buy bread"},
	{tool: "list_tasks", args: `{}`, command: "/tasks list", theirs: "You have no tasks here."},
	{tool: "complete_task", args: `{"id":1}`, command: "/tasks done 1", theirs: "There is no such task."},
	{tool: "update_task", args: `{"id":1,"description":"water the trees"}`, command: "/tasks edit 1 water the trees",
		theirs: "There is no such task."},
	{tool: "delete_task", args: `{"id":1}`, command: "/tasks delete 1", theirs: "There is no such task."},
	{tool: "set_reminder", args: `{"text":"stretch","when":"in 10 minutes"}`, command: "/remind in 10 minutes to stretch"},
	{tool: "ask_later", args: `{"question":"how is the weather?","when":"in 10 minutes"}`,
		command: "/remind in 10 minutes ask: how is the weather?"},
	{tool: "list_reminders", args: `{}`, command: "/remind list", theirs: "You have no reminders waiting here."},
	{tool: "cancel_reminder", args: `{"id":1}`, command: "/remind cancel 1", theirs: "There is no such reminder."},
	{tool: "move_reminder", args: `{"id":1,"when":"in 20 minutes"}`, command: "/remind move 1 in 20 minutes",
		theirs: "There is no such reminder."},
	{tool: "cancel_reminders", args: `{}`, command: "/remind clear", theirs: "You have no reminders waiting here."},
	{tool: "move_reminders", args: `{"day":"today","when":"in 3 days"}`, command: "/remind shift today in 3 days",
		theirs: "You have no reminders waiting here."},
	{tool: "set_time_zone", args: `{"zone":"europe/zurich"}`, command: "/remind zone europe/zurich"},
	{tool: "log_entry", args: `{"content":"read it","type":"insight"}`, command: "/log add read it type:insight"},
	{tool: "list_log", args: `{"day":"today"}`, command: "/log day today", theirs: "Nothing is logged there."},
	{tool: "list_log", args: `{"query":"book"}`, command: "/log search book", theirs: "Nothing is logged there."},
	{tool: "vault_search", args: `{"query":"roses"}`, command: "/notes search roses", laid: true},
	{tool: "vault_search", args: `{"query":"secret"}`, command: "/notes search secret", theirs: "Nothing was found in the notes."},
	{tool: "vault_read", args: `{"path":"garden"}`, command: "/notes show garden", laid: true},
	{tool: "vault_read", args: `{"path":"mine"}`, command: "/notes show mine", theirs: "There is no such note."},
	{tool: "vault_list", args: `{}`, command: "/notes recent"},
	{tool: "vault_related", args: `{"path":"garden"}`, command: "/notes related garden"},
	{tool: "vault_move", args: `{"from":"ours","to":"everybody"}`, command: "/notes move ours everybody",
		theirs: "That note is somebody else's, so I leave it as it is."},
}

// group is where others read along.
var group = chat.Key{Platform: "telegram", Channel: "-100"}

// TestOneOperationOnEveryFace: whoever has something done, by the model, with a command, in
// the shell or with a form, comes to the same rows, the same sentence, the same question
// before it and the same privacy.
func TestOneOperationOnEveryFace(t *testing.T) {
	for _, o := range operated {
		t.Run(strings.ReplaceAll(o.command, " ", "_"), func(t *testing.T) {
			typed := newFaces(t, group).byCommand(ann, o.command)
			same := func(face string, got came) {
				t.Helper()
				for _, line := range strings.Split(typed.said, "\n") {
					if !o.laid && !strings.Contains(got.said, line) && !strings.HasPrefix(line, "(This is what I use here") {
						t.Errorf("%s says %q; the command says %q", face, got.said, line)
					}
				}
				if got.rows != typed.rows {
					t.Errorf("%s leaves\n%s\nthe command leaves\n%s", face, got.rows, typed.rows)
				}
			}
			if !typed.private {
				t.Error("the command answers for everybody in a group to read")
			}
			if o.tool != "" {
				called := newFaces(t, group).byModel(ann, o.tool, o.args)
				same("the tool", called)
				if (called.asked != "") != (typed.asked != "") {
					t.Errorf("the tool asks %q, the command %q", called.asked, typed.asked)
				}
				if typed.asked != "" { // where others read along, a private command does not say what of
					alone := newFaces(t, chat.DirectKey(ann.ID)).byCommand(ann, o.command)
					if !strings.HasPrefix(alone.asked, called.asked) || strings.Contains(typed.asked, called.asked) {
						t.Errorf("the tool asks %q, the command %q alone and %q in a group", called.asked, alone.asked, typed.asked)
					}
				}
				if !called.private && !called.failed {
					t.Error("the tool's result may be told to everybody")
				}
			}
			if o.shell != nil {
				f := newFaces(t, chat.DirectKey(ann.ID))
				if f.store.File.Path() == "" {
					t.Skip("the shell has no server of this test")
				}
				typed = f.byCommand(ann, o.command)
				doc, source := markdown.Parse(typed.said)
				typed.said = markdown.Plain(doc, source)
				same("the shell", newFaces(t, chat.DirectKey(ann.ID)).byShell(o.shell))
			}
			if o.form != nil {
				same("the form", newFaces(t, group).byForm(o.form))
			}
		})
	}
}

// TestRowsOfOthersAreOnNoFace: somebody else's row is not found, however it is named.
func TestRowsOfOthersAreOnNoFace(t *testing.T) {
	for _, o := range operated {
		if o.theirs == "" {
			continue
		}
		t.Run(strings.ReplaceAll(o.command, " ", "_"), func(t *testing.T) {
			f := newFaces(t, group)
			before := f.rows()
			typed := f.byCommand(bob, o.command)
			all := map[string]came{"the command": typed}
			if o.tool != "" {
				all["the tool"] = f.byModel(bob, o.tool, o.args)
			}
			for face, got := range all {
				if !strings.HasPrefix(got.said, o.theirs) || got.rows != before {
					t.Errorf("%s says %q, and leaves\n%s", face, got.said, got.rows)
				}
			}
			if !typed.private {
				t.Error("the command answers for everybody in a group to read")
			}
		})
	}
	f := newFaces(t, chat.DirectKey(ann.ID))
	for face, got := range map[string]came{"the shell": f.byShell(eraseFact(77)),
		"the form": f.byForm(url.Values{"do": {"fact-forget"}, "id": {"77"}})} {
		if !strings.Contains(strings.ToLower(got.said), "there is no") {
			t.Errorf("%s says of no row: %q", face, got.said)
		}
	}
}

// TestEveryOperationHasItsFaces: each tool and each command above, with its line in /help
// and in the docs, and the documentation of its arguments.
func TestEveryOperationHasItsFaces(t *testing.T) {
	f := newFaces(t, group)
	docs, err := os.ReadFile("../../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range f.all {
		spec := o.Spec()
		if o.Command != "" && !slices.ContainsFunc(operated, func(x tried) bool {
			return x.tool == spec.Name && strings.HasPrefix(x.command, "/"+o.Command)
		}) {
			t.Errorf("%s, /%s: not tried on its faces", spec.Name, o.Command)
		}
		if spec.Words == "" {
			t.Errorf("%s: has no words for people", spec.Name)
		}
		if o.Command == "" {
			continue
		}
		name, verb, _ := strings.Cut(o.Command, " ")
		help := f.commands.Help(t.Context(), gate.Owner, name)
		if line := "` – " + o.Help + "\n"; !strings.Contains(help+"\n", line) || !strings.Contains(help, "/"+o.Command) {
			t.Errorf("/help %s does not say %q", name, line)
		}
		if !strings.Contains(string(docs), "| `/"+o.Command) || !strings.Contains(string(docs), "| "+o.Help+" |") {
			t.Errorf("docs/commands.md lacks /%s: %s", o.Command, o.Help)
		}
		i := slices.IndexFunc(f.commands.Table(), func(c gate.Command) bool { return c.Name == name })
		verbs := f.commands.Table()[i].Verbs
		c := verbs[slices.IndexFunc(verbs, func(v gate.Command) bool { return v.Name == verb })]
		if (c.Confirm != nil) != spec.Confirm || (c.Effect == gate.Reads) != spec.ReadOnly {
			t.Errorf("/%s asks %v and has effect %v; its tool asks %v and reads %v", o.Command, c.Confirm != nil, c.Effect, spec.Confirm,
				spec.ReadOnly)
		}
		for k, a := range o.Args {
			p, opt := o.Property(a), c.Options[k]
			if opt.Name != a.Name || opt.Help != a.Help || a.Help == "" || opt.Required != p.Required {
				t.Errorf("/%s: option %+v of %+v", o.Command, opt, a)
			}
			if p.Type != "" && (p.Description == "" || !slices.Equal(opt.Choices, p.Enum)) {
				t.Errorf("%s: %s is documented %q, with %v for %v", spec.Name, a.Field(), p.Description, p.Enum, opt.Choices)
			}
		}
	}
}
