package tools

import (
	"strings"
	"testing"
	"time"
)

// What is meant by words of it is changed only where nothing else can be meant.
func TestNamedByWords(t *testing.T) {
	set := realTools(t)
	for _, text := range []string{"buy milk", "call mom", "call the bank", "pay the rent", "买牛奶"} {
		ran(t, set, "add_task", `{"description":"`+text+`"}`)
	}
	ran(t, set, "set_reminder", `{"text":"call the dentist","when":"in 10 minutes"}`)
	ran(t, set, "set_reminder", `{"text":"water the plants","when":"every day at 8:00"}`)
	for _, tt := range []struct{ tool, args, want string }{
		{"complete_task", `{"words":"I called mom"}`, "Done: #2 call mom"},
		{"complete_task", `{"words":"call"}`, "call the bank"}, // the other one is done
		{"complete_task", `{"words":"牛奶"}`, "买牛奶"},
		{"complete_task", `{"words":"fly to the moon"}`, "nothing that fits “fly to the moon”"},
		{"complete_task", `{}`, "give id, or words"},
		{"complete_task", `{"id":77}`, "no such task"},
		{"cancel_reminder", `{"words":"the dentist"}`, "Cancelled: #1 call the dentist"},
		{"cancel_reminder", `{"words":"the dentist"}`, "nothing that fits"},
		{"cancel_reminder", `{"id":2}`, "Cancelled: #2 water the plants"},
	} {
		if text, _ := ran(t, set, tt.tool, tt.args); !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, text, tt.want)
		}
	}
	ran(t, set, "add_task", `{"description":"buy milk for grandma"}`)
	if text, _ := ran(t, set, "complete_task", `{"words":"the milk"}`); !strings.Contains(text, "Several fit “the milk”") ||
		!strings.Contains(text, "- #1 buy milk") {
		t.Errorf("two that fit: %q", text)
	}
}

func TestDatesInWords(t *testing.T) {
	clock := CurrentTime(func() time.Time { return time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC) }, nil)
	for said, want := range map[string]string{"christmas": "Friday, 25 December 2026: that is in 296 days",
		"tomorrow": "that is tomorrow", "today": "that is today", "the moon": "I don't understand the day"} {
		r, err := clock.Call(t.Context(), Call{Args: []byte(`{"when":"` + said + `"}`)})
		if err != nil {
			r.Content = err.Error()
		}
		if !strings.Contains(r.Content, want) {
			t.Errorf("%s: %q, want %q", said, r.Content, want)
		}
	}
}
