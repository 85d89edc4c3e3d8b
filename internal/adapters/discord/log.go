package discord

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/bwmarrin/discordgo"
)

// library receives the library's log lines: it has one logger for the whole
// process, and would print past ours.
var library atomic.Pointer[slog.Logger]

var hook = sync.OnceFunc(func() {
	discordgo.Logger = func(level, _ int, format string, args ...any) {
		log, to := library.Load(), slog.LevelDebug
		if level == discordgo.LogError { // what matters of it the adapter tells too
			to = slog.LevelWarn
		}
		log.Log(context.Background(), to, "discord library", "says", fmt.Sprintf(format, args...))
	}
})

// hear sends the library's log lines to log.
func hear(log *slog.Logger) {
	library.Store(log)
	hook()
}
