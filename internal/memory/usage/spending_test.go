package usage_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/usage"
	"parley/internal/text/waittest"
)

var must = waittest.Must

// open returns the store of one process of several on a database.
func open(t *testing.T, url string) *memory.Store {
	t.Helper()
	return memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: url})
}

// settle waits until what was spent is added.
func settle(t *testing.T, s *memory.Store) error {
	_, _, err := s.Usage.AllSpent(t.Context(), time.Now())
	return err
}

func spend(t *testing.T, s *memory.Store, user, channel string) {
	s.Usage.AddUsage(chat.Key{Platform: "p", Channel: channel}, user, usage.Used{Purpose: "answer", Model: "m", Calls: 1,
		Usage: llm.Usage{Prompt: 1}},
		func(err error) { t.Errorf("%s in %s: %v", user, channel, err) })
}

// TestSumsInOneOrder: what is added together is taken in one order, whatever the order in
// which it was spent: who waits for a sum has none that comes later.
func TestSumsInOneOrder(t *testing.T) {
	t.Parallel()
	url := memorytest.URL(t)
	s := open(t, url)
	all := func() {
		spend(t, s, "z", "1")
		spend(t, s, "a", "9")
		spend(t, s, "m", "1")
	}
	all()
	must(t, settle(t, s))
	raw := postgrestest.Raw(t, url)
	for _, kind := range []struct{ first, later string }{{"a", "z"}, {"p 1", "p 9"}} {
		other, err := raw.Begin()
		must(t, err)
		take := func(name string) error {
			_, err := other.Exec("UPDATE spent SET tokens = tokens + 1 WHERE name = $1", name)
			return err
		}
		must(t, take(kind.first))
		all()
		added := make(chan error)
		go func() { added <- settle(t, s) }()
		waittest.Until(t, "it waits", func() bool {
			n := 0
			must(t, raw.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
			return n == 1
		})
		_, err = other.Exec("SET LOCAL lock_timeout = '300ms'")
		must(t, err)
		if err := take(kind.later); err != nil {
			t.Errorf("whoever waits for %q has %q: %v", kind.first, kind.later, err)
		}
		_ = other.Rollback()
		must(t, <-added)
	}
}

// TestSumsOfTwo: two processes add to the same sums in opposite order, on a day that has
// none yet and then again: nobody is undone for the other, and nothing is missing.
func TestSumsOfTwo(t *testing.T) {
	t.Parallel()
	const rounds, people = 30, 12
	url := memorytest.URL(t)
	var all sync.WaitGroup
	var stores []*memory.Store
	for range 2 {
		stores = append(stores, open(t, url))
	}
	for way, s := range stores {
		all.Go(func() {
			for range rounds {
				for i := range people {
					if way == 1 {
						i = people - 1 - i
					}
					spend(t, s, fmt.Sprint("u", i), fmt.Sprint("c", (i*5+way)%people))
				}
				if err := settle(t, s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	tokens, _, err := stores[0].Usage.AllSpent(t.Context(), time.Now().Add(-48*time.Hour))
	must(t, err)
	if tokens != 2*rounds*people {
		t.Errorf("%d tokens are counted", tokens)
	}
	for _, s := range stores {
		must(t, s.Close())
	}
	var deadlocks int
	must(t, postgrestest.Raw(t, url).QueryRow("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks))
	if deadlocks > 0 {
		t.Errorf("%d times two waited for each other", deadlocks)
	}
}
