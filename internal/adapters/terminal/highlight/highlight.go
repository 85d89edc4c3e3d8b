// Package highlight finds comments, strings, numbers and keywords in a line of code. It
// reads line by line without looking ahead, so code can be shown while it is written. It
// does not parse, and knows no theme.
package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a piece of code is.
type Kind int

// The kinds of pieces.
const (
	Plain Kind = iota
	Comment
	Text   // a string, or a character
	Number // also true, false and null
	Word   // a keyword
	Name   // a key, a type, a command: what stands out a little
	Added
	Removed
)

// Piece is a part of a line.
type Piece struct {
	Kind Kind
	Text string
}

// State is what a line leaves open for the next one: the mark that closes a comment or a
// string; "" for nothing.
type State string

// Line splits a line that follows one which left before open. Together the pieces are the
// line. A nil Language gives one plain piece.
func (l *Language) Line(line string, before State) (pieces []Piece, after State) {
	switch {
	case l == nil:
		return []Piece{{Plain, line}}, ""
	case l.diff:
		return []Piece{{diffKind(line), line}}, ""
	}
	s := scanner{l: l, rest: line}
	if before != "" {
		s.until(string(before), l.kindOf(string(before)))
	}
	for s.rest != "" {
		s.next()
	}
	s.flush()
	return s.pieces, s.open
}

func diffKind(line string) Kind {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return Comment
	case strings.HasPrefix(line, "+"):
		return Added
	case strings.HasPrefix(line, "-"):
		return Removed
	case strings.HasPrefix(line, "@@"):
		return Name
	}
	return Plain
}

// scanner takes a line apart.
type scanner struct {
	l      *Language
	rest   string
	plain  string // what was taken and is nothing special
	pieces []Piece
	open   State
}

// flush ends the plain piece.
func (s *scanner) flush() {
	if s.plain != "" {
		s.pieces = append(s.pieces, Piece{Plain, s.plain})
		s.plain = ""
	}
}

func (s *scanner) take(k Kind, n int) {
	if k == Plain {
		s.plain += s.rest[:n]
	} else {
		s.flush()
		s.pieces = append(s.pieces, Piece{k, s.rest[:n]})
	}
	s.rest = s.rest[n:]
}

// until takes everything up to a closing mark, which may be on a later line.
func (s *scanner) until(closing string, k Kind) {
	if at := strings.Index(s.rest, closing); at >= 0 {
		s.take(k, at+len(closing))
		return
	}
	s.open = State(closing)
	s.take(k, len(s.rest))
}

// next takes the first piece of the rest.
func (s *scanner) next() {
	for _, mark := range s.l.lines {
		if strings.HasPrefix(s.rest, mark) && (mark != "#" || s.plain == "" || strings.HasSuffix(s.plain, " ") ||
			strings.HasSuffix(s.plain, "\t")) {
			s.take(Comment, len(s.rest))
			return
		}
	}
	for _, b := range s.l.spans {
		if strings.HasPrefix(s.rest, b[0]) {
			s.span(b)
			return
		}
	}
	r, n := utf8.DecodeRuneInString(s.rest)
	switch {
	case strings.ContainsRune(s.l.quotes, r):
		s.quoted(n)
	case r >= '0' && r <= '9':
		s.take(Number, length(s.rest, inNumber))
	case inWord(r):
		s.word()
	default:
		s.take(Plain, n)
	}
}

// span takes a comment or a string that may go on over lines.
func (s *scanner) span(b [2]string) {
	head, k := s.rest[:len(b[0])], s.l.kindOf(b[1])
	s.rest = s.rest[len(head):]
	pieces := len(s.pieces)
	s.flush()
	if len(s.pieces) > pieces {
		pieces++
	}
	s.until(b[1], k)
	if len(s.pieces) > pieces {
		s.pieces[pieces].Text = head + s.pieces[pieces].Text
		return
	}
	s.pieces = append(s.pieces, Piece{k, head})
}

// quoted takes a string that ends on its line.
func (s *scanner) quoted(n int) {
	quote, end := s.rest[:n], n
	for end < len(s.rest) {
		switch {
		case s.rest[end] == '\\' && end+1 < len(s.rest):
			end += 2
			continue
		case strings.HasPrefix(s.rest[end:], quote):
			s.taken(end + n)
			return
		}
		end++
	}
	if quote == "'" { // an apostrophe, or a lifetime
		s.take(Plain, n)
		return
	}
	s.taken(len(s.rest))
}

// taken takes a string, which is a key if a colon follows in a language that has
// keys.
func (s *scanner) taken(n int) {
	if s.l.keys && strings.HasPrefix(strings.TrimLeft(s.rest[min(n, len(s.rest)):], " "), ":") {
		s.take(Name, min(n, len(s.rest)))
		return
	}
	s.take(Text, min(n, len(s.rest)))
}

func (s *scanner) word() {
	n := length(s.rest, func(r rune) bool { return inWord(r) || r >= '0' && r <= '9' || s.l.dashes && r == '-' })
	word, after := s.rest[:n], strings.TrimLeft(s.rest[n:], " ")
	if s.l.anyCase {
		word = strings.ToLower(word)
	}
	switch {
	case s.l.words[word]:
		s.take(Word, n)
	case constants[strings.ToLower(word)]:
		s.take(Number, n)
	case s.l.keys && strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "://"), s.l.assigns && strings.HasPrefix(after, "="):
		s.take(Name, n)
	default:
		s.take(Plain, n)
	}
}

func length(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func inNumber(r rune) bool { return r == '.' || r == '_' || inWord(r) || r >= '0' && r <= '9' }

func inWord(r rune) bool { return r == '_' || r == '$' || r == '@' || unicode.IsLetter(r) }
