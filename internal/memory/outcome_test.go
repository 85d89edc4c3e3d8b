package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
	"parley/internal/memory/datadir"
)

// What an earlier version recorded is read as ends of messages.
func TestOldAudit(t *testing.T) {
	postgrestest.AboutFiles(t)
	dir := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(dir, 0o700))
	db := sqlite.Raw(filepath.Join(dir, datadir.Name), asWriter)
	must(t, Migrations()[:13].Apply(t.Context(), db))
	old := []struct {
		category, detail string
		want             chat.End
	}{
		{"RESPONSE", "{}", chat.End{Outcome: chat.Answered}},
		{"TOOL_USE", "{}", chat.End{Outcome: chat.Answered}},
		{"AMBIGUITY", "{}", chat.End{Outcome: chat.Answered}},
		{"COMMAND", `{"reason":"facts list"}`, chat.End{Outcome: chat.Answered, Command: "facts list"}},
		{"COMMAND", `{}`, chat.End{Outcome: chat.Answered, Command: "command"}},
		{"IGNORED", "{}", chat.End{Outcome: chat.Overheard}},
		{"REFUSAL", "{}", chat.End{Outcome: chat.Refused, Reason: chat.Filtered}},
		{"REFUSAL:MISSING_PERMISSION", "{}", chat.End{Outcome: chat.Refused, Reason: chat.NoPermission}},
		{"RATE_LIMITED", "{}", chat.End{Outcome: chat.Refused, Reason: chat.TooFast}},
		{"RATE_LIMITED", `{"error_id":"X"}`, chat.End{Outcome: chat.Failed, Reason: chat.Busy, ErrorID: "X"}},
		{"STOPPED", "{}", chat.End{Outcome: chat.Stopped}},
		{"INVALID_INPUT", "{}", chat.End{Outcome: chat.Refused, Reason: chat.Invalid}},
		{"ERROR", `{"error_id":"Y"}`, chat.End{Outcome: chat.Failed, ErrorID: "Y"}},
	}
	_, err := db.Exec("INSERT INTO inbox (id, platform, channel, message_id, state, body, at, uid) VALUES (1, 'p', 'c', " +
		"'m1', 'done', '', 'x', 'u1')")
	must(t, err)
	for i, o := range old {
		_, err := db.Exec("INSERT INTO decisions (id, inbox_id, platform, channel, user_id, category, detail, at) VALUES "+
			"(?, ?, 'p', 'c', 'p:1', ?, ?, 'x')",
			fmt.Sprintf("%08d", i), i, o.category, o.detail)
		must(t, err)
	}
	must(t, db.Close())
	s, err := openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	for i, o := range old {
		d, err := s.Decisions.DecisionByID(t.Context(), fmt.Sprintf("%08d", i))
		must(t, err)
		if d.End != o.want {
			t.Errorf("%s %s is %+v, want %+v", o.category, o.detail, d.End, o.want)
		}
		if want := map[int]string{1: "m1"}[i]; d.Message != want {
			t.Errorf("%s is message %q, want %q", o.category, d.Message, want)
		}
	}
}
