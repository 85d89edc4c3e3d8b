package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"parley/internal/adapters/terminal"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Said in more than one place.
const (
	wordsSkip         = "skip"
	wordsAnswersMixed = "answers, line %d: either every line is NAME: ANSWER, or none is; the names are %s"
)

// errBack returns to the previous question.
var errBack = text.Tell("this is the first question")

// skipped is the answer of people who skip a question.
const skipped = wordsSkip

// question is asked until its answer can be used, without a terminal only once.
type question struct {
	name string // in a file of answers
	text catalog.Phrase
	help catalog.Phrase // what "help" says; nil says the general part alone
	// shown returns what is displayed of the answer while it is typed; nil displays all.
	shown func(string) string
}

// dots hides what is typed.
func dots(s string) string { return strings.Repeat("•", len([]rune(s))) }

// asker asks a person at a terminal, or takes answers from a pipe or a file.
type asker struct {
	p     catalog.Printer // in the language of who answers
	out   io.Writer
	in    *bufio.Reader
	tty   *os.File          // nil without one
	named map[string]string // answers of a file by name; nil for lines in order
	filed bool              // from a file: missing answers count as Enter
	asked int               // questions so far
	hide  func(string) string
}

// say prints a line, secrets hidden.
func (a *asker) say(format string, args ...any) {
	fmt.Fprintln(a.out, a.fit(a.hide(a.p.Say(format, args...))))
}

// fit breaks lines between words where the terminal is too narrow for them. What follows
// keeps the indentation.
func (a *asker) fit(s string) string {
	if a.tty == nil {
		return s
	}
	return terminal.Fit(a.tty, s)
}

// answer asks until the answer is not "help", which explains the question. "back" and
// "skip": see once.
func (a *asker) answer(ctx context.Context, q question) (line string, err error) {
	for {
		line, err = a.once(ctx, q)
		if err != nil || !a.says(line, "help") && line != "?" {
			return line, err
		}
		if q.help != nil {
			a.say("%s", q.help.In(a.p))
		}
		a.say("  Enter takes what stands in [brackets], back returns to the question before, skip\n  leaves this one out, Ctrl-C ends this.")
	}
}

// once reads one line: "back" is errBack, "skip" in any case and language skipped.
// Questions missing in a file of names count as Enter.
func (a *asker) once(ctx context.Context, q question) (line string, err error) {
	a.asked++
	ask := a.fit(q.text.In(a.p)) + " "
	veiled := a.named == nil && a.tty != nil && q.shown != nil
	if !veiled {
		fmt.Fprint(a.out, ask)
	}
	switch {
	case a.named != nil:
		line = a.named[q.name]
		delete(a.named, q.name) // or a wrong answer would be repeated forever
		a.say("")
	case veiled:
		line, err = terminal.Veiled(ctx, a.tty, a.out, ask, q.shown)
	default:
		line, err = a.read(ctx)
		if a.filed && errors.Is(err, io.EOF) {
			err = nil
		}
	}
	switch line = strings.TrimSpace(line); {
	case ctx.Err() != nil:
		a.say("")
		return "", text.Tell("nothing was written")
	case err != nil && (!errors.Is(err, io.EOF) || line == ""):
		return "", errEnded
	case a.says(line, "back"), line == "<":
		return "", errBack
	case a.says(line, wordsSkip):
		return skipped, nil
	}
	return line, nil
}

// says reports whether somebody typed a word, in English or their language.
func (a *asker) says(typed, word string) bool {
	return strings.EqualFold(typed, word) || strings.EqualFold(typed, a.p.Text(word))
}

// errEnded: there is no answer.
var errEnded = text.Tell("the input ended before the last question; nothing was written")

func (a *asker) read(ctx context.Context) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a read cannot be cancelled; after Ctrl-C it dies with the process
		said, err := a.in.ReadString('\n')
		read <- line{said, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case l := <-read:
		if a.tty == nil {
			a.say("")
		}
		return l.text, l.err
	}
}

// until asks until an answer passes; without a terminal, once.
func (a *asker) until(ctx context.Context, q question, try func(answer string) error) error {
	for {
		said, err := a.answer(ctx, q)
		if err != nil {
			return err
		}
		var to *returnTo
		if err = try(said); err == nil || a.tty == nil || ctx.Err() != nil || errors.As(err, &to) {
			return err
		}
		a.say("  %v", err)
	}
}

// answersOf reads a file of answers: lines "name: answer", or the answers as typed. Lines
// starting with # are comments.
func answersOf(file string, names []string) (named map[string]string, lines string, err error) {
	var plain []string
	named = map[string]string{}
	for i, line := range strings.Split(strings.TrimRight(file, "\n"), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		switch {
		case ok && slices.Contains(names, name):
			named[name] = strings.Trim(strings.TrimSpace(value), `"'`)
		case len(named) > 0 && strings.TrimSpace(line) != "":
			return nil, "", text.Tell(wordsAnswersMixed, i+1, strings.Join(names, ", "))
		default:
			plain = append(plain, line)
		}
	}
	if len(named) > 0 {
		if strings.TrimSpace(strings.Join(plain, "")) != "" {
			return nil, "", text.Tell(wordsAnswersMixed, 1, strings.Join(names, ", "))
		}
		return named, "", nil
	}
	return nil, strings.Join(plain, "\n") + "\n", nil
}
