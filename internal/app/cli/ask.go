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

// errBack leads to the question before.
var errBack = text.Tell("this is the first question")

// skipped is what people answer who want no answer to a question.
const skipped = wordsSkip

// question is asked once, on a terminal until its answer can be used.
type question struct {
	name string // in a file of answers
	text catalog.Phrase
	// shown is what may be seen of the answer while it is typed; nil shows all.
	shown func(string) string
}

// dots shows that something is typed, and not what.
func dots(s string) string { return strings.Repeat("•", len([]rune(s))) }

// asker puts questions to a person at a terminal, or takes their answers from a pipe
// or a file.
type asker struct {
	p     catalog.Printer // the language of who answers
	out   io.Writer
	in    *bufio.Reader
	tty   *os.File          // nil without one
	named map[string]string // of a file of answers by name; nil for lines in order
	filed bool              // the answers are a file's: those it lacks are as if Enter was pressed
	asked int               // questions so far
	hide  func(string) string
}

// say prints a line without what hide hides.
func (a *asker) say(format string, args ...any) {
	fmt.Fprintln(a.out, a.hide(a.p.Say(format, args...)))
}

// answer reads one line; "back" is errBack, "skip" in any case and language skipped. Questions that a file of names does not
// answer are as if Enter was pressed.
func (a *asker) answer(ctx context.Context, q question) (line string, err error) {
	a.asked++
	ask := q.text.In(a.p) + " "
	veiled := a.named == nil && a.tty != nil && q.shown != nil
	if !veiled {
		fmt.Fprint(a.out, ask)
	}
	switch {
	case a.named != nil:
		line = a.named[q.name]
		delete(a.named, q.name) // asked again, it is not answered wrongly forever
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

// says reports whether somebody typed a word, in English or in their language.
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
	go func() { // a read cannot be cancelled; after Ctrl-C it goes with the process
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

// until asks until an answer passes; without a person to ask, once.
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

// answersOf reads a file of answers: lines "name: answer", or the answers as they
// would be typed. Lines that begin with # are for people.
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
