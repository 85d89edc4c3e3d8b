package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// profileEnv names the file for the processor profile of a bot that a test started.
const profileEnv = "PARLEY_CPU_PROFILE"

// profiled begins the profile that profileEnv asks for; end writes it.
func profiled() (end func()) {
	name := os.Getenv(profileEnv)
	if name == "" {
		return func() {}
	}
	f, err := os.Create(name)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		panic(err)
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}
}

// TestProfile writes the profile that releases are built with to the file PARLEY_PROFILE:
// of messages that wait for each other, and then of 200 chats at once.
func TestProfile(t *testing.T) {
	file := os.Getenv("PARLEY_PROFILE")
	if file == "" {
		t.Skip("make profile writes it")
	}
	w := newWorld(t, profileEnv+"="+file)
	w.llm.Quiet()
	bot := w.startAndPoll(t)
	n := 0
	for ; n < 4000; n++ {
		w.tg.Push(telegramtest.Text(7, 7, fmt.Sprint("message ", n)))
		w.sent(t, n+1)
	}
	for range 4 {
		batch := crowd(200, 5)
		w.tg.Push(batch...)
		n += len(batch)
		w.sent(t, n)
	}
	must(t, bot.Process.Signal(syscall.SIGTERM))
	must(t, bot.Wait())
}
