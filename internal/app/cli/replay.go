package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/replay"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/playbook/guard"
	"parley/internal/text"
)

type playbookReplayCmd struct {
	File    string `arg:"" optional:"" help:"Recorded conversations: messages as OpenAI's chat API has them, JSON or one conversation a line. - is standard input." type:"path"`
	History string `help:"Instead of a file, the bot's own conversations of this long." placeholder:"30d"`
	Dir     string `help:"The playbook; playbook.dir when left out." type:"path"`
	Now     string `help:"The time in a recording that has none, as 2026-05-15T15:00:00-05:00; times without a zone are in its." placeholder:"TIME"`
	JSON    bool   `name:"json" help:"Print every verdict as a line of JSON, also those that allow."`
}

// Run lists tool calls that today's guards would have stopped.
func (c playbookReplayCmd) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	if c.Dir != "" {
		cfg.Playbook.Dir = c.Dir
	}
	if cfg.Playbook.Dir == "" {
		return text.Tell("playbook.dir is not set: name the folder with --dir")
	}
	book, err := playbook.Load(cfg.Playbook.Dir, playbook.Options{})
	if err != nil {
		return err
	}
	if len(book.Guards()) == 0 {
		return text.Tell("%s has no guards", cfg.Playbook.Dir)
	}
	now := time.Now()
	if c.Now != "" {
		if now, err = time.Parse(time.RFC3339, c.Now); err != nil {
			return text.Tell("--now %q is no time like 2026-05-15T15:00:00-05:00", c.Now)
		}
	}
	list, err := c.read(ctx, cfg, s.In)
	if err != nil {
		return err
	}
	out := seen{s.Out}
	var failed error
	tally := replay.Play(book.Guards(), list, now, func(v replay.Verdict) {
		if err := c.tell(out, v); err != nil && failed == nil {
			failed = err
		}
	})
	if failed != nil || c.JSON {
		return failed
	}
	_, err = fmt.Fprintln(out, summed(tally))
	return err
}

// read returns the conversations to play.
func (c playbookReplayCmd) read(ctx context.Context, cfg config.Config, in io.Reader) (list []replay.Conversation, err error) {
	switch {
	case (c.File == "") == (c.History == ""):
		return nil, text.Tell("name a file with recordings, or --history 30d")
	case c.History != "":
		length, err := span(c.History)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(cfg.DataDir); err != nil && cfg.Database.URL == "" {
			return nil, fmt.Errorf("data_dir: %w", err)
		}
		err = inStore(ctx, cfg, func(store *memory.Store) (err error) {
			list, err = replay.History(ctx, store, time.Now().Add(-length))
			return err
		})
		return list, err
	case c.File == "-":
		return replay.Read(in)
	}
	file, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return replay.Read(file)
}

// span parses a length of time such as 30d or 12h.
func span(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, nil
	}
	return 0, text.Tell("--history %q is no length of time like 30d or 12h", s)
}

// tell prints a verdict; allowed calls only as JSON.
func (c playbookReplayCmd) tell(out io.Writer, v replay.Verdict) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(v)
	}
	if v.Ruling == guard.Allowed {
		return nil
	}
	line := fmt.Sprintf("%s, message %d: %s %s: %s by %s", v.Conversation, v.Message, v.Tool, text.Shorten(v.Args, 200), v.Ruling, v.Guard)
	if v.Lacks != "" {
		line += ": " + v.Lacks
	} else if v.Say != "" {
		line += ": " + v.Say
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// summed returns a tally in words.
func summed(t replay.Tally) string {
	each := time.Duration(0)
	if t.Guarded > 0 {
		each = t.Took / time.Duration(t.Guarded)
	}
	return fmt.Sprintf("%s, %s, of which %d guarded: %d would have been refused, %d refused for something missing, %d "+
		"asked about, %d handed over, %d allowed; %v each",
		text.Many(t.Conversations, "conversation"), text.Many(t.Calls, "call"), t.Guarded, t.Refused, t.Undecided, t.Asked,
		t.HandedOver, t.Allowed, each.Round(time.Microsecond))
}
