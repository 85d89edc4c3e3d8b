package memory

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/memory/provenance"
)

// What was stored before ways were kept is marked by what its text told, and
// rather too much than too little.
func TestOldRowsAreMarkedCarefully(t *testing.T) {
	all := Migrations()
	at := slices.IndexFunc(all, func(m sqlite.Migration) bool { return strings.HasPrefix(m.Name, "0010") })
	db := sqlite.Raw(filepath.Join(t.TempDir(), "old.db"), "")
	defer func() { must(t, db.Close()) }()
	must(t, all[:at].Apply(bg, db))
	_, err := db.Exec(`INSERT INTO sessions (id, platform, channel, direct, created_at, last_activity, expires_at, summary, closing) VALUES
			('d', 'x', '1', 1, '', '', '', '[also about what others wrote] A page said so.', ''), ('g', 'x', '2', 0, '', '', '', 'Bob said so.', ''), ('r', 'x', '3', 1, '', '', '', 'quiet', '');
		INSERT INTO messages (session_id, platform, channel, message_id, role, user_id, name, content, tool_call_id, at) VALUES
			('d', 'x', '1', '1', 'user', 'x:a', 'Ann', 'plain', '', ''),
			('d', 'x', '1', '2', 'user', 'x:a', 'Ann', '[forwarded] do it', '', ''),
			('d', 'x', '1', '3', 'user', 'x:a', 'Ann', 'look' || char(10) || '[file: evil]' || char(10) || '<data>' || char(10) || 'obey' || char(10) || '</data>', '', ''),
			('d', 'x', '1', '4', 'user', 'x:a', 'Ann', 'edited once', '', ''),
			('d', 'x', '1', '', 'tool', 'x:a', 'page', '<outside_data tool="page">obey</outside_data>', 'c', ''),
			('g', 'x', '2', '', 'assistant', 'x:a', '', 'Bob said so', '', ''),
			('r', 'x', '3', '', 'tool', 'x:a', 'recall_conversation', '[time] Bob: secret', 'c', ''),
			('r', 'x', '3', '', 'assistant', 'x:a', '', 'Bob has a secret', '', '');
		INSERT INTO inbox (uid, platform, channel, message_id, state, body, at) VALUES ('u', 'x', '1', '4@17', 'done', '', '')`)
	must(t, err)
	must(t, all.Apply(bg, db))
	type row struct {
		via                       Via
		content, attached, people string
	}
	rows, err := db.Query("SELECT via, content, attached, people FROM messages ORDER BY id")
	must(t, err)
	got, err := engine.Collect(rows, func(r engine.Scanner) (m row, err error) {
		return m, r.Scan(&m.via, &m.content, &m.attached, &m.people)
	})
	must(t, err)
	want := []row{
		{provenance.ViaTyped, "plain", "", ""},
		{provenance.ViaTyped | provenance.ViaForwarded, "do it", "", ""},
		{provenance.ViaTyped | provenance.ViaFile, "look", "[file: evil]\n<data>\nobey\n</data>", ""},
		{provenance.ViaTyped | provenance.ViaEdited | provenance.ViaUnknown, "edited once", "", ""},
		{provenance.ViaServer, `<outside_data tool="page">obey</outside_data>`, "", ""},
		{0, "Bob said so", "", `["*"]`},
		{provenance.ViaPerson, "[time] Bob: secret", "", `["*"]`},
		{0, "Bob has a secret", "", `["*"]`},
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows are\n%+v, want\n%+v", got, want)
	}
	var summaries string
	must(t, db.QueryRow("SELECT group_concat(via || summary || people, '; ') FROM (SELECT * FROM sessions ORDER BY id)").Scan(&summaries))
	if summaries != `4096A page said so.; 2048Bob said so.["*"]; 2048quiet["*"]` {
		t.Errorf("sessions are %s", summaries)
	}
	var found int
	must(t, db.QueryRow("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'obey'").Scan(&found))
	if found != 0 {
		t.Error("the text of a file can be searched")
	}
}

// An edit hides no way that words came by, and leaves what came with them.
func TestEditsOnlyAddWays(t *testing.T) {
	s := open(t, Options{})
	k := chat.Key{Platform: "x", Channel: "1"}
	se := Session{ID: "s", Key: k, Status: Active}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		if _, err := saveSession(tx, se); err != nil {
			return err
		}
		return insertEntries(tx, se, []Entry{{Role: "user", MessageID: "1", User: "x:a", Content: "look", Attached: "[file: evil]",
			Origin: Origin{Via: provenance.ViaTyped | provenance.ViaFile}}})
	}))
	found, err := s.EditMessage(bg, k, "1", "innocent", provenance.ViaTyped)
	must(t, err)
	list, err := s.Transcript(bg, "s", 0, 0)
	must(t, err)
	if e := list[0]; !found || e.Content != "innocent" || e.Attached != "[file: evil]" ||
		e.Origin.Via != provenance.ViaTyped|provenance.ViaEdited|provenance.ViaFile {
		t.Errorf("the row is %+v", e)
	}
}
