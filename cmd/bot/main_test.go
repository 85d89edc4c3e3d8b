package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/config"
	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/cli"
	"parley/internal/app/host"
	"parley/internal/db/postgres"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/datadir"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// childEnv makes the test binary be the bot: crash tests kill it like one.
const childEnv = "PARLEY_BE_THE_BOT"

// clockEnv names a file with the time by which the bot lives.
const clockEnv = "PARLEY_CLOCK"

// hour reads a clock: seconds since 1970.
func hour(name string) time.Time {
	text, _ := os.ReadFile(name)
	n := int64(0)
	_, _ = fmt.Sscan(string(text), &n)
	return time.Unix(n, 0)
}

// ticksWith does what is due whenever a test writes another number into the file asks of a
// clock; once nothing is under way any more it writes that number into the file done.
func ticksWith(clock string) func(context.Context, func(context.Context) error, func() bool) {
	return func(ctx context.Context, due func(context.Context) error, busy func() bool) {
		last := ""
		for poll := time.NewTicker(2 * time.Millisecond); ctx.Err() == nil; <-poll.C {
			asked, _ := os.ReadFile(clock + ".asks")
			if string(asked) == last {
				continue
			}
			last = string(asked)
			said := last
			if err := due(ctx); err != nil {
				said += " " + err.Error()
			}
			for ctx.Err() == nil && busy() {
				<-poll.C
			}
			_ = os.WriteFile(clock+".new.done", []byte(said), 0o600)
			_ = os.Rename(clock+".new.done", clock+".done")
		}
	}
}

// TestMain is the bot's main where a test started this binary as the bot.
// BOT_FAILPOINT=name:n then kills it the n-th time it comes by that point; with BOT_HOLD=file it
// waits there until the file is there.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "pdf-text" { // has no environment
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	_ = os.Setenv("LC_ALL", "C") // English, whatever this machine speaks
	if os.Getenv(childEnv) == "" {
		waittest.Abreast(8)
		os.Exit(races(m))
	}
	host.Pace()
	point, nth, _ := strings.Cut(os.Getenv("BOT_FAILPOINT"), ":")
	held := os.Getenv("BOT_HOLD")
	_ = os.Unsetenv("BOT_FAILPOINT")
	_ = os.Unsetenv("BOT_HOLD")
	_ = os.Unsetenv(childEnv)
	if name := os.Getenv(clockEnv); name != "" {
		clock = func() time.Time { return hour(name) }
		cron = ticksWith(name)
	}
	left := 1
	_, _ = fmt.Sscan(nth, &left) // no number is the first time
	hits := make(chan struct{}, left)
	failpoint = func(name string) {
		if name != point || point == "" {
			return
		}
		select {
		case hits <- struct{}{}:
			if len(hits) == left && held != "" {
				waittest.Within(time.Minute, func() bool { _, err := os.Stat(held); return err == nil })
			} else if len(hits) == left {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // the signal is on its way
			}
		default:
			if held == "" {
				select {}
			}
		}
	}
	end := profiled()
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	end()
	os.Exit(code)
}

// world is a bot between fakes at the wire.
type world struct {
	tg   *telegramtest.Server
	dc   *discordtest.Server
	llm  *llmtest.Server
	dir  string
	url  string // of its database on a server; "" for a file in dir
	file string // settings; "" for none
	env  []string
	stop func() error
	cut  func() // ends the platforms
	log  safeBuffer
}

// safeBuffer is what a running bot wrote so far.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	waittest.Until(t, what, ok)
}

