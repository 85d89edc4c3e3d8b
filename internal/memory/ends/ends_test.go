package ends_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/ends"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/sessions"
)

// Each reader gets each end once it is whole, and until it has acted on it; another reader's
// trouble, and that of other ends, does not keep it from them.
func TestEndsAreReadUntilActedOn(t *testing.T) {
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	s := memorytest.Open(t, memory.Options{Now: func() time.Time { return now }})
	ctx := t.Context()
	read := func(r ends.Reader, fails ...string) (got []string) {
		t.Helper()
		err := s.Ends.Read(ctx, r, func(_ context.Context, e ends.End) error {
			got = append(got, e.What)
			if slices.Contains(fails, e.What) {
				return errors.New("not now")
			}
			return nil
		})
		if (err != nil) != (len(fails) > 0) {
			t.Errorf("%s: %v", r, err)
		}
		return got
	}
	want := func(r ends.Reader, got []string, all ...string) {
		t.Helper()
		if !slices.Equal(got, all) {
			t.Errorf("%s reads %q instead of %q", r, got, all)
		}
	}
	a, b := ended(t, s, "1", now), ended(t, s, "2", now)
	want(ends.Digest, read(ends.Digest))
	owing := &sessions.Debt{Summary: "x", Tries: 2, Due: now}
	must(t, s.Sessions.ArchiveSession(ctx, a, memory.Closing{Text: "an extract", Owed: owing}))
	must(t, s.Sessions.ArchiveSession(ctx, b, memory.Closing{Text: "whole"}))
	want(ends.Digest, read(ends.Digest), a.ID, b.ID)
	want(ends.DailyNote, read(ends.DailyNote, b.ID), b.ID)
	want(ends.DailyNote, read(ends.DailyNote))
	must(t, s.Sessions.ArchiveSession(ctx, a, memory.Closing{Text: "whole"}))
	must(t, s.Sessions.ArchiveSession(ctx, b, memory.Closing{Text: "once more"})) // somebody in it was forgotten
	now = now.Add(5 * time.Minute)
	want(ends.DailyNote, read(ends.DailyNote, b.ID), b.ID, a.ID)
	want(ends.Digest, read(ends.Digest), a.ID)
	if ok, err := s.Past.Resume(ctx, a.ID, time.Hour); err != nil || !ok {
		t.Fatal(ok, err)
	}
	now = now.Add(24 * time.Hour)
	a = ended(t, s, "1", now)
	must(t, s.Sessions.ArchiveSession(ctx, a, memory.Closing{Text: "again"}))
	want(ends.Digest, read(ends.Digest), a.ID)
	now = now.Add(8 * 24 * time.Hour)
	want(ends.DailyNote, read(ends.DailyNote, b.ID), b.ID, a.ID)
	now = now.Add(24 * time.Hour)
	want(ends.DailyNote, read(ends.DailyNote)) // it is given up
}

// A summary that no model can make is not awaited for ever.
func TestEndsWithoutASummary(t *testing.T) {
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	s := memorytest.Open(t, memory.Options{Now: func() time.Time { return now }})
	se, told := ended(t, s, "1", now), 0
	for tries := range 20 {
		must(t, s.Sessions.ArchiveSession(t.Context(), se, memory.Closing{Text: "an extract", Owed: &sessions.Debt{Tries: tries + 1, Due: now}}))
		must(t, s.Ends.Read(t.Context(), ends.DailyNote, func(context.Context, ends.End) error { told++; return nil }))
		if want := min(1, tries/5); told != want {
			t.Errorf("told %d times after %d tries", told, tries+1)
		}
	}
}

// ended returns a session of a place that has just ended, of which something is remembered.
func ended(t *testing.T, s *memory.Store, place string, now time.Time) memory.Session {
	t.Helper()
	ctx, p := t.Context(), memory.Place{Key: chat.Key{Platform: "telegram", Channel: place}}
	se, live, err := s.Sessions.LiveSession(ctx, p)
	must(t, err)
	if !live {
		se, err = s.Sessions.NewSession(ctx, p, true)
		must(t, err)
		se.LastActivity, se.Expires = now, now.Add(time.Hour)
		must(t, s.Sessions.SaveSession(ctx, se))
	}
	digest := memory.Closing{Text: fmt.Sprint("talk in ", place)}
	if ok, err := s.Sessions.EndSession(ctx, se, memory.Completed, digest, true); err != nil || !ok {
		t.Fatal(ok, err)
	}
	se, err = s.Sessions.SessionByID(ctx, se.ID)
	must(t, err)
	return se
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
