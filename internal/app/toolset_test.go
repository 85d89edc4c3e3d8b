package app

import (
	"context"
	"path/filepath"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

// TestSwitchSurvivesRefresh: a switch made here survives a simultaneous refresh from another
// process.
func TestSwitchSurvivesRefresh(t *testing.T) {
	t.Parallel()
	store := memorytest.OpenIn(t, filepath.Join(t.TempDir(), "data"), memory.Options{})
	set := &toolset{base: &base{store: store}, off: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for ctx.Err() == nil {
			_ = set.refresh(ctx)
		}
	}()
	for i := range 200 {
		on := i%2 == 1
		must(t, set.turn(ctx, "a", on))
		set.mu.Lock()
		off := set.off["a"]
		set.mu.Unlock()
		if off == on {
			t.Errorf("%d: it is off: %v", i, off)
			break
		}
	}
	stop()
	<-looked
}
