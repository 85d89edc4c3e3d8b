package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
)

const oldSettings = `# mine, with care
model:
  name: builtin   # for now

access:
  owners: [telegram:42] # me
telegram: {token: "1:old"}
`

// TestInitAdds: on a file that exists init changes one thing and leaves every other byte,
// and the file is as it was where nothing was wanted or the answers are wrong.
func TestInitAdds(t *testing.T) {
	for name, tt := range map[string]struct {
		answers string
		from    string // what is replaced in the file; "" where it stays
		to      string
		says    string
	}{
		"the page": {"change: page\npage.url: https://home.example/parley/\nwrite: y", `telegram: {token: "1:old"}` + "\n",
			`telegram: {token: "1:old"}` + "\nhttp:\n  listen: \"127.0.0.1:9090\"\npage:\n" +
				"  url: \"https://home.example/parley/\"\n  proxies: [\"127.0.0.1\"]\n",
			"+ page:"},
		"Discord, beside Telegram": {"change: discord\ndiscord.token: " + discordtest.Token + "\ndiscord.owner: 77\nwrite: 1",
			"owners: [telegram:42] # me\n" + `telegram: {token: "1:old"}` + "\n",
			`owners: ["telegram:42", "discord:77"] # me` + "\n" + `telegram: {token: "1:old"}` +
				"\ndiscord:\n  token: \"" + discordtest.Token + "\"\n",
			"Discord: no"},
		"a setting of Telegram": {"change: 7\nsetting: telegram.reactions true", `"1:old"}`, `"1:old", reactions: true}`,
			"telegram.unknown_send: prefer_duplicate"},
		"no is no":        {"change: other\nsetting: log.level warn\nwrite: no", "", "", "is as it was"},
		"a wrong value":   {"change: other\nsetting: log.level loud", "", "", "expected one of"},
		"a wrong address": {"change: page\npage.url: home", "", "", "page.url: is not an address"},
		"nothing":         {"change: skip", "", "", "is as it was"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.file = filepath.Join(t.TempDir(), "bot.yaml")
			must(t, os.WriteFile(w.file, []byte(oldSettings), 0o640))
			file := filepath.Join(t.TempDir(), "answers")
			must(t, os.WriteFile(file, []byte(tt.answers), 0o600))
			out, code := w.asked(t, "--answers", file)
			b, _ := os.ReadFile(w.file)
			if want := strings.Replace(oldSettings, tt.from, tt.to, 1); string(b) != want || (code == 0) != (tt.to != "") ||
				!strings.Contains(out, tt.says) {
				t.Errorf("exit %d\n%s\nthe file is\n%s\nexpected\n%s", code, out, b, want)
			}
			if at, err := os.Stat(w.file); err != nil || at.Mode().Perm() != 0o640 {
				t.Errorf("%v %v", at.Mode(), err)
			}
			if left, _ := filepath.Glob(w.file + "?*"); len(left) > 0 || strings.Contains(out, discordtest.Token) || strings.Contains(out, "1:old") {
				t.Errorf("left behind or shown: %v\n%s", left, out)
			}
		})
	}
}

// TestInitAddsOnATerminal: help helps at every question, back leaves one, and the
// settings of before are kept where everything is to be new.
func TestInitAddsOnATerminal(t *testing.T) {
	for name, steps := range map[string][][2]string{
		"one thing": {{"skip changes nothing", "help"}, {"everything else in it stays", "5"}, {"Where does it listen", "help"},
			{"for this machine alone", "back"}, {"skip changes nothing", "page"}, {"Where does it listen", ""},
			{"Under which address", "?"}, {"Caddy, nginx", ""}, {"Write it?", "1"}},
		"anew": {{"skip changes nothing", "anew"}, {"Who answers", "help"}, {"Not sure? Enter", ""}, {"shall people find it", "help"},
			{"nothing else; Discord", ""}, {"Start it now", "page"}, {"Where does it listen", ""}, {"Under which address", ""}, {"Write it?",
				"y"}, {"Start it now", "no"}},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := terminalPair(t)
			file := filepath.Join(t.TempDir(), "bot.yaml")
			must(t, os.WriteFile(file, []byte(oldSettings), 0o600))
			cmd := exec.Command(os.Args[0], "init", "--config", file)
			cmd.Env = append(os.Environ(), childEnv+"=1", "OLLAMA_HOST=127.0.0.1:1")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
			must(t, cmd.Start())
			t.Cleanup(func() { kill(cmd) })
			_ = theirs.Close()
			var shown safeBuffer
			read := 0
			go func() { _, _ = io.Copy(&shown, ours) }()
			for _, step := range steps {
				eventually(t, fmt.Sprint(step[0], " in ", shown.String()), func() bool {
					_, rest, ok := strings.Cut(shown.String()[read:], step[0])
					return ok && strings.HasSuffix(rest, ": ") // it has asked
				})
				read = len(shown.String())
				if _, err := io.WriteString(ours, step[1]+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, shown.String())
			}
			b, _ := os.ReadFile(file)
			old, _ := os.ReadFile(file + ".old-1")
			if !strings.HasSuffix(string(b), "http:\n  listen: \"127.0.0.1:9090\"\n") || (name == "anew") != (string(old) == oldSettings) ||
				(name == "anew") == strings.HasPrefix(string(b), oldSettings) {
				t.Errorf("the file is\n%s\nkept is\n%s", b, old)
			}
		})
	}
}
