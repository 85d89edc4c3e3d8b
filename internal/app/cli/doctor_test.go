package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/config"
)

func TestClockSkew(t *testing.T) {
	now := time.Now()
	for off, want := range map[time.Duration]bool{0: true, 119 * time.Second: true, -119 * time.Second: true,
		3 * time.Minute: false, -time.Hour: false} {
		if err := skewed(now.Add(off), now); (err == nil) != want {
			t.Errorf("%v: %v", off, err)
		}
	}
}

func TestDiskCheckBeforeFirstStart(t *testing.T) {
	var out strings.Builder
	d := &doctor{s: &Streams{Out: &out}, now: time.Now}
	d.space(filepath.Join(t.TempDir(), "not", "yet"))
	if !strings.Contains(out.String(), "GB free") {
		t.Errorf("got %s", out.String())
	}
	d.access(config.Default())
	if d.unwell {
		t.Errorf("got %s", out.String())
	}
}
