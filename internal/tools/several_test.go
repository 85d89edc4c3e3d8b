package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/memorytest"
)

// planned are the tools for reminders on a Wednesday at 14:20 UTC, for somebody in Zürich.
func planned(t *testing.T) Set {
	t.Helper()
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	plan := Planner{Store: memorytest.Open(t, memory.Options{}), Now: func() time.Time { return now },
		Zone: func(context.Context, chat.User) string { return "Europe/Zurich" },
		Next: func(string, string, time.Time) (time.Time, error) { return now.Add(24 * time.Hour), nil }}
	return NewSet(Tools(ReminderOperations(plan))...)
}

// All reminders, or those of a day, are cancelled and moved with one yes; each keeps its time
// of day, and what comes again and again stays where it is.
func TestSeveralReminders(t *testing.T) {
	set := planned(t)
	for _, args := range []string{`{"text":"call mum","when":"tomorrow at 9"}`, `{"text":"pay rent","when":"tomorrow at 17:30"}`,
		`{"text":"run","when":"every day at 7:00"}`, `{"text":"fly","when":"on friday at 8:00"}`} {
		ran(t, set, "set_reminder", args)
	}
	for _, tt := range []struct{ tool, args, want, not string }{
		{"move_reminders", `{"day":"tomorrow","when":"today"}`, "is past", ""},
		{"move_reminders", `{"day":"tomorrow","when":"monday"}`, "Moved to Monday, 9 March 2026: “call mum” and “pay rent”.", "run"},
		{"list_reminders", `{}`, "Monday, 9 March 2026 at 17:30 CET: pay rent", ""},
		{"move_reminders", `{"day":"tomorrow","when":"monday"}`, "no such reminder on “tomorrow”", ""},
		{"cancel_reminders", `{"day":"the moon"}`, "“the moon” is no day", ""},
		{"cancel_reminders", `{"day":"on monday"}`, "Cancelled: “call mum” and “pay rent”.", "fly"},
		{"cancel_reminders", `{}`, "Cancelled: ", "rent"},
		{"cancel_reminders", `{}`, "You have no reminders waiting here.", ""},
	} {
		if got, _ := ran(t, set, tt.tool, tt.args); !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}

// Both ask before they do it, and the question names what it is about.
func TestSeveralRemindersAreAskedAbout(t *testing.T) {
	set := planned(t)
	ran(t, set, "set_reminder", `{"text":"call mum","when":"tomorrow at 9"}`)
	for name, want := range map[string]string{"cancel_reminders": `Cancel all of these reminders: "call mum"?`,
		"move_reminders": `Move these reminders to Monday, 9 March 2026: "call mum"?`} {
		spec := set.find(name).spec
		c := Call{Name: name, Args: json.RawMessage(`{"day":"tomorrow","when":"monday"}`), Who: chat.User{ID: "telegram:1"}, Direct: true,
			Where: chat.Key{Platform: "telegram", Channel: "1"}}
		if name == "cancel_reminders" {
			c.Args = json.RawMessage(`{"day":"tomorrow"}`)
		}
		got, err := spec.Ask(t.Context(), c)
		if err != nil || got != want || !spec.Confirm {
			t.Errorf("%s asks %q, %v", name, got, err)
		}
	}
}

// A rhythm that was set on another clock is shown on that one, both its time and its words.
func TestARhythmIsShownOnOneClock(t *testing.T) {
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	due := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"UTC": "at 09:00 UTC, and then every day at 09:00", "Asia/Tokyo": "at 18:00 UTC+09:00, and then",
		"Europe/Zurich": "at 10:00 CET, and then"} {
		got := dueText(t.Context(), agenda.Reminder{Due: due, Schedule: "0 9 * * *", Zone: zone}, zurich)
		if !strings.Contains(got, want) {
			t.Errorf("in %s: %q, want %q", zone, got, want)
		}
	}
}
