package console

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
)

// TestPageOfFacts: the page shows how firmly a fact stands and until when it holds.
func TestPageOfFacts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 10, 0, 0, 0, time.UTC)
	f := facts.Fact{ID: 1, Content: "Lives in Rome until June", Type: "fact", Author: "assistant", Rank: facts.PickedUp,
		Ends: now.AddDate(0, 0, 22)}
	if view := pageFact(catalog.Printer{}, f, nil, now); !strings.Contains(view.Rank, "picked up in passing") ||
		!strings.HasSuffix(view.Text, "(until 31 May 2026)") {
		t.Errorf("%+v", view)
	}
	if view := pageFact(catalog.Printer{}, f, nil, now.AddDate(0, 1, 0)); !strings.HasSuffix(view.Text, "that is past)") {
		t.Errorf("%+v", view)
	}
}

// TestFactsOfOneAgent: the owner sees everybody's facts, or those told to one agent.
func TestFactsOfOneAgent(t *testing.T) {
	ctx := context.Background()
	store, err := memorytest.Try(t, filepath.Join(t.TempDir(), "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	for _, agent := range []string{"", "desk", "*"} {
		v := provenance.Viewer{User: "x:ann", Key: chat.Key{Platform: "x", Channel: "ann"}, Direct: true, Agent: chat.Agent{ID: agent}}
		if _, err := store.Facts.SaveFact(ctx, v, facts.NewFact{Content: "Ann sails with " + agent + " crew"}); err != nil {
			t.Fatal(err)
		}
	}
	w := Window{Store: store, Now: time.Now}
	for _, tt := range []struct {
		of   *Agent
		want string
	}{{nil, "  * desk"}, {&Agent{Name: "home"}, " "}, {&Agent{Name: "desk", Memory: "desk"}, " desk"}, {&Agent{Memory: "*"}, " *"}} {
		for _, words := range []string{"", "sails"} {
			list, _, err := w.Facts(ctx, FactQuery{Words: words, Of: tt.of, Page: 1})
			got := map[string]bool{}
			for _, f := range list {
				got[f.Agent] = true
			}
			all := ""
			for _, agent := range []string{"", "*", "desk"} {
				if got[agent] {
					all += " " + agent
				}
			}
			if err != nil || all != tt.want {
				t.Errorf("%+v, %q: facts of %q, %v; want %q", tt.of, words, all, err, tt.want)
			}
		}
	}
}
