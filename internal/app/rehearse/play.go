// Package rehearse plays conversation scripts against the real agent: the whole bot
// on a data folder of its own, with a clock, a model and platforms from the script.
// It needs no key and no network, knows no rule of the assistant, and leaves
// building the bot to Build.
package rehearse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/config"
	"parley/internal/llm"
	"parley/internal/text"
)

// Player plays scripts.
type Player struct {
	Base      config.Config // the owner's settings
	Build     Build
	Model     llm.Model // asked, and its answers recorded; nil plays what is scripted
	ModelName string    // what the bot calls Model; "" is Rehearsed
	Update    bool      // write what really follows into the scripts
}

// Outcome is the result of one script.
type Outcome struct {
	script     *Script
	messages   int
	rewritten  bool
	took       time.Duration
	difference string
	err        error // the script makes no sense
}

// Open reads all scripts before the first is played.
func Open(paths []string) (scripts []*Script, err error) {
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

// Play plays one script up to the first difference; an update goes on.
func (o Player) Play(ctx context.Context, s *Script) (got Outcome) {
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

func (o Player) stageIn(ctx context.Context, s *Script, dir string, got *Outcome) error {
	st, err := NewStage(ctx, s, dir, o)
	if err != nil {
		return err
	}
	defer st.Close()
	edits := map[int][]string{}
	for _, a := range s.acts {
		if err := st.act(ctx, s, a); err != nil {
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

// compare checks the result of an act against the script. An update collects the lines
// to rewrite and reports no difference.
func (o Player) compare(st *Stage, s *Script, a act, edits map[int][]string) (difference string, err error) {
	tell := func(l line, body string) string {
		told := st.explain()
		if strings.HasSuffix(l.mark, "?") {
			told += "\nthe model was told:\n  " + indent(st.Prompt())
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
		case o.Update:
			edits[l.n] = strings.Split(holds, "\n")
		default:
			return tell(l, lineDiff(l.String(), holds)), nil
		}
	}
	return "", nil
}

// write puts recorded answers in the place of those an act had.
func (o Player) write(a act, recorded []line, edits map[int][]string) {
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

// lineDiff shows what was expected and what is true, without the lines that both
// begin and end with, except for one line of context.
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

// String returns the Outcome as it is printed.
func (g Outcome) String() string {
	switch {
	case g.err != nil:
		return fmt.Sprintf("ERROR %s: %v", g.script.path, g.err)
	case g.difference != "":
		return "DIFF  " + g.difference
	case g.rewritten:
		return fmt.Sprintf("new   %s (%s)", g.script.path, text.Many(g.messages, "message"))
	}
	return fmt.Sprintf("ok    %s (%s)", g.script.path, text.Many(g.messages, "message"))
}

// Summary writes the last line. Its error sums up what went wrong: a mistake in a
// script outweighs a difference.
func Summary(w io.Writer, all []Outcome) error {
	messages, differ := 0, 0
	var errs []error
	for _, g := range all {
		messages += g.messages
		errs = append(errs, g.err)
		if g.difference != "" {
			differ++
		}
	}
	if _, err := fmt.Fprintf(w, "%s, %s, %d differ\n", text.Many(len(all), "script"), text.Many(messages, "message"), differ); err != nil {
		return err
	}
	if err := errors.Join(errs...); err != nil {
		return unreadable("", "", "some scripts could not be played", "")
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d scripts differ", differ, len(all))
	}
	return nil
}
