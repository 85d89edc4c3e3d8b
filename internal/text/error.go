package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a failure whose text may be shown to people: it names no secret, no
// address and no part of the program. Every other error is for the log only.
// Code that answers people (admin for commands, tools for the model) calls
// ForPeople; there is no list of errors that may be shown.
type Error struct {
	err   error
	words string
	args  []any
}

// Error implements error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap implements the convention of package errors.
func (e *Error) Unwrap() error { return e.err }

// Words returns the format and the arguments that the text was made of, so that it
// can be said in another language. Without arguments only %% stands for anything.
func (e *Error) Words() (format string, args []any) { return e.words, e.args }

// Tell makes an Error as fmt.Errorf makes an error: with %w it adds details to
// another Error.
func Tell(format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), format, args}
}

// Instead returns an Error with words if err matches target, otherwise err: for
// callers that can explain what to do about it.
func Instead(err, target error, words string) error {
	if errors.Is(err, target) {
		return &Error{err: errors.New(words), words: words}
	}
	return err
}

// ForPeople returns the sentence of the outermost Error in err's chain; ok is false
// when there is none.
func ForPeople(err error) (sentence string, ok bool) {
	var e *Error
	if !errors.As(err, &e) {
		return "", false
	}
	return Sentence(e.Error()), true
}

// Sentence turns an error's text into a sentence with a capital letter and a full
// stop.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	s = string(unicode.ToUpper(r)) + s[n:]
	for _, end := range []string{".", "?", "!", ".)", "。", "？", "！"} {
		if strings.HasSuffix(s, end) {
			return s
		}
	}
	return s + "."
}
