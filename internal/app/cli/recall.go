package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"parley/config"
	"parley/internal/adapters/terminal"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/llm/wrap"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/notes/index"
	"parley/internal/text"
)

// Recall shows what the agent would be given for a question.
type Recall struct {
	User    string   `help:"Who asks, such as telegram:42; a bare id means the terminal." required:"" placeholder:"ID"`
	Channel string   `help:"Where; a direct chat when left out." placeholder:"ID"`
	Agent   string   `help:"Which of several agents is asked; when left out, the one that answers there." placeholder:"NAME"`
	Limit   int      `help:"Passages at most; 0 is as many as the budget holds." default:"0"`
	Tokens  int      `help:"Budget for the passages, in tokens." default:"4000"`
	JSON    bool     `name:"json" help:"Print a JSON array."`
	Query   []string `arg:"" help:"The question."`
}

// recalled is one result.
type recalled struct {
	Kind  string    `json:"kind"`
	ID    string    `json:"id"`
	Score float64   `json:"score"`
	Text  string    `json:"text"`
	Time  time.Time `json:"time"`
}

// Run shows what the agent would be given for a question.
func (c Recall) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	q := memory.Query{User: terminal.UserID(c.User), Text: strings.Join(c.Query, " "), Limit: c.Limit, Tokens: c.Tokens}
	if c.Channel != "" {
		platform, _ := chat.CutID(q.User)
		where := c.Channel
		if !strings.Contains(where, ":") {
			where = platform + ":" + where
		}
		k, ok := chat.ParseKey(where)
		if !ok {
			return text.Tell("--channel %s: not a channel such as telegram:-100", c.Channel)
		}
		q.Key = k
	}
	return withMeanings(ctx, cfg, func(store *memory.Store) error {
		name, at, err := c.asked(ctx, cfg, store, q)
		if err != nil {
			return err
		}
		q.Agent = at.ID
		list, err := recallAll(ctx, store, q, at)
		if err != nil {
			return err
		}
		list = c.withNotes(ctx, cfg, list, q, setup.Draws(setup.Resident(cfg, name)))
		if c.JSON {
			return json.NewEncoder(s.Out).Encode(list)
		}
		if len(list) == 0 {
			_, _ = fmt.Fprintln(s.Err, Speaks().Say("Nothing of that is stored for %s.", q.User))
		}
		for _, r := range list {
			if _, err := fmt.Fprintf(seen{s.Out}, "%s %s %.3f %s\n%s\n\n", r.Kind, r.ID, r.Score, r.Time.Format(time.RFC3339), r.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

// asked returns the agent that is asked: the named one, or the one that answers there.
func (c Recall) asked(ctx context.Context, cfg config.Config, store *memory.Store, q memory.Query) (name string, at chat.Agent, err error) {
	r, err := setup.LookRoster(ctx, cfg, store)
	if err != nil {
		return "", at, err
	}
	if name = c.Agent; name == "" {
		m := chat.Message{Key: q.Key, From: chat.User{ID: q.User}, Direct: q.Key.Channel == ""}
		if m.Direct {
			m.Key = chat.DirectKey(q.User)
		}
		name = r.At(m).Agent
	}
	if at, err = r.Memory(name); err != nil {
		return "", at, fmt.Errorf("--agent: %w", err)
	}
	return name, at, nil
}

// withMeanings is inStore with vectors for questions, if an embedding model answers.
func withMeanings(ctx context.Context, cfg config.Config, do func(*memory.Store) error) error {
	cfg = setup.FindEncoder(ctx, cfg)
	silent := slog.New(slog.DiscardHandler)
	o := memory.Options{EmbedModel: cfg.EmbeddingModel()}
	if o.EmbedModel != "" {
		if e, err := setup.Connect(ctx, cfg, nil, silent); err == nil { // doctor reports why not; words decide
			embedder := wrap.Embedder{Of: e.Embedders(), Name: o.EmbedModel, Hide: setup.NewRedactor(cfg, setup.ShortestSaid),
				Count: func(context.Context, wrap.Call) {}, Log: silent, Now: time.Now}
			o.Embed = embedder.Embed
		}
	}
	store, err := openStore(ctx, cfg, o)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if err := store.Meanings().Load(ctx); err != nil {
		return err
	}
	return do(store)
}

// withNotes adds passages of the owner's notes while there is room, if a bot has made an
// index.
func (c Recall) withNotes(ctx context.Context, cfg config.Config, list []recalled, q memory.Query, from []string) []recalled {
	if cfg.Vault.Dir == "" {
		return list
	}
	left := q.Tokens
	for _, r := range list {
		left -= cost(r.Text)
	}
	notes, err := setup.OpenVault(ctx, cfg, index.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err != nil {
		return list
	}
	defer func() { _ = notes.Close() }()
	if err := notes.Refresh(ctx); err != nil {
		return list
	}
	hits, err := notes.Search(ctx, index.Query{Text: q.Text, From: from})
	if err != nil {
		return list
	}
	for _, h := range hits {
		r := recalled{"note", h.Path, h.Score, fmt.Sprintf("%s — %s: %s", h.Title, h.Path, h.Snippet), time.Now()}
		if left -= cost(r.Text); left < 0 || q.Limit > 0 && len(list) >= q.Limit {
			break
		}
		list = append(list, r)
	}
	return list
}

// cost estimates a text's tokens.
func cost(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// recallAll returns the facts and passages an agent would be given, within one budget.
func recallAll(ctx context.Context, store *memory.Store, q memory.Query, at chat.Agent) (list []recalled, err error) {
	list = []recalled{} // encoded as an empty list, not null
	limit := q.Limit    // 0: whatever fits the budget
	v := provenance.Viewer{User: q.User, Key: q.Key, Direct: q.Key.Channel == "", Agent: at}
	facts, err := store.Facts.FactsFor(ctx, v, q.Text, q.Tokens/4)
	if err != nil {
		return nil, err
	}
	for _, f := range facts.Best() {
		r := recalled{"fact", fmt.Sprint(f.ID), 1, fmt.Sprintf("[%s] %s", f.Updated.Format("2006-01-02 15:04"), f.Content), f.Updated}
		if full := limit > 0 && len(list) == limit; !full && cost(r.Text) <= q.Tokens {
			list, q.Tokens = append(list, r), q.Tokens-cost(r.Text)
		}
	}
	if limit > 0 {
		q.Limit = limit - len(list)
	}
	if q.Tokens <= 0 || limit > 0 && q.Limit == 0 {
		return list, nil
	}
	sessions, err := store.Past.Search(ctx, v, q.Text, q.Tokens/4)
	if err != nil {
		return list, err
	}
	for _, s := range sessions {
		if limit == 0 || q.Limit > 1 {
			kind := "session"
			if s.Decision {
				kind = "decision"
			}
			list = append(list, recalled{kind, s.ID, s.Score, s.Text, s.Last})
			q.Tokens, q.Limit = q.Tokens-cost(s.Text), max(q.Limit-1, 0)
		}
	}
	found, err := store.Recall(ctx, q)
	for _, p := range found {
		id := p.MessageID
		if id == "" {
			id = fmt.Sprint(p.ID)
		}
		list = append(list, recalled{p.Kind, id, p.Score, p.Text, p.At})
	}
	return list, err
}
