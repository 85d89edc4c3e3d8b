package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/adapters/terminal"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/factsfile"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/markdown"
	"parley/internal/tools"
)

// Facts is the owner's view of what is remembered, with the bot running or
// not.
type Facts struct {
	List   factsListCmd   `cmd:"" help:"List facts, everybody's or one person's."`
	Add    factsAddCmd    `cmd:"" help:"Remember something about a person."`
	Forget factsForgetCmd `cmd:"" help:"Forget a fact for good."`
	Export factsExportCmd `cmd:"" help:"Write a person's facts as Markdown."`
	Import factsImportCmd `cmd:"" help:"Bring facts in from such a file; importing twice changes nothing."`
	File   factsFileCmd   `cmd:"" help:"memory.facts_file: how it stands, obey it all the same, or take back what it did."`
}

// whoever has the flag that names a person.
type whoever struct {
	User string `help:"Whose, such as telegram:42; a bare id means the terminal." placeholder:"ID"`
}

func (w whoever) viewer() provenance.Viewer {
	id := terminal.UserID(w.User)
	return provenance.Viewer{User: id, Key: chat.DirectKey(id), Direct: true, Operator: true, Agent: chat.Agent{ID: provenance.Every}}
}

type factsListCmd struct {
	whoever
	Limit int `help:"How many." default:"1000"`
}

// Run lists facts.
func (c factsListCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		list, err := store.Facts.Facts(ctx, c.viewer(), c.Limit, 0)
		if err != nil {
			return err
		}
		for _, fact := range list {
			told := ""
			if fact.Agent != "" {
				told = "\ttold to " + fact.Agent
			}
			if _, err := fmt.Fprintf(seen{s.Out}, "%d\t%s\t%s\t%s\t%s %s%s\n", fact.Number, fact.Subject, fact.Updated.Format("2006-01-02 15:04"),
				fact.Type, fact.Content, strings.Join(fact.Tags, " "), told); err != nil {
				return err
			}
		}
		return nil
	})
}

type factsAddCmd struct {
	User string   `help:"Whose, such as telegram:42; a bare id means the terminal." default:"local" placeholder:"ID"`
	Text []string `arg:"" help:"The fact; #tags at its end become tags."`
}

// Run saves a fact.
func (c factsAddCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	v := whoever{c.User}.viewer()
	call := tools.Call{Who: chat.User{ID: v.User}, Where: v.Key, Direct: true, Caller: tools.Caller{Memory: v.Agent, Author: "system"}}
	return operation{call, "facts add", map[string]string{"text": strings.Join(c.Text, " ")}}.run(ctx, f, s)
}

// operation is one that has a slash command, with the arguments that people have for it.
type operation struct {
	call    tools.Call
	command string
	args    map[string]string
}

// run does it and prints what it says.
func (o operation) run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		declared := tools.Operated(tools.FactOperations(store.Facts, nil), o.command)
		result, err := declared.Do(ctx, o.call, declared.Given(o.args))
		if err != nil {
			return err
		}
		doc, source := markdown.Parse(result.Content)
		_, err = fmt.Fprintln(seen{s.Out}, markdown.Plain(doc, source))
		return err
	})
}

type factsForgetCmd struct {
	whoever
	Number int64 `arg:"" name:"id" help:"The fact's number, as bot facts list shows it."`
}

// Run forgets a fact.
func (c factsForgetCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	v := c.viewer()
	call := tools.Call{Who: chat.User{ID: v.User}, Where: v.Key, Direct: true, Caller: tools.Caller{Memory: v.Agent, Operator: true}}
	err := operation{call, "facts forget", map[string]string{"number": strconv.FormatInt(c.Number, 10), "when": "now"}}.run(ctx, f, s)
	if errors.Is(err, facts.ErrNone) {
		return text.Tell("there is no fact %d: bot facts list shows them", c.Number)
	}
	return err
}

type factsExportCmd struct {
	User string `help:"Whose, such as telegram:42; a bare id means the terminal." default:"local" placeholder:"ID"`
	File string `arg:"" optional:"" help:"Where to; standard output when left out."`
}

// Run writes a person's facts.
func (c factsExportCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		v := whoever{c.User}.viewer()
		v.Operator = false
		list, err := store.Facts.Facts(ctx, v, 1_000_000, 0)
		if err != nil {
			return err
		}
		text := facts.Render(v.User, facts.Records(list), nil, time.Now())
		if c.File == "" {
			_, err = fmt.Fprint(s.Out, text)
			return err
		}
		return factsfile.Write(c.File, text)
	})
}

type factsImportCmd struct {
	User string `help:"Whose; the file says when left out." placeholder:"ID"`
	File string `arg:"" help:"A file as bot facts export writes it." type:"existingfile"`
}

// Run brings facts in, all or none.
func (c factsImportCmd) Run(ctx context.Context, f *Flags, s *Streams) error {
	b, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	file, err := facts.Parse(string(b))
	if err != nil {
		return text.Tell("import %s: nothing was imported: %w", c.File, err)
	}
	user := c.User
	if user == "" {
		user = file.Subject
	}
	if user == "" {
		user = "local"
	}
	return withStore(ctx, f, func(store *memory.Store) error {
		v := whoever{user}.viewer()
		done, err := store.Facts.ImportFacts(ctx, v.User, v.Key, file.Facts)
		if err != nil {
			return text.Tell("import %s: nothing was imported: %w", c.File, err)
		}
		_, err = fmt.Fprintf(seen{s.Out}, "imported %s about %s; known already: %d\n", text.Many(done.Added, "fact"), v.User, done.Known)
		return err
	})
}
