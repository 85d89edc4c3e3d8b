package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"parley/internal/app/shell"
)

// TestShellsKnowEveryCommand: each command for people, and each flag of it, is in
// the manual page and completed.
func TestShellsKnowEveryCommand(t *testing.T) {
	parser, err := kong.New(&program{}, kong.Name("bot"), kong.Vars{"version": ""})
	must(t, err)
	said := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("bot %s: %d\n%s", args, code, &errs)
		}
		return out.String()
	}
	page := strings.ReplaceAll(said("man"), `\-`, "-")
	for _, leaf := range parser.Model.Leaves(true) {
		if !strings.Contains(page, shell.Usage(leaf)+`\fR`) {
			t.Errorf("the manual page lacks %s", shell.Usage(leaf))
		}
		words := append([]string{"complete", "--"}, strings.Fields(leaf.Path())...)
		if got := said(words...); !strings.Contains(got, leaf.Name+"\t") {
			t.Errorf("%s is completed with %q", leaf.Path(), got)
		}
		got := said(append(words, "--")...)
		for _, f := range leaf.Flags {
			if !f.Hidden && !strings.Contains(got, "--"+f.Name+"\t"+f.Help) {
				t.Errorf("%s: --%s is not completed: %q", leaf.Path(), f.Name, got)
			}
		}
	}
}
