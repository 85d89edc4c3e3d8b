// Command bot is Parley: the command line, and how the process begins and ends.
// What runs in between is internal/app's; no rule of the assistant lives here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"parley/config"
	"parley/internal/app"
	"parley/internal/app/cli"
	"parley/internal/app/host"
	"parley/internal/app/platform"
	"parley/internal/app/shell"
	"parley/internal/text"
)

// Exit codes: a mistake in how the program was called or configured, anything
// else that kept it from working, and a second signal, whose number is added as
// shells do.
const (
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128
)

// program is the command line.
type program struct {
	cli.Flags
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version and leave."`

	Run      runCmd          `cmd:"" default:"1" hidden:"" help:"Run every platform that has a token; with none, the terminal chat."`
	Init     cli.Init        `cmd:"" help:"Ask what a first start needs, check it, and write the settings."`
	Chat     chatCmd         `cmd:"" help:"Talk to the bot in this terminal, or line by line through a pipe."`
	Doctor   cli.Doctor      `cmd:"" help:"Check the settings, the data folder, the model and the tokens."`
	Sessions cli.Sessions    `cmd:"" help:"List, show and import conversations."`
	Recall   cli.Recall      `cmd:"" help:"Show what the agent would be given for a question."`
	Facts    cli.Facts       `cmd:"" help:"See and change what is remembered."`
	Playbook cli.Playbook    `cmd:"" help:"Check the playbook."`
	Rehearse cli.Rehearse    `cmd:"" help:"Play conversation scripts against the agent and report where it differs."`
	WhatIf   cli.WhatIf      `cmd:"" name:"whatif" help:"Run past messages again with a change, and show what it would have changed."`
	Page     cli.Page        `cmd:"" help:"Print a one-time link to the control page."`
	MCP      mcpCmd          `cmd:"" name:"mcp" help:"Serve your facts, tasks and conversations to other programs of yours: an MCP server on standard input and output."`
	PDFText  cli.PDFText     `cmd:"" name:"pdf-text" hidden:"" help:"Print the text of the PDF on standard input; the bot runs this apart from itself."`
	Pair     cli.Pair        `cmd:"" help:"See who asks to be let in, and let them in."`
	Backup   cli.Backup      `cmd:"" help:"Copy the database, with the bot running or not."`
	Restore  cli.Restore     `cmd:"" help:"Put a copy in the place of the database, with the bot stopped."`
	Migrate  cli.Migrate     `cmd:"" help:"Move all rows to a PostgreSQL server, or back into a file, with the bot stopped."`
	Letters  cli.DeadLetters `cmd:"" name:"deadletters" help:"Events that could not be understood or stored: see them, read them again, drop them."`
	Logs     cli.Logs        `cmd:"" help:"Explain the number of an error, or list the newest."`
	Health   cli.Health      `cmd:"" help:"Ask the bot that runs here how it is; the exit code tells scripts."`
	Update   cli.Update      `cmd:"" help:"Tell whether there is a newer release; nothing is downloaded."`
	Version  versionCmd      `cmd:"" help:"Print the version."`
	Help     helpCmd         `cmd:"" help:"Print this help."`

	Completion shell.Completion `cmd:"" help:"Print what makes a shell complete the commands of bot."`
	Complete   shell.Complete   `cmd:"" hidden:"" help:"List what could stand next on the command line; the shells ask it."`
	Man        shell.Man        `cmd:"" hidden:"" help:"Print the manual page."`
}

func main() {
	host.Pace()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings handed in. It returns the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	var c program
	c.Veil, c.IDs = text.NewBlotter(errw), platform.Identities()
	watched := cli.IsTerminal(errw)
	errw = c.Veil
	helped := false // --help, wherever it stands, is all that is done
	parser, err := kong.New(&c, kong.Name("bot"), kong.Description(shell.About),
		kong.Vars{"version": thisBuild().String()}, kong.Writers(out, errw), kong.UsageOnError(), kong.Help(shell.Help(cli.Speaks())),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		panic(err) // the command line is ours
	}
	kctx, err := parser.Parse(args)
	if helped {
		return 0
	}
	if err != nil {
		cli.Complain(errw, shell.Mistake(err))
		return exitUsage
	}
	ctx, stop := untilSignal(context.Background())
	defer stop()
	kctx.BindTo(ctx, (*context.Context)(nil))
	if err := kctx.BindToProvider(c.Load); err != nil {
		panic(err) // the command line is ours
	}
	streams := &cli.Streams{In: in, Out: out, Err: errw, Watched: watched}
	err = kctx.Run(&c.Flags, &cli.Bot{Version: thisBuild().version, Tools: app.ToolSchemas, Rehearse: process(streams).Rehearse,
		WhatIf: process(streams).WhatIf, Start: start},
		streams, parser, cli.Speaks())
	if err == nil {
		return 0
	}
	cli.Complain(errw, err)
	var usage interface{ ExitCode() int }
	if errors.As(err, &usage) {
		return usage.ExitCode()
	}
	return exitFailure
}

// untilSignal ends the context it returns at the first interrupt or SIGTERM.
// The second ends the process at once, however soon it follows: both are taken
// by one channel, so none falls between two handlers. stop releases it.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if ctx.Err() != nil {
					os.Exit(exitSignal + int(s.(syscall.Signal)))
				}
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
		cancel()
	})
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(s *cli.Streams) error {
	_, err := fmt.Fprintln(s.Out, thisBuild())
	return err
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to explain."`
}

// Run prints the help of the program or of one command.
func (h helpCmd) Run(p *kong.Kong) error {
	out, printed := p.Stdout, &strings.Builder{}
	p.Stdout = printed
	_, err := p.Parse(append(h.Command, "--help"))
	if printed.Len() == 0 {
		return &config.Error{Problem: shell.Mistake(err)}
	}
	_, err = io.WriteString(out, printed.String()) // which arguments are missing is no matter
	return err
}
