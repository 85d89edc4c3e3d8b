package shell

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/text"
)

// wordsMissing is said in more than one place.
const wordsMissing = "missing: %s"

// sentences are what the parser says of a mistake, and how we say it. A sentence of
// the parser that is not here stays as it is.
var sentences = []struct {
	parser func(string) []string
	ours   func(found []string) error
}{
	{matches(`^unknown flag (\S+?)(?:, did you mean (?:one of )?(.+)\?)?$`),
		func(f []string) error { return meant(text.Tell("unknown flag %s", f[1]), f[2]) }},
	{matches(`^unexpected argument (.+?)(?:, did you mean (?:one of )?(.+)\?)?$`),
		func(f []string) error { return meant(text.Tell("unexpected argument %s", f[1]), f[2]) }},
	{matches(`^(?:missing flags:|missing positional arguments) (.+)$`), func(f []string) error { return text.Tell(wordsMissing, f[1]) }},
	{matches(`^expected one of (.+)$`), func(f []string) error {
		return text.Tell("a command is missing: %s", strings.ReplaceAll(f[1], `"`, ""))
	}},
	{matches(`^expected "([^"]+)"$`), func(f []string) error { return text.Tell(wordsMissing, f[1]) }},
	{matches(`^(.+) must be one of (.+) but got (".*")$`), func(f []string) error {
		return text.Tell("%s is %s; expected one of: %s",
			bare(f[1]), f[3], choices(f[2]))
	}},
	{matches(`^(.+): expected a valid .*int but got (".*")$`), func(f []string) error { return text.Tell("%s is %s; expected a whole number", bare(f[1]), f[2]) }},
	{matches(`^(.+): (?:expected .* value but got "EOL" \(<EOL>\)|missing value.*)$`),
		func(f []string) error { return text.Tell("%s needs a value", bare(f[1])) }},
	{matches(`^.+: "(.+)" exists but is a directory$`), func(f []string) error { return text.Tell("%s is a folder", f[1]) }},
}

// matches finds the parts of a sentence, nil where it is another one.
func matches(pattern string) func(string) []string {
	form := text.Pattern(pattern)
	return func(s string) []string { return form().FindStringSubmatch(s) }
}

// Mistake returns what the parser says of how a command was typed in words for people,
// with the command that explains more.
func Mistake(err error) error {
	said := err
	for _, s := range sentences {
		if found := s.parser(err.Error()); found != nil {
			said = s.ours(found)
			break
		}
	}
	var missing *fs.PathError
	if errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
		said = text.Tell("there is no file %s", missing.Path)
	}
	command := "bot"
	var parsed *kong.ParseError
	if errors.As(err, &parsed) && parsed.Context.Selected() != nil {
		command = parsed.Context.Selected().FullPath()
	}
	return text.Tell("%w (%s explains it)", said, command+" --help")
}

// meant adds which names the parser found near.
func meant(err error, near string) error {
	if near == "" {
		return err
	}
	return text.Tell("%w, did you mean %s?", err, near)
}

// bare is a flag without what stands for its value.
func bare(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// choices lists values as people would, without the empty one that stands for none.
func choices(quoted string) string {
	var list []string
	for _, one := range strings.Split(strings.ReplaceAll(quoted, `"`, ""), ",") {
		if one != "" {
			list = append(list, one)
		}
	}
	return strings.Join(list, ", ")
}
