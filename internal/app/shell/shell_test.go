package shell

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"parley/internal/text/catalog"
)

// tea is a command line with all features of ours.
type tea struct {
	Level  string `help:"How loud: low or high." enum:"low,high," default:""`
	Secret bool   `hidden:"" help:"Not for people."`
	Brew   struct {
		Kind   string `arg:"" enum:"green,black" help:"Which tea."`
		Strong bool   `short:"s" help:"A lot of it."`
		Into   string `placeholder:"FILE" help:"Where to."`
	} `cmd:"" help:"Make tea."`
	Pot struct {
		Fill struct {
			Water string `arg:"" help:"Which water; .5 l is enough."`
		} `cmd:"" help:"Put water in."`
		Empty struct{} `cmd:"" help:"Pour it out."`
	} `cmd:"" help:"What holds it."`
	Steep struct{} `cmd:"" hidden:"" help:"Not for people."`

	Completion Completion `cmd:"" help:"Completion."`
	Complete   Complete   `cmd:"" hidden:""`
	Man        Man        `cmd:"" hidden:""`
}

// typed runs a command line and returns what it printed.
func typed(t *testing.T, args ...string) string {
	t.Helper()
	var c tea
	var out bytes.Buffer
	p, err := kong.New(&c, kong.Name("bot"), kong.Description("Tea: it is made here."), kong.Writers(&out, &out), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(p, catalog.Printer{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                         "brew pot completion",
		"b":                        "brew",
		"x":                        "",
		"st":                       "", // hidden
		"pot ":                     "fill empty",
		"pot f":                    "fill",
		"pot fill ":                "", // any word: the shell may offer files
		"brew ":                    "green black",
		"brew g":                   "green",
		"brew green ":              "",
		"brew --":                  "--strong --into --help --level",
		"brew --st":                "--strong",
		"brew -s ":                 "green black", // takes no value
		"brew --into ":             "",            // any value
		"brew --into brew ":        "green black", // brew is the value
		"brew --into=brew ":        "green black",
		"--level ":                 "low high",
		"--level=":                 "--level=low --level=high",
		"--level=h":                "--level=high",
		"--level = h":              "high", // as bash splits it
		"--level =":                "low high",
		"--level low po":           "pot",
		"pot --level low e":        "empty",
		"--sec":                    "",
		"completion ":              "bash zsh fish",
		"nonsense -x --what so ev": "",
	} {
		args := strings.Split(line, " ")
		var got []string
		for l := range strings.Lines(typed(t, append([]string{"complete", "--"}, args...)...)) {
			word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
			got = append(got, word)
		}
		if wanted := strings.Fields(want); !slices.Equal(got, wanted) {
			t.Errorf("bot %s: %q, not %q", line, got, wanted)
		}
	}
	if got := typed(t, "complete", "--", "bre"); got != "brew\tMake tea.\n" {
		t.Errorf("what it means is missing: %q", got)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	got := typed(t, "man")
	for _, want := range []string{"bot \\- it is made here\n", "\\fBbot brew <kind> [\\-\\-strong] [\\-\\-into FILE]\\fR\nMake tea.",
		"Which water; .5 l", "bot pot empty", "\\-\\-level", ".SH EXIT STATUS"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Not for people") {
		t.Errorf("the page shows what is hidden:\n%s", got)
	}
	if got := roff(".x 'y\\ -z"); got != `\&.x 'y\e \-z` {
		t.Errorf("roff would read %q", got)
	}
}

// TestShellsAsk runs the scripts in the installed shells; bash is always there.
func TestShellsAsk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fake := "#!/bin/sh\nfor w; do printf '[%s]' \"$w\"; done >>\"$ASKED\"\necho >>\"$ASKED\"\ncase \"$*\" in *brew*) ;; " +
		"*) printf 'pot:a\\tWhat holds it.\\npour\\tOut.\\n';; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "bot"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "leaves.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for shell, run := range map[string]struct{ script, found, asked string }{
		"bash": {`source ./script; COMP_WORDS=(bot --level "=" "a b" po); COMP_CWORD=4; _bot; printf '%s\n' "${COMPREPLY[@]}"; complete -p bot`,
			"pot:a\npour\ncomplete -o default -F _bot bot\n", "[complete][--][--level][=][a b][po]\n"},
		"fish": {"source script; complete -C 'bot --level low po'; complete -C 'bot brew lea'; complete -C 'bot pot '",
			"pot:a\tWhat holds it.\npour\tOut.\nleaves.txt\npot:a\tWhat holds it.\npour\tOut.\n",
			"[complete][--][--level][low][po]\n[complete][--][brew][lea]\n[complete][--][pot][]\n"},
		"zsh": {`compdef() { :; }; _describe() { shift; print -rl -- "${(@P)1}"; }; _files() { print files; }; source ./script; words=(bot --level low ''); CURRENT=4; _bot; words=(bot brew x); CURRENT=3; _bot`,
			"pot\\:a:What holds it.\npour:Out.\nfiles\n", "[complete][--][--level][low][]\n[complete][--][brew][x]\n"},
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			at := t.TempDir()
			if err := os.WriteFile(filepath.Join(at, "script"), []byte(typed(t, "completion", shell)), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "leaves.txt"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), path, "-c", run.script)
			cmd.Dir, cmd.Env = at, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "ASKED="+filepath.Join(at, "asked"), "HOME="+at)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			asked, _ := os.ReadFile(filepath.Join(at, "asked"))
			if string(out) != run.found || string(asked) != run.asked {
				t.Errorf("offered %q, not %q; asked %q, not %q", out, run.found, asked, run.asked)
			}
		})
	}
}
