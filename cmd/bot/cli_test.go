package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestCommandLine: what is printed where, and the exit code. The rows follow
// each other in one data folder.
func TestCommandLine(t *testing.T) {
	t.Setenv("BOT_MODEL_NAME", "builtin")
	dir := filepath.Join(t.TempDir(), "data")
	for _, tt := range []struct {
		args     string
		code     int
		out, err string // both have that; "-" is nothing
	}{
		{"facts add I like snow", 0, "Remembered (#1): I like snow", "-"},
		{"facts forget 1 --help", 0, "Forget a fact for good.", "-"},
		{"facts forget --help", 0, "Forget a fact for good.", "-"},
		{"--help", 0, "bot <command>", "-"},
		{"help facts forget", 0, "Forget a fact for good.", "-"},
		{"help nonsense", exitUsage, "-", "unexpected argument nonsense"},
		{"chat --usr x", exitUsage, "-", `unknown flag --usr, did you mean "--user"?`},
		{"facts list", 0, "I like snow", "-"},
		{"facts forget 9", exitFailure, "-", "there is no fact 9: bot facts list shows them"},
		{"facts add --user telegram:9 I like rain", 0, "Remembered (#1): I like rain", "-"},
		{"facts list", 0, "1\ttelegram:9\t", "-"},
		{"facts forget 1", exitFailure, "-", "everal people and places have a fact #1:\n- #1 I like rain – telegram:9"},
		{"facts forget 1 --user telegram:9", 0, "I like rain", "-"},
		{"facts export --user telegram:9", 0, "subject: \"telegram:9\"\n---", "-"},
		{"sessions list --status over", exitUsage, "-", "expired, archived"},
		{"sessions show 77", exitFailure, "-", "there is no session 77"},
		{"version", 0, "parley dev", "-"},
	} {
		var out, errs bytes.Buffer
		code := run(append(strings.Fields(tt.args), "--data", dir), strings.NewReader(""), &out, &errs)
		if code != tt.code || !has(out.String(), tt.out) || !has(errs.String(), tt.err) {
			t.Errorf("bot %s: %d\n%s\n%s", tt.args, code, &out, &errs)
		}
	}
}

// TestHelpSpeaksTheMachinesLanguage: all of it, but for names and what values look like.
func TestHelpSpeaksTheMachinesLanguage(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	for args, want := range map[string][]string{
		"--help": {"Aufruf: bot <command>", "\nSchalter:\n", "Zeigt diese Hilfe.", "\nBefehle:\n",
			"Mehr zu einem Befehl: bot <command> --help", "Prüft die Einstellungen"},
		"help facts add":  {"Aufruf: bot facts add <text>", "\nArgumente:\n", "#wörter am Ende werden Schlagwörter."},
		"help completion": {"Für die laufende Sitzung"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(args), strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("bot %s: %d %s", args, code, &errs)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("bot %s lacks %q:\n%s", args, w, &out)
			}
		}
	}
}

// TestTheFirstLineSaysWhichModel: what there is to warn of comes after it.
func TestTheFirstLineSaysWhichModel(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bot.yaml")
	must(t, os.WriteFile(file, []byte("model: {name: builtin, api_key: x}\n"), 0o644))
	var out, errs bytes.Buffer
	if code := run([]string{"chat", "--config", file, "--data", filepath.Join(t.TempDir(), "data")}, strings.NewReader(""),
		&out, &errs); code != 0 {
		t.Error(code)
	}
	first, rest, _ := strings.Cut(errs.String(), "\n")
	if !strings.HasPrefix(first, "Model: ") || !strings.Contains(rest, "chmod 600") {
		t.Errorf("%s", &errs)
	}
}

func has(text, want string) bool {
	if want == "-" {
		return text == ""
	}
	return strings.Contains(text, want)
}

// TestMistakesSpeakTheMachinesLanguage: what is wrong with the settings, and how the
// program was called, is said in it.
func TestMistakesSpeakTheMachinesLanguage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bot.yaml")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	for _, tt := range []struct{ yaml, args, want string }{
		{"session:\n  ttl: 59\n  idle_timout: 30s\n", "facts list", "idle_timout: unbekannte Einstellung (meinst du session.idle_timeout?)"},
		{"session: {ttl: 59}\n", "facts list", "ttl: ist 59s; erlaubt ist 60s bis 24h"},
		{"session:\n\tttl: 59\n", "facts list", "das ist kein gültiges YAML (rück mit Leerzeichen ein, nicht mit Tabs)"},
		{"", "facts forget 9", "es gibt keinen Fakt 9: bot facts list zeigt sie"},
		{"", "facts forget x", `ist "x"; erwartet wird eine ganze Zahl (bot facts forget --help erklärt es)`},
		{"", "logs 123", "hier ist kein Fehler 123 bekannt"},
		{"", "mcp login x", `in mcp.servers gibt es keinen Werkzeugserver "x"`},
		{"", "pair approve AAAAA-AAAAA", "diesen Code gibt es nicht"},
		{"", "restore /nope", "es gibt keine Datei /nope"},
		{"", "chat --usr x", `unbekannter Schalter --usr; meinst du "--user"?`},
		{"access: {owners: ['@anna']}\n", "doctor", `"@anna" ist keine Nummer; Namen können andere übernehmen (zum Beispiel telegram:42`},
	} {
		must(t, os.WriteFile(file, []byte(tt.yaml), 0o600))
		out, code := typed("", append(strings.Fields(tt.args), "--config", file, "--data", filepath.Join(dir, "data"))...)
		if code == 0 || !strings.Contains(out, tt.want) {
			t.Errorf("bot %s: %d, lacks %q:\n%s", tt.args, code, tt.want, out)
		}
	}
}

// TestEachUserOfTheTerminalIsAlone: without --channel each --user has a direct chat of their own,
// of which another's list of conversations tells nothing.
func TestEachUserOfTheTerminalIsAlone(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer()
	t.Cleanup(model.Close)
	model.Structured(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: `{"summary":"They planned.","title":"Zebra party","decisions":[],"facts":[]}`}
	})
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "bot.yaml")
	must(t, os.WriteFile(file, []byte("model: {base_url: \""+model.URL()+"\", name: test}\n"), 0o600))
	says := func(user, lines string) string {
		t.Helper()
		out, code := typed(lines, "chat", "--config", file, "--data", data, "--user", user)
		if code != 0 {
			t.Fatalf("%d: %s", code, out)
		}
		return out
	}
	says("ann", "we plan a party\n/session end\n")
	look := strings.Repeat("/session list\n", 100) // a process that ends at once leaves the title to the next
	eventually(t, "it has a title", func() bool { return strings.Contains(says("ann", look), "Zebra party") })
	if got := says("bob", "hello\n/session list\n"); strings.Contains(got, "Zebra") || strings.Count(got, "· ") == 0 {
		t.Errorf("another reads %s", got)
	}
}
