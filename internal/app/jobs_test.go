package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
)

// TestRetention: what is archived long enough loses its messages and keeps its
// summary; with the default it keeps all.
func TestRetention(t *testing.T) {
	t.Parallel()
	for _, days := range []int{0, 30} {
		ctx := context.Background()
		st := staged(t, fmt.Sprintf("-- settings.yaml --\nretention: {days: %d}\n-- talk --\n> my file is plan.txt\n= Noted.\n> /session end\nafter 1m\nafter 1m\nafter 1m\n> /session list\nafter 744h\n", days), nil)
		must(t, st.Play(ctx, st.script))
		var log bytes.Buffer
		st.app.log = slog.New(slog.NewTextHandler(&log, nil))
		if err := st.app.chores.prune(ctx); err != nil {
			t.Fatal(err)
		}
		want := 2
		if days > 0 {
			want = 0
		}
		if n, err := st.app.storage.store.Rows(ctx, "messages"); err != nil || n != want {
			t.Errorf("after %d days of retention: %d messages, %v", days, n, err)
		}
		if !strings.Contains(log.String(), fmt.Sprintf("messages=%d ", 2-want)) {
			t.Errorf("logged %s", &log)
		}
		list, err := st.app.storage.store.Sessions(ctx, memory.SessionQuery{})
		if err != nil || len(list) != 1 || list[0].Status != memory.Archived || !strings.Contains(list[0].Closing, "plan.txt") {
			t.Errorf("sessions %+v, %v", list, err)
		}
	}
}

// TestPanickingJob: a job that panics is told of in log and status, also the
// first sweep, and its next tick runs.
func TestPanickingJob(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a, err := Process{}.newApp(context.Background(), configured(t), slog.New(slog.NewTextHandler(&log, nil)), true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	if err := a.build(context.Background()); err != nil {
		t.Fatal(err)
	}
	must(t, a.openFront(context.Background(), nil))
	a.start()
	a.chores.schedule(a.jobs)
	ran := 0
	a.jobs.add("test", "@every 1h", func(context.Context) error {
		if ran++; ran == 1 {
			panic("out of order")
		}
		return nil
	})
	tick := func() string {
		a.jobs.cron.Entry(a.jobs.ids["test"]).WrappedJob.Run()
		answer, err := a.front.commands.Wrap(nil).Handle(context.Background(), chat.Message{
			Kind: chat.KindCommand, Text: "/status", Key: chat.Key{Platform: "terminal", Channel: "local"}, From: chat.User{ID: "terminal:local"}, Direct: true,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Text
	}
	if got := tick(); !regexp.MustCompile(`cron test.*failed: .*out of order`).MatchString(got) || !strings.Contains(log.String(), "out of order") {
		t.Errorf("status %q, log %s", got, &log)
	}
	if got := tick(); ran != 2 || strings.Contains(got, "failed") {
		t.Errorf("the next tick: ran %d times, %q", ran, got)
	}
	a.jobs.run("test", func(context.Context) error { panic("at start") }) // as the first sweep runs
	a.drain()
}

// TestTicksEndWithTheProcess: a tick that hangs, at an endpoint say, is cut short
// when the process is asked to stop, without an error; one that does not listen
// is left behind once the time for unfinished work is over.
func TestTicksEndWithTheProcess(t *testing.T) {
	for name, tt := range map[string]struct {
		deaf bool
		most time.Duration
	}{"cut short": {false, 0}, "left behind": {true, 10 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				j := newJobs(newBase(Process{}, configured(t), slog.New(slog.NewTextHandler(&log, nil)), time.Now))
				let, running := make(chan struct{}), make(chan struct{})
				j.add("hangs", "@every 1s", func(ctx context.Context) error {
					close(running)
					if tt.deaf {
						<-let
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				})
				long := j.aside("long", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
				j.run("long", long)
				j.run("long", long) // it is under way
				j.cron.Start()
				<-running
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				began := time.Now()
				j.end(ctx)
				if took := time.Since(began); took != tt.most {
					t.Errorf("it took %s, want %s", took, tt.most)
				}
				j.work.Wait()
				close(let)
				if strings.Contains(log.String(), "job=") || strings.Contains(log.String(), "left behind") != tt.deaf {
					t.Errorf("logged %s", &log)
				}
			})
		})
	}
}
