package memory

import (
	"testing"

	"parley/internal/db/engine"
)

// However many conversations of a platform are due that this process does not know, it finds those
// of its own.
func TestDueOnItsPlatforms(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		for id, platform := range map[string]string{"a": "x", "b": "x", "c": "y"} {
			for _, status := range []string{"active", "expired"} {
				_, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, status, created_at, last_activity, expires_at, ended_at, owed_at)
					VALUES (?, ?, ?, ?, '2020', '2020', ?, ?, ?)`, id+status, platform, id+status, status, "2020"+id, "2020"+id, "2020"+id)
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
	for _, tt := range []struct {
		platforms            []string
		expire, archive, pay int
	}{{nil, 2, 2, 2}, {[]string{"y", "z"}, 1, 1, 2}, {[]string{}, 0, 0, 0}} {
		expire, err := s.Past.DueToExpire(t.Context(), tt.platforms, 2)
		must(t, err)
		archive, err := s.Past.DueToArchive(t.Context(), tt.platforms, 2)
		must(t, err)
		pay, err := s.Past.DueToPay(t.Context(), tt.platforms, 2)
		must(t, err)
		if len(expire) != tt.expire || len(archive) != tt.archive || len(pay) != tt.pay {
			t.Errorf("%q: %v, %v, %v", tt.platforms, expire, archive, pay)
		}
	}
}
