package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/config"
)

type rehearseCmd struct {
	Update bool     `help:"Write what really follows into the scripts."`
	Record bool     `help:"Ask the configured model, and write its answers and what follows into the scripts."`
	JUnit  string   `name:"junit" help:"Write the outcome as JUnit XML." placeholder:"FILE"`
	Paths  []string `arg:"" name:"path" help:"Scripts, or folders of scripts (*.txt)."`
}

// rehearsal is how scripts are played.
type rehearsal struct {
	base   config.Config // the owner's settings
	model  endpoint      // asked and recorded; one without a Model plays what is scripted
	update bool
}

// outcome is what came of one script.
type outcome struct {
	script     *script
	messages   int
	rewritten  bool
	took       time.Duration
	difference string
	err        error // the script makes no sense
}

// Run plays conversation scripts against the real agent: no key, no network,
// no data folder.
func (c rehearseCmd) Run(ctx context.Context, f *flags, s *streams) error {
	o := rehearsal{update: c.Update || c.Record}
	var err error
	if o.base, err = f.load(); err != nil {
		return err
	}
	if c.Record {
		if o.model, err = connect(ctx, o.base, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
	}
	scripts, err := openScripts(c.Paths)
	if err != nil {
		return err
	}
	var all []outcome
	for _, script := range scripts {
		got := o.play(ctx, script)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		all = append(all, got)
		fmt.Fprintln(s.out, got)
	}
	if c.JUnit != "" {
		if err := writeJUnit(c.JUnit, all); err != nil {
			return err
		}
	}
	return summary(all, s)
}

// openScripts reads all scripts before the first is played.
func openScripts(paths []string) (scripts []*script, err error) {
	var errs []error
	for _, p := range paths {
		found := 0
		err := filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name != p && filepath.Ext(name) != ".txt" {
				return err
			}
			found++
			s, err := openScript(name)
			scripts = append(scripts, s)
			errs = append(errs, err)
			return nil
		})
		if err == nil && found == 0 {
			err = errors.New("no scripts (*.txt) in it")
		}
		if err != nil {
			errs = append(errs, unreadable("", p, err.Error(), ""))
		}
	}
	return scripts, errors.Join(errs...)
}

// play plays one script up to the first difference; an update goes on.
func (o rehearsal) play(ctx context.Context, s *script) (got outcome) {
	got.script = s
	began := time.Now()
	err := inFolder(func(dir string) error {
		err := o.stageIn(ctx, s, dir, &got)
		if err != nil { // the script's own files have its lines
			own := regexp.MustCompile(regexp.QuoteMeta(dir) + `[/\\](settings\.yaml|playbook[/\\][^:\s]+)`)
			err = errors.New(own.ReplaceAllLiteralString(err.Error(), s.path))
		}
		return err
	})
	got.err = cmp.Or(got.err, err)
	got.took = time.Since(began)
	return got
}

func (o rehearsal) stageIn(ctx context.Context, s *script, dir string, got *outcome) error {
	st, err := newStage(ctx, s, dir, o)
	if err != nil {
		return err
	}
	defer st.close()
	edits := map[int][]string{}
	for _, a := range s.acts {
		if err := st.play(ctx, s, a); err != nil {
			return err
		}
		got.messages++
		if got.difference, err = o.compare(st, s, a, edits); err != nil {
			return err
		}
		if got.difference != "" {
			break
		}
	}
	got.rewritten, err = s.rewrite(edits)
	return err
}

// compare holds what came of an act against what the script has. An update
// collects what has to be written instead of telling of it.
func (o rehearsal) compare(st *stage, s *script, a act, edits map[int][]string) (difference string, err error) {
	tell := func(l line, body string) string {
		told := st.explain()
		if strings.HasSuffix(l.mark, "?") {
			told += "\nthe model was told:\n  " + indent(st.prompt())
		}
		return fmt.Sprintf("%s: differs\n  after %s\n%s\n  %s", s.at(l.n), indent(a.String()), body, indent(told))
	}
	_, recorded, problem := st.model.took()
	if problem != "" {
		return tell(a.line, "  "+indent(problem)), nil
	}
	if st.recording {
		o.write(a, recorded, edits)
	}
	for _, l := range a.checks {
		holds, err := checks[l.mark](st, l.text)
		if err != nil {
			return "", unreadable(s.at(l.n), l.mark+" "+l.text, err.Error(), "")
		}
		switch {
		case holds == l.String():
		case o.update:
			edits[l.n] = strings.Split(holds, "\n")
		default:
			return tell(l, lineDiff(l.String(), holds)), nil
		}
	}
	return "", nil
}

// write puts recorded answers in the place of those an act had.
func (o rehearsal) write(a act, recorded []line, edits map[int][]string) {
	said := strings.Split(a.String(), "\n")
	for _, l := range recorded {
		said = append(said, strings.Split(l.String(), "\n")...)
	}
	edits[a.n] = said
	for _, l := range a.answers {
		edits[l.n] = nil
	}
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// lineDiff shows what was wanted and what holds, without what both begin and
// end with, but for a line of it.
func lineDiff(wanted, holds string) string {
	a, b := strings.Split(wanted, "\n"), strings.Split(holds, "\n")
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	show := func(sign string, lines []string) {
		for _, l := range lines {
			out = append(out, sign+" "+l)
		}
	}
	show(" ", a[max(0, head-1):head])
	show("-", a[head:len(a)-tail])
	show("+", b[head:len(b)-tail])
	show(" ", a[len(a)-tail:min(len(a), len(a)-tail+1)])
	return strings.Join(out, "\n")
}

// String is the outcome as it is printed.
func (g outcome) String() string {
	switch {
	case g.err != nil:
		return fmt.Sprintf("ERROR %s: %v", g.script.path, g.err)
	case g.difference != "":
		return "DIFF  " + g.difference
	case g.rewritten:
		return fmt.Sprintf("new   %s (%s)", g.script.path, many(g.messages, "message"))
	}
	return fmt.Sprintf("ok    %s (%s)", g.script.path, many(g.messages, "message"))
}

// summary is the last line, and the exit code.
func summary(all []outcome, s *streams) error {
	messages, differ := 0, 0
	var errs []error
	for _, g := range all {
		messages += g.messages
		errs = append(errs, g.err)
		if g.difference != "" {
			differ++
		}
	}
	fmt.Fprintf(s.out, "%s, %s, %d differ\n", many(len(all), "script"), many(messages, "message"), differ)
	if err := errors.Join(errs...); err != nil {
		return unreadable("", "", "some scripts could not be played", "")
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d scripts differ", differ, len(all))
	}
	return nil
}
