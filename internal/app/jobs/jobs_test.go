package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestShutdownCancelsTicks: shutdown cancels a hanging tick without an error; one that
// ignores this is left behind after the grace period.
func TestShutdownCancelsTicks(t *testing.T) {
	for name, tt := range map[string]struct {
		deaf bool
		most time.Duration
	}{"cut short": {false, 0}, "left behind": {true, 10 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var work sync.WaitGroup
				j := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now, Background: work.Go})
				let, running := make(chan struct{}), make(chan struct{})
				j.Add("hangs", "@every 1s", func(ctx context.Context) error {
					close(running)
					if tt.deaf {
						<-let
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				})
				long := j.Aside("long", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
				j.Run("long", long)
				j.Run("long", long) // it is under way
				j.Start()
				<-running
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				began := time.Now()
				j.End(ctx)
				if took := time.Since(began); took != tt.most {
					t.Errorf("it took %s, want %s", took, tt.most)
				}
				work.Wait()
				close(let)
				if strings.Contains(log.String(), "job=") || strings.Contains(log.String(), "left behind") != tt.deaf {
					t.Errorf("logged %s", &log)
				}
			})
		})
	}
}
