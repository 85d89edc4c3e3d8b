package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

type recallCmd struct {
	User    string   `help:"Who asks, such as telegram:42; a bare id means the terminal." required:"" placeholder:"ID"`
	Channel string   `help:"Where; a direct chat when left out." placeholder:"ID"`
	Limit   int      `help:"Passages at most; 0 is as many as the budget holds." default:"0"`
	Tokens  int      `help:"Budget for the passages, in tokens." default:"4000"`
	JSON    bool     `name:"json" help:"Print a JSON array."`
	Query   []string `arg:"" help:"The question."`
}

// recalled is one line of the answer.
type recalled struct {
	Kind  string    `json:"kind"`
	ID    string    `json:"id"`
	Score float64   `json:"score"`
	Text  string    `json:"text"`
	Time  time.Time `json:"time"`
}

// Run shows what the agent would be given for a question.
func (c recallCmd) Run(ctx context.Context, f *flags, s *streams) error {
	q := memory.Query{User: c.User, Text: strings.Join(c.Query, " "), Limit: c.Limit, Tokens: c.Tokens}
	if !strings.Contains(q.User, ":") {
		q.User = "terminal:" + q.User
	}
	if c.Channel != "" {
		platform, _, _ := strings.Cut(q.User, ":")
		where := c.Channel
		if !strings.Contains(where, ":") {
			where = platform + ":" + where
		}
		k, ok := chat.ParseKey(where)
		if !ok {
			return fmt.Errorf("--channel %s: not a channel such as telegram:-100", c.Channel)
		}
		q.Key = k
	}
	return withStore(ctx, f, func(store *memory.Store) error {
		found, err := store.Recall(ctx, q)
		if err != nil {
			return err
		}
		list := make([]recalled, len(found))
		for i, p := range found {
			id := p.MessageID
			if id == "" {
				id = fmt.Sprint(p.ID)
			}
			list[i] = recalled{p.Kind, id, p.Score, p.Text, p.At}
		}
		if c.JSON {
			return json.NewEncoder(s.out).Encode(list)
		}
		for _, r := range list {
			if _, err := fmt.Fprintf(s.out, "%s %s %.3f %s\n%s\n\n", r.Kind, r.ID, r.Score, r.Time.Format(time.RFC3339), r.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

type sessionsImportCmd struct {
	File string `arg:"" help:"JSON lines, or Telegram Desktop's result.json." type:"existingfile"`
}

// Run brings older conversations in.
func (c sessionsImportCmd) Run(ctx context.Context, f *flags, s *streams) error {
	return withStore(ctx, f, func(store *memory.Store) error {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		done, err := store.Import(ctx, file)
		if err != nil {
			return fmt.Errorf("import %s: nothing was imported: %w", c.File, err)
		}
		_, err = fmt.Fprintf(s.out, "imported %d messages in %d conversations; %d were known\n", done.Messages, done.Sessions, done.Known)
		return err
	})
}
