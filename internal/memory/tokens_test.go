package memory

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"parley/internal/memory/tokens"
)

// TestTokens: a token is found by what it is as long as it is not revoked, only its hash is
// kept, nobody revokes another's but an owner, and who is forgotten has none.
func TestTokens(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	issue := func(user string) (tokens.Token, string) {
		t.Helper()
		k, secret, err := s.Tokens.New(t.Context(), user, "laptop")
		if err != nil || !regexp.MustCompile(`^parley_[a-z2-7]{52}$`).MatchString(secret) {
			t.Fatal(secret, err)
		}
		return k, secret
	}
	whose := func(secret string) string {
		t.Helper()
		k, ok, err := s.Tokens.Find(t.Context(), secret)
		if err != nil || ok != (k.User != "") {
			t.Fatal(k, ok, err)
		}
		return k.User
	}
	ann, annSecret := issue("telegram:7")
	_, second := issue("telegram:7")
	bo, boSecret := issue("telegram:8")
	if annSecret == second || whose(annSecret) != "telegram:7" || whose(second) != "telegram:7" || whose(boSecret) != "telegram:8" {
		t.Error("a token is not its person's")
	}
	var hash string
	must(t, s.db.QueryRow("SELECT hash FROM api_tokens WHERE id = ?", ann.ID).Scan(&hash))
	for what, not := range map[string]string{"nothing": "", "an id": ann.ID, "a hash": hash, "one letter less": annSecret[:len(annSecret)-1],
		"one more": annSecret + "a", "capitals": "PARLEY_" + annSecret[7:], "another's prefix": annSecret[:20] + boSecret[20:]} {
		if got := whose(not); got != "" {
			t.Errorf("%s is a token of %s", what, got)
		}
	}
	now = now.Add(time.Hour)
	whose(annSecret)
	list, err := s.Tokens.List(t.Context(), "telegram:7")
	if must(t, err); len(list) != 2 || !list[0].Used.Add(list[1].Used.Sub(list[0].Used)).Equal(list[1].Used) {
		t.Errorf("listed: %+v", list)
	}
	used := map[string]time.Time{list[0].ID: list[0].Used, list[1].ID: list[1].Used}
	if !used[ann.ID].Equal(now) {
		t.Errorf("it was last used %v", used[ann.ID])
	}
	if err := s.Tokens.Revoke(t.Context(), "telegram:7", bo.ID); !errors.Is(err, tokens.ErrNoToken) || whose(boSecret) == "" {
		t.Errorf("another's is revoked: %v", err)
	}
	must(t, s.Tokens.Revoke(t.Context(), "telegram:7", ann.ID))
	if err := s.Tokens.Revoke(t.Context(), "telegram:7", ann.ID); !errors.Is(err, tokens.ErrNoToken) {
		t.Errorf("revoked twice: %v", err)
	}
	if whose(annSecret) != "" || whose(second) == "" {
		t.Error("a revoked token is found, or another is not")
	}
	must(t, s.Tokens.Revoke(t.Context(), "", bo.ID)) // as an owner
	if whose(boSecret) != "" {
		t.Error("an owner cannot revoke it")
	}
	must(t, s.ForgetPerson(t.Context(), "telegram:7", 0))
	if whose(second) != "" {
		t.Error("who is forgotten has a token")
	}
}
