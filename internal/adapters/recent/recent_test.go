package recent

import (
	"testing"
	"time"
)

func TestTheOldestGivesWay(t *testing.T) {
	m := Map[string, int]{Most: 2}
	if !m.Put("a", 1) || m.Put("a", 2) || !m.Put("b", 3) || !m.Put("c", 4) {
		t.Error("an entry is new once")
	}
	if _, ok := m.Get("a"); ok {
		t.Error("the oldest of three is kept")
	}
	if v, ok := m.Get("b"); !ok || v != 3 || !m.Drop("b") || m.Drop("b") {
		t.Error("an entry is lost, or dropped twice")
	}
	m.Put("d", 5)
	if _, ok := m.Get("c"); !ok {
		t.Error("a dropped entry takes room")
	}
}

func TestTheLongestWaitCounts(t *testing.T) {
	now := time.Unix(1000, 0)
	var w Waits[int]
	w.Keep(1, 5*time.Second, now)
	w.Keep(1, time.Second, now)
	w.Keep(2, 3*time.Second, now)
	for at, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 4 * time.Second: time.Second, time.Minute: 0} {
		if left := w.Left(now.Add(at), 1, 2, 3); left != want {
			t.Errorf("after %s, %s are left, want %s", at, left, want)
		}
	}
	w.Keep(3, time.Second, now.Add(time.Minute))
	if len(w.until) != 1 {
		t.Errorf("%d waits are kept, one is under way", len(w.until))
	}
}
