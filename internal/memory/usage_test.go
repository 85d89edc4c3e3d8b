package memory

import (
	"context"
	"math"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
)

func TestUsageSums(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 59, 59, 0, time.UTC)
	s, ctx := open(t, Options{Now: func() time.Time { return now }}), context.Background()
	spend := func(user, channel, purpose, model string, tokens int, money float64) {
		s.Usage.AddUsage(chat.Key{Platform: "telegram", Channel: channel}, user, Used{Purpose: purpose, Model: model, Calls: 1,
			Usage: llm.Usage{Prompt: tokens, Cached: tokens / 2, Cost: money}}, func(err error) { t.Error(err) })
	}
	spend("telegram:1", "-1", "answer", "main", 1000, 9)
	now = now.Add(time.Second) // midnight
	spend("telegram:1", "-1", "answer", "main", 1, 0.5)
	spend("telegram:1", "-1", "answer", "main", 10, 0.25)
	spend("telegram:2", "-1", "summary", "local", 100, 0)
	spend("telegram:2", "-2", "answer", "main", 5000, 1)
	spend("", "", "embedding", "local", 7, 0)
	for _, tt := range []struct {
		name   string
		sum    func() (int64, float64, error)
		tokens int64
		money  float64
	}{
		{"user", func() (int64, float64, error) { return s.Usage.UserSpent(ctx, "telegram:1", now) }, 11, 0.75},
		{"channel", func() (int64, float64, error) {
			return s.Usage.ChannelSpent(ctx, chat.Key{Platform: "telegram", Channel: "-1"}, now)
		}, 111, 0.75},
		{"all", func() (int64, float64, error) { return s.Usage.AllSpent(ctx, now) }, 5118, 1.75},
	} {
		if tokens, money, err := tt.sum(); err != nil || tokens != tt.tokens || math.Abs(money-tt.money) > 1e-9 {
			t.Errorf("%s: %d tokens, %g, %v", tt.name, tokens, money, err)
		}
	}
	list, err := s.Usage.UsageSince(ctx, now)
	must(t, err)
	if len(list) != 3 || list[0].Model != "main" || list[0].Calls != 3 || list[0].Usage.Total != 5011 || list[0].Usage.Cached != 2505 {
		t.Errorf("by model: %+v", list)
	}
	// Who is forgotten leaves the sum, and no trace; who moves takes it along.
	must(t, s.ForgetPerson(ctx, "telegram:2", 0))
	must(t, s.Move(ctx, chat.Move{From: chat.Key{Platform: "telegram", Channel: "-1"}, To: chat.Key{Platform: "telegram", Channel: "-100"}}))
	if tokens, _, err := s.Usage.UserSpent(ctx, "telegram:2", now); tokens != 0 || err != nil {
		t.Errorf("forgotten, and yet %d tokens, %v", tokens, err)
	}
	if tokens, _, err := s.Usage.AllSpent(ctx, now); tokens != 5118 || err != nil {
		t.Errorf("in all %d tokens, %v", tokens, err)
	}
	if tokens, _, err := s.Usage.ChannelSpent(ctx, chat.Key{Platform: "telegram", Channel: "-100"}, now); tokens != 11 || err != nil {
		t.Errorf("where it moved: %d tokens, %v", tokens, err)
	}
}
