package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite/plantest"
	"parley/internal/llm"
)

// said stores one finished message with its answer.
func said(t *testing.T, s *Store, k chat.Key, n int, d Decision) {
	t.Helper()
	ctx := context.Background()
	m := chat.Message{ID: fmt.Sprint(n), Key: k, From: chat.User{ID: "telegram:42", Name: "Alice"}, Text: fmt.Sprintf("question %d", n)}
	fresh, err := s.Accept(ctx, chat.Batch{Platform: k.Platform, Messages: []chat.Message{m}})
	must(t, err)
	se := Session{ID: d.Session, Key: k, Status: Active, Created: s.now(), LastActivity: s.now()}
	must(t, s.Finish(ctx, fresh[0], nil, &Turn{Session: &se, Decision: d, Entries: []Entry{
		{MessageID: m.ID, Role: llm.RoleUser, User: m.From.ID, Name: "Alice", Content: m.Text, At: s.now()},
		{Role: llm.RoleAssistant, User: m.From.ID, Content: fmt.Sprintf("answer %d", n), At: s.now()},
	}, Calls: []CallRecord{{CallID: "c", Name: "clock", Arguments: "{}", Status: "success"}}}))
}

func TestReport(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	s, ctx := open(t, Options{Now: func() time.Time { return now }}), context.Background()
	begin := now
	here, there := chat.Key{Platform: "telegram", Channel: "42"}, chat.Key{Platform: "telegram", Channel: "-100", Thread: "5"}
	for n := range 100 {
		now = begin.Add(time.Duration(n) * time.Minute)
		k, session := here, "0000aaaa-0000-4000-8000-000000000000"
		if n%2 == 1 {
			k, session = there, "0000bbbb-0000-4000-8000-000000000000"
		}
		d := Decision{Session: session, End: chat.End{Outcome: chat.Answered}, Took: time.Duration(n+1) * time.Millisecond,
			Usage: llm.Usage{Total: 10}}
		d.Detail.Playbook = json.RawMessage(`{"top_matches":[{"guideline_id":"a"}],"dropped":[{"guideline_id":"b"},{"guideline_id":"c"}]}`)
		if n == 30 {
			d.End.Outcome, d.Detail.Error = chat.Failed, "boom"
		}
		said(t, s, k, n, d)
	}

	l, err := s.Decisions.Load(ctx, begin, begin.Add(time.Hour))
	must(t, err)
	if l.Messages != 60 || l.Errors != 1 || l.Tokens != 600 || l.Median != 30*time.Millisecond || l.P95 != 57*time.Millisecond {
		t.Errorf("the first hour was %+v", l)
	}
	if l, err := s.Decisions.Load(ctx, begin.Add(-time.Hour), begin); err != nil || l.Messages != 0 || l.P95 != 0 {
		t.Errorf("the hour before was %+v, %v", l, err)
	}

	newest, err := s.Messages(ctx, MessageQuery{Key: here, Limit: 3})
	must(t, err)
	if len(newest) != 3 || newest[2].Content != "answer 98" || newest[1].Content != "question 98" {
		t.Errorf("the newest messages are %+v", newest)
	}
	older, err := s.Messages(ctx, MessageQuery{Session: "0000aaaa-0000-4000-8000-000000000000", Before: newest[0].ID, Limit: 1})
	must(t, err)
	if len(older) != 1 || older[0].Content != "question 96" {
		t.Errorf("before them came %+v", older)
	}

	audits, err := s.Decisions.Audits(ctx, here, begin, now, 2)
	must(t, err)
	if len(audits) != 2 || !audits[0].At.Before(audits[1].At) || audits[1].Took != 99*time.Millisecond || len(audits[1].Done) != 1 {
		t.Errorf("the newest decisions are %+v", audits)
	}
	failures, err := s.Decisions.Failures(ctx, begin, 5)
	must(t, err)
	if len(failures) != 1 || failures[0].Detail.Error != "boom" {
		t.Errorf("failures are %+v", failures)
	}

	hits, err := s.Search(ctx, "QUESTION 98?", 5, 0)
	must(t, err)
	if len(hits) != 1 || hits[0].Key != here || hits[0].Text != "\x02question\x03 \x0298\x03" {
		t.Errorf("found %+v", hits)
	}
	for _, text := range []string{`"`, "NEAR(", "content:x", "the", "' OR ''='", ""} {
		if hits, err := s.Search(ctx, text, 5, 0); err != nil || len(hits) > 0 {
			t.Errorf("%q found %v, %v", text, hits, err)
		}
	}

	uses, err := s.Decisions.RuleUses(ctx, now.Add(-10*time.Minute), nil)
	must(t, err)
	if uses["a"] != (RuleUse{Applied: 11}) || uses["b"] != (RuleUse{Dropped: 11}) {
		t.Errorf("rules were used %v", uses)
	}
	sessions, err := s.Sessions.SessionsByAge(ctx, Active, 1, 1)
	must(t, err)
	if len(sessions) != 1 || sessions[0].Key != here {
		t.Errorf("the older session is %+v", sessions)
	}
}

func TestSessionCounts(t *testing.T) {
	s, ctx := open(t, Options{}), context.Background()
	if counts, err := s.Sessions.SessionCounts(ctx); err != nil || len(counts) != 0 {
		t.Errorf("an empty database has %v, %v", counts, err)
	}
	for i, st := range []Status{Active, Archived, Archived, Completed, Archived} {
		must(t, s.Sessions.SaveSession(ctx, Session{ID: fmt.Sprint(i), Key: chat.Key{Platform: "p", Channel: fmt.Sprint(i)}, Status: st}))
	}
	counts, err := s.Sessions.SessionCounts(ctx)
	must(t, err)
	if len(counts) != 3 || counts[Archived] != 3 || counts[Active] != 1 || counts[Completed] != 1 {
		t.Errorf("counted %v", counts)
	}
}

var wholeTable = regexp.MustCompile(`^SCAN (decisions|messages|m|sessions|s|tool_calls|outbox)$`)

// TestReportsUseIndexes holds every report, and the look-up of a quote, to an index: none may walk through a
// table that grows with every message.
func TestReportsUseIndexes(t *testing.T) {
	postgrestest.AboutFiles(t)
	s := open(t, Options{})
	ctx := context.Background()
	_, _ = s.Decisions.Load(ctx, s.now(), s.now())
	_, _ = s.Messages(ctx, MessageQuery{Limit: 1})
	_, _ = s.Messages(ctx, MessageQuery{Session: "x", Limit: 1})
	_, _ = s.Decisions.Audits(ctx, chat.Key{}, s.now(), s.now(), 1)
	_, _ = s.Decisions.Failures(ctx, s.now(), 1)
	_, _ = s.Search(ctx, "word", 1, 0)
	_, _ = s.Decisions.RuleUses(ctx, s.now(), nil)
	_, _ = s.SaidBy(ctx, chat.Key{Platform: "p", Channel: "c"}, "1")
	plans, err := plantest.Plans(ctx, s.File.Path(), s.db.Kept())
	must(t, err)
	if len(plans) < 8 {
		t.Fatalf("only %d queries were made", len(plans))
	}
	for query, steps := range plans {
		for _, step := range steps {
			if wholeTable.MatchString(step) {
				t.Errorf("%s\n%s", step, query)
			}
		}
	}
}
