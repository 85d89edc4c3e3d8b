package shell_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"parley/internal/app/shell"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// TestUsageErrors: each of the parser's errors is translated, and names the command
// that explains more.
func TestUsageErrors(t *testing.T) {
	type command struct {
		Loud string `enum:",low,high" default:""`
		N    int    `name:"number"`
		File string `type:"existingfile"`
		Name string `arg:""`
	}
	var line struct {
		Data string
		Go   command  `cmd:""`
		Stop struct{} `cmd:""`
	}
	p, err := kong.New(&line, kong.Name("bot"), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	de, _ := catalog.For("de")
	away := filepath.Join(t.TempDir(), "away")
	for typed, want := range map[string]string{
		"go x --dta y":        `unbekannter Schalter --dta; meinst du "--data"? (bot go --help erklärt es)`,
		"go x --qqqqqqqq":     "unbekannter Schalter --qqqqqqqq (bot go --help erklärt es)",
		"stopp":               `unerwartetes Argument stopp; meinst du "stop"? (bot --help erklärt es)`,
		"stop x":              "unerwartetes Argument x (bot stop --help erklärt es)",
		"go":                  `es fehlt: <name> (bot go --help erklärt es)`,
		"":                    "es fehlt ein Befehl: go, stop",
		"go x --loud=mid":     `--loud ist "mid"; möglich ist: low, high`,
		"go x --number=few":   `--number ist "few"; erwartet wird eine ganze Zahl`,
		"go x --data":         "--data braucht einen Wert",
		"go x --file=" + away: "es gibt keine Datei " + away,
		"go x --file=" + "/":  "/ ist ein Ordner",
	} {
		_, err := p.Parse(strings.Fields(typed))
		var words *text.Error
		if got := de.Say("%v", shell.Mistake(err)); err == nil || !errors.As(shell.Mistake(err), &words) || !strings.Contains(got, want) {
			t.Errorf("%q: %v\n%s\nlacks %s", typed, err, got, want)
		}
	}
}
