package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// textRecord is a line of the text form.
var textRecord = regexp.MustCompile(`^time=\S+ level=\w+ msg=`)

// announced is how the lines begin that a start says to its operator.
var announced = []string{"Model: ", "Parley ", "Page: ", "Nobody owns this bot yet.", "Owner: ",
	"Telegram: receiving as @parley_bot.", "Discord: receiving as parley."}

// stray returns what a bot wrote past its log; announced lines are said plainly in
// the text form.
func stray(log, format string) (lines []string) {
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\n")
		switch {
		case format == "json" && json.Valid([]byte(line)):
		case format == "text" && textRecord.MatchString(line):
		case format == "text" && slices.ContainsFunc(announced, func(head string) bool { return strings.HasPrefix(line, head) }):
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// TestFaultNothingPrintsPastTheLog: whatever goes wrong around a process, each
// line it writes is a record of its log.
func TestFaultNothingPrintsPastTheLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).onDiscord()
			base := w.withPort(t)
			w.dc.Heartbeat(100 * time.Millisecond)
			w.env = append(w.env, "BOT_ACCESS_OWNERS=") // the code for the first owner is announced
			cmd := exec.Command(os.Args[0], "--log-format", format, "--log-level", "debug")
			cmd.Env = append(append(os.Environ(), childEnv+"=1", "BOT_ACCESS_MODE=pairing"), w.env...)
			log := &safeBuffer{}
			cmd.Stderr = log
			must(t, cmd.Start())
			t.Cleanup(func() { kill(cmd) })
			eventually(t, "both platforms", func() bool { return w.tg.Polling() && w.dc.Connected() > 0 })

			w.dc.Dispatch("MESSAGE_CREATE", "not an object")
			w.dc.Dispatch("GUILD_CREATE", map[string]any{"id": 7, "members": "none"})
			w.dc.Dispatch("NO_SUCH_EVENT", map[string]any{"secret": "somebody's words"})
			w.dc.Fail(discordtest.Fault{Method: "POST", Path: "/channels/", Status: 500, Times: 1})
			w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Body: "<html>", Status: 502, Times: 1})
			w.tg.Fail(telegramtest.Fault{Method: "getUpdates", Body: "<html>no JSON</html>", Status: 200, Times: 2})
			w.llm.Queue(llmtest.Turn{Body: "no JSON"}, llmtest.Turn{Status: 500})
			w.tg.Push(telegramtest.Text(7, 7, "hi"))
			w.dc.Message("", "10", "42", "hi")
			// Something that is no HTTP, and a visitor that leaves in the middle.
			if conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
				_, _ = io.WriteString(conn, "\x16\x03\x01\x02\x00\x01 no HTTP\r\n\r\n")
				_ = conn.Close()
			}
			if resp, err := http.Get(base + "/metrics"); err == nil {
				_ = resp.Body.Close()
			}
			w.dc.Mute(true)
			eventually(t, "the dead connection in the log", func() bool { return strings.Contains(log.String(), "no answer to the heartbeat") })
			w.dc.Mute(false)
			eventually(t, "Discord again", func() bool { return w.dc.Resumes()+w.dc.Identifies() > 1 })
			w.dc.CloseWith(4009)
			eventually(t, "and again", func() bool { return w.dc.Resumes()+w.dc.Identifies() > 2 })
			end(t, cmd)
			if lines := stray(log.String(), format); len(lines) > 0 {
				t.Errorf("%d lines are no records:\n%s", len(lines), strings.Join(lines, "\n"))
			}
			if !strings.Contains(log.String(), "/claim ") || !strings.Contains(log.String(), "Model: ") {
				t.Errorf("what has to be seen is missing:\n%s", log)
			}
		})
	}
}
