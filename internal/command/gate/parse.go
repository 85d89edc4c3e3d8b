package gate

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// clean drops what cannot be seen: controls other than white space, and format
// characters, zero-width ones among them. Joiners inside emoji go too, which
// is right for names and numbers and would be wrong for text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// fold returns the form in which names are compared.
func fold(word string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(clean(word))), "-", "_")
}

// commandName cuts the name off a command's text: "/Name@bot rest".
func commandName(text string) (name, rest string) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == 0 })
	text, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", text
	}
	word, rest := cutWord(text)
	word, _, _ = strings.Cut(word, "@")
	return fold(word), rest
}

// cutWord cuts the first word off s, ignoring quotes.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeftFunc(s[end:], unicode.IsSpace)
}

// quotes that open a value, with what closes them; phones type the curly ones.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»'}

// cutValue cuts the first value off s: a word or a quoted text. A quote that is
// never closed is part of a word.
func cutValue(s string) (value, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	for i, r := range s {
		closing, ok := quotes[r]
		if i > 0 || !ok {
			break
		}
		body := s[len(string(r)):]
		if end := strings.IndexRune(body, closing); end >= 0 {
			return body[:end], strings.TrimLeftFunc(body[end+len(string(closing)):], unicode.IsSpace)
		}
	}
	return cutWord(s)
}

// arguments reads options off the text after a command's name. Its errors are
// sentences for the person.
func arguments(options []Option, line string) (map[string]string, error) {
	args := map[string]string{}
	left := slices.DeleteFunc(slices.Clone(options), func(o Option) bool { return o.Named })
	for line = strings.TrimSpace(line); line != ""; {
		option, value, isNamed := named(options, args, line)
		if !isNamed {
			for len(left) > 0 && has(args, left[0].Name) {
				left = left[1:]
			}
			if len(left) == 0 {
				return nil, text.Tell("I do not know what to do with %s.", Escape(line))
			}
			option, value = left[0], line
		}
		if takesRest(options, option) {
			rest, err := chosenBehind(options, args, value)
			if err != nil {
				return nil, err
			}
			value, line = unquote(rest), ""
		} else {
			value, line = cutValue(value)
		}
		accepted, err := option.accept(value)
		if err != nil {
			return nil, err
		}
		args[option.Name] = accepted
	}
	for _, o := range options {
		if o.Required && strings.TrimSpace(clean(args[o.Name])) == "" {
			return nil, missing{o, args}
		}
	}
	return args, nil
}

// quote takes a Long option that is missing from the message that was replied to.
func (r *Request) quote(err error) {
	var left missing
	if quoted := strings.TrimSpace(r.Message.Quote); quoted != "" && errors.As(err, &left) && left.Long {
		left.args[left.Name], r.Quoted = quoted, true
		r.Args = left.args
	}
}

// missing reports which required option was not given.
type missing struct {
	Option
	args map[string]string // what was given
}

// Error returns a sentence for the person, and so does String.
func (m missing) Error() string  { return m.String() }
func (m missing) String() string { return m.In(catalog.Printer{}) }

// In implements catalog.Phrase.
func (m missing) In(p catalog.Printer) string { return p.Say("I need the %s.", m.Name) }

// named reads "name:value" where name is an option not yet given.
func named(options []Option, args map[string]string, text string) (o Option, value string, ok bool) {
	word, _ := cutWord(text)
	name, _, ok := strings.Cut(word, ":")
	if !ok {
		return Option{}, "", false
	}
	for _, o := range options {
		if fold(o.Name) == fold(name) && !has(args, o.Name) {
			return o, text[len(name)+1:], true
		}
	}
	return Option{}, "", false
}

// takesRest reports whether o swallows the rest of the line: free text that only
// options with choices, or Named ones, follow. A quoted value still ends with its
// quote.
func takesRest(options []Option, o Option) bool {
	i := slices.IndexFunc(options, func(p Option) bool { return p.Name == o.Name })
	more := slices.ContainsFunc(options[i+1:], func(p Option) bool { return len(p.Choices) == 0 && !p.Named })
	return !o.bounded() && !o.Named && !more
}

// bounded reports whether o takes only a few single words, so that its value can be
// told from free text.
func (o Option) bounded() bool { return o.Kind != Text || len(o.Choices) > 0 }

// chosenBehind cuts "name:value" of bounded and Named options off the end of free
// text. A value that is no choice of an option is a mistake; in quotes it is text.
func chosenBehind(options []Option, args map[string]string, text string) (string, error) {
	for {
		text = strings.TrimSpace(text)
		if unquote(text) != text {
			return text, nil
		}
		rest, word := "", text
		if i := strings.LastIndexFunc(text, unicode.IsSpace); i >= 0 {
			rest, word = text[:i], text[i+1:]
		}
		o, value, ok := named(options, args, word)
		if !ok || !o.bounded() && !o.Named {
			return text, nil
		}
		chosen, err := o.accept(unquote(value))
		if err != nil && value != "" && len(o.Choices) > 0 {
			return "", err
		}
		if err != nil {
			return text, nil
		}
		args[o.Name], text = chosen, rest
	}
}

// keyless returns a command without the keys of rows that a button put into it.
func keyless(line string) string {
	words := slices.DeleteFunc(strings.Fields(line), func(w string) bool {
		name, key, ok := strings.Cut(w, "=")
		_, err := strconv.ParseInt(key, 10, 64)
		return ok && err == nil && (name == "" || strings.HasSuffix(name, ":"))
	})
	return strings.Join(words, " ")
}

func unquote(s string) string {
	if value, rest := cutValue(s); rest == "" {
		return value
	}
	return strings.TrimSpace(s)
}

func has(args map[string]string, name string) bool {
	_, ok := args[name]
	return ok
}

// Escape returns a stranger's words for use inside a sentence: one short line without
// markup.
func Escape(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_~|<>[]()@#\\", r) {
			return -1
		}
		return r
	}, s)
	return text.Shorten(s, 41)
}

// nearest returns the candidate most like word or, when none is close, the first
// that begins with it; "" when none does.
func nearest(word string, candidates []string) string {
	if near := text.Nearest(word, candidates); near != "" || len(word) < 3 {
		return near
	}
	for _, c := range candidates {
		if strings.HasPrefix(fold(c), word) {
			return c
		}
	}
	return ""
}