// newWorld starts the fakes; the bot is started by run or by a child process. env adds to
// its environment.
func newWorld(t testing.TB, env ...string) *world {
	w := &world{tg: telegramtest.New(), dc: discordtest.New(), llm: llmtest.NewServer(), dir: filepath.Join(t.TempDir(), "data")}
	t.Cleanup(w.llm.Close)
	w.cut = sync.OnceFunc(func() { w.tg.Close(); w.dc.Close() })
	t.Cleanup(func() { w.cut() })
	w.llm.Structured(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: `{"summary":"They talked.","title":"Talk","decisions":[],"facts":[]}`}
	})
	w.env = []string{
		"BOT_TELEGRAM_TOKEN=" + w.tg.Token(), "BOT_TELEGRAM_API_URL=" + w.tg.URL(), "BOT_MODEL_BASE_URL=" + w.llm.URL(),
		"BOT_MODEL_NAME=test", "BOT_MODEL_RETRY_FOR=1s", "BOT_MODEL_RETRIES=3", "BOT_ACCESS_MODE=open", "BOT_DATA_DIR=" + w.dir,
		"BOT_ACCESS_OWNERS=telegram:1",
		"BOT_LIMITS_USER_PER_MINUTE=0",
		"BOT_MODEL_FIND_EMBEDDING=false", // whatever else runs on this machine
	}
	w.env = append(w.env, env...)
	if memorytest.Served() {
		w.served(t)
	}
	return w
}

// modelsInFile takes the model out of the environment, as the file of settings names several.
func (w *world) modelsInFile() {
	w.env = slices.DeleteFunc(w.env, func(s string) bool {
		return strings.HasPrefix(s, "BOT_MODEL_BASE_URL") || strings.HasPrefix(s, "BOT_MODEL_NAME") || strings.HasPrefix(s, "BOT_MODEL_FIND")
	})
}

// served gives the bot a database on a PostgreSQL server.
func (w *world) served(t testing.TB) {
	t.Helper()
	w.url = memorytest.URL(t)
	w.env = append(w.env, "BOT_DATABASE_URL="+w.url)
}

// look opens the bot's database beside it, to read.
func (w *world) look() (*sql.DB, error) {
	if w.url != "" {
		return postgres.Raw(w.url)
	}
	return sql.Open("sqlite3", "file:"+filepath.Join(w.dir, datadir.Name)+"?mode=ro")
}

// settings gives the bot a file of settings. Where they say nothing else, everybody may have
// the tools of servers used, although the bot is open to all.
func (w *world) settings(t testing.TB, text string) {
	t.Helper()
	const free = "\ntools:\n  policy:\n    - {name: \"*\", who: everyone}\n"
	switch {
	case !strings.Contains(text, "mcp:") || strings.Contains(text, "policy:"):
	case strings.Contains("\n"+text, "\ntools:\n"):
		text = strings.Replace("\n"+text, "\ntools:\n", free, 1)
	case !strings.Contains(text, "tools: {"):
		text += free
	}
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	must(t, os.WriteFile(w.file, []byte(text), 0o600))
}

// typed runs the program in this process, and returns what it printed and its exit code.
func typed(in string, args ...string) (out string, code int) {
	var both safeBuffer // what it starts may log meanwhile
	code = run(args, strings.NewReader(in), &both, &both)
	return both.String(), code
}

func (w *world) config(t testing.TB) config.Config {
	t.Helper()
	cfg, err := w.again()
	must(t, err)
	return cfg
}

// again reads the settings once more, from w.file too.
func (w *world) again() (config.Config, error) {
	return config.Load(config.Options{Env: w.env, File: w.file})
}

// run starts the bot in this process.
func (w *world) run(t testing.TB) {
	t.Helper()
	cfg := w.config(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	var log io.Writer = &w.log
	if testing.Verbose() {
		log = io.MultiWriter(log, os.Stderr)
	}
	go func() {
		done <- process(&cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: log}).Serve(ctx, cfg, w.again)
	}()
	stopped := false
	w.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
}

// sent waits until n messages are on Telegram and returns their texts. A busy machine may take
// as long as it likes for all, but for each no longer than patience.
func (w *world) sent(t testing.TB, n int) []string {
	t.Helper()
	for {
		had := len(w.tg.Sent())
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		list, err := w.tg.WaitSent(ctx, n)
		cancel()
		if err == nil {
			return textsOf(list)
		}
		if now := len(w.tg.Sent()); now == had {
			t.Fatalf("%d of %d messages were sent: %v", now, n, err)
		}
	}
}

func textsOf(list []telegramtest.SentMessage) []string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.Text
	}
	return texts
}
