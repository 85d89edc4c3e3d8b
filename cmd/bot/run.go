package main

import (
	"context"
	"os"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/app/cli"
	"parley/internal/app/platform"
	"parley/internal/text"
)

// failpoint is handed to the bot. It is nil in the program; tests set it before
// they become the program.
var failpoint func(point string)

// clock is the time by which the bot lives. It is nil in the program, for the time that it is.
var clock func() time.Time

// cron ticks in place of the cron. It is nil in the program.
var cron func(ctx context.Context, due func(context.Context) error, busy func() bool)

// process returns the bot's surroundings.
func process(s *cli.Streams) app.Process {
	return app.Process{Version: thisBuild().version, In: s.In, Out: s.Out, Err: s.Err, Watched: s.Watched,
		Now: clock, Failpoint: failpoint, Cron: cron}
}

type runCmd struct {
	Standby bool `help:"Wait while another bot uses the data folder, and take over when it ends."`
	fresh
}

// fresh is the way on for an operator whose database is gone for good.
type fresh struct {
	Fresh bool `help:"Begin with an empty database where that of a used data folder is missing."`
}

// Run serves every platform that has a token, until a signal; with no token at
// all it is the terminal chat.
func (r runCmd) Run(ctx context.Context, f *cli.Flags, s *cli.Streams) error {
	p := process(s)
	p.Standby, p.Fresh = r.Standby, r.Fresh
	return serve(ctx, f, s, p)
}

// start is Run; met is told of the first message that is answered, nil for nobody.
func start(ctx context.Context, f *cli.Flags, s *cli.Streams, met cli.Met) error {
	p := process(s)
	p.Met = met
	return serve(ctx, f, s, p)
}

// serve runs p until a signal.
func serve(ctx context.Context, f *cli.Flags, s *cli.Streams, p app.Process) error {
	cfg, err := f.Load()
	if err != nil {
		return err
	}
	if platform.AnyOn(cfg) {
		return p.Serve(ctx, cfg, f.Load)
	}
	tokens := platform.TokenSettings()
	if p.Standby {
		return &config.Error{Setting: tokens[0], Hint: text.Tell("set one of: %s", strings.Join(tokens, ", ")),
			Problem: text.Tell("a bot that stands by needs a platform to live on, and none has a token")}
	}
	if os.Getenv("NOTIFY_SOCKET") != "" {
		return &config.Error{Setting: tokens[0], Problem: text.Tell("a service needs a platform to live on, and none has a token"),
			Hint: text.Tell("set one of: %s; under systemd, in a file such as %s", strings.Join(tokens, ", "), "/etc/parley/"+tokens[0])}
	}
	return chatCmd{}.talk(ctx, cfg, p)
}

type chatCmd struct {
	User    string `help:"Speak as this person (an id; default local)." placeholder:"ID"`
	Name    string `help:"What the person is called." placeholder:"NAME"`
	Channel string `help:"Speak in this channel (default: this person's own chat)." placeholder:"ID"`
	JSON    bool   `help:"Print each answer as a JSON object on a line of its own, for scripts."`
	fresh
}

// Run is the terminal chat.
func (c chatCmd) Run(ctx context.Context, cfg config.Config, s *cli.Streams) error {
	p := process(s)
	p.Fresh = c.Fresh
	return c.talk(ctx, cfg, p)
}

func (c chatCmd) talk(ctx context.Context, cfg config.Config, p app.Process) error {
	return p.Talk(ctx, cfg, app.Seat{User: c.User, Name: c.Name, Channel: c.Channel, JSON: c.JSON, TTY: cli.IsTerminal(p.In) &&
		cli.IsTerminal(p.Out)})
}

type mcpCmd struct {
	Serve  mcpServeCmd   `cmd:"" default:"1" help:"Serve on standard input and output (the default)."`
	Login  cli.MCPLogin  `cmd:"" help:"Log in to a tool server of mcp.servers."`
	Logout cli.MCPLogout `cmd:"" help:"Forget the login to a tool server."`
}

type mcpServeCmd struct{}

// Run serves other programs of the owner's.
func (mcpServeCmd) Run(ctx context.Context, cfg config.Config, s *cli.Streams) error {
	return process(s).MCP(ctx, cfg)
}
