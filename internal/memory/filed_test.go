package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/memory/facts"
)

// TestFiledBefore: what the facts file did under an earlier version can still be undone.
func TestFiledBefore(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	v := Viewer{User: "x:a", Direct: true}
	gone, changed, added := save(t, s, v, "plays the cello"), save(t, s, v, "lives in Ghent"), save(t, s, v, "rides a bike")
	_, err := s.Facts.UpdateFact(t.Context(), v, changed.ID, facts.NewFact{Content: "lives in Liège", Worth: facts.Worth{Explicit: true}})
	must(t, err)
	must(t, s.db.Exec(t.Context(), "UPDATE key_facts SET valid_to = ? WHERE id = ?", Stamp(now), gone.ID))
	must(t, s.db.Exec(t.Context(), "DELETE FROM fact_changes"))
	must(t, s.Settings.SetSetting(t.Context(), "facts_file.undo", fmt.Sprintf(`[{"At":%q,"Done":%q,"Gone":[%d],"Changed":null,"Added":null},{"At":%q,"Done":%q,"Gone":null,"Changed":[%d],"Added":[%d]}]`,
		Stamp(now), Stamp(now), gone.ID, Stamp(now.Add(time.Minute)), Stamp(now.Add(time.Minute)), changed.ID, added.ID)))
	var step string
	for _, m := range Migrations() {
		if m.Name == "0066_sources.sql" {
			_, step, _ = strings.Cut(m.SQL, "those of one sync share a number.")
		}
	}
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		return tx.ExecAll(nil, strings.Split(strings.TrimSuffix(strings.TrimSpace(step), ";"), ";")...)
	}))
	for _, want := range []facts.Undone{{Reverted: 1, Removed: 1}, {Restored: 1}} {
		got, err := s.Facts.UndoFacts(t.Context())
		if got.At = want.At; err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	list, err := s.Facts.Facts(t.Context(), v, 10, 0)
	must(t, err)
	contents := []string{}
	for _, f := range list {
		contents = append(contents, f.Content)
	}
	slices.Sort(contents)
	if !slices.Equal(contents, []string{"lives in Ghent", "plays the cello"}) {
		t.Errorf("%q", contents)
	}
}
