package rehearse

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"parley/config"
	registry "parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/text"
)

// Script is a conversation to rehearse: a txtar file whose file "talk" says
// what people write, what the model answers and what should follow. docs/rehearsals.md
// explains it to authors.
type Script struct {
	path    string
	archive *txtar.Archive
	talk    int // the file talk in the archive
	acts    []act
}

// act is a message, or time that passes, with what follows from it.
type act struct {
	line
	answers []line // the model's
	checks  []line
}

// line is one line of the talk with its continuations.
type line struct {
	n    int    // in the script, 1-based
	mark string // first word
	text string
}

// String returns the line as a script has it.
func (l line) String() string {
	return strings.TrimRight(l.mark+" "+strings.ReplaceAll(l.text, "\n", "\n| "), " ")
}

// unreadable is a mistake in a script; the process then exits with 2.
func unreadable(place, what, problem, hint string) error {
	e := &config.Error{Place: place, Setting: what, Problem: errors.New(problem)}
	if hint != "" {
		e.Hint = errors.New(hint)
	}
	return e
}

// didYouMean names the known word nearest to one that is not.
func didYouMean(word string, known []string) string {
	if len(known) == 0 {
		return "there is none"
	}
	return "did you mean " + config.Closest(word, known) + "?"
}

// The other files of a script.
const (
	talkFile     = "talk"
	settingsFile = "settings.yaml"
	bookFiles    = "playbook/*.yaml"
	othersFiles  = "playbooks/*/*.yaml" // of agents
	personaFiles = "*.md"
	noteFiles    = "notes/" // Markdown at any depth
)

// belongs reports whether a script may have another file of this name.
func belongs(name string) bool {
	patterns := []string{bookFiles, othersFiles, personaFiles}
	return name == settingsFile || isNote(name) || slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

func isNote(name string) bool {
	return strings.HasPrefix(path.Clean(name), noteFiles) && path.Ext(name) == ".md"
}

// openScript reads one script. Its error is every mistake found.
func openScript(name string) (*Script, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, unreadable("", "", err.Error(), "")
	}
	s := &Script{path: name, archive: archive, talk: -1}
	var errs []error
	for i, f := range archive.Files {
		switch {
		case f.Name == talkFile:
			s.talk = i
		case !belongs(f.Name):
			errs = append(errs, unreadable(s.at(s.begins(i)-1), f.Name, "a script has no such file",
				"there are "+strings.Join([]string{talkFile, settingsFile, bookFiles, othersFiles, personaFiles, noteFiles + "*.md"},
					", ")))
		}
	}
	if s.talk < 0 {
		errs = append(errs, unreadable(name, "", "there is no file talk in it", "begin the conversation with a line -- talk --"))
	} else {
		errs = append(errs, s.parse())
	}
	return s, errors.Join(errs...)
}

// at returns the position of a line in the form that editors understand.
func (s *Script) at(n int) string { return fmt.Sprintf("%s:%d", s.path, n) }

// begins returns the line of the script on which a file of the archive begins.
func (s *Script) begins(file int) int {
	n := strings.Count(string(s.archive.Comment), "\n") + 2
	for _, f := range s.archive.Files[:file] {
		n += strings.Count(string(f.Data), "\n") + 1
	}
	return n
}

// talkLines returns the lines of the talk.
func (s *Script) talkLines() []string {
	return strings.Split(strings.TrimSuffix(string(s.archive.Files[s.talk].Data), "\n"), "\n")
}

// parse reads the talk.
func (s *Script) parse() error {
	var errs []error
	var last *line // what a continuation belongs to
	for i, text := range s.talkLines() {
		n := s.begins(s.talk) + i
		mark, rest, _ := strings.Cut(strings.TrimRight(text, " \t\r"), " ")
		if mark == "|" && last != nil {
			last.text += "\n" + rest
			continue
		}
		last = nil
		if mark == "" || strings.HasPrefix(mark, "#") {
			continue
		}
		var err error
		if last, err = s.take(line{n: n, mark: mark, text: rest}); err != nil {
			errs = append(errs, err)
		}
	}
	for _, a := range s.acts {
		errs = append(errs, s.check(a))
	}
	return errors.Join(errs...)
}

// take puts a line where it belongs.
func (s *Script) take(l line) (*line, error) {
	if actMarks[l.mark] {
		s.acts = append(s.acts, act{line: l})
		return &s.acts[len(s.acts)-1].line, nil
	}
	list, err := s.list(l)
	if err != nil {
		return nil, err
	}
	*list = append(*list, l)
	return &(*list)[len(*list)-1], nil
}

// list returns which lines of the last act a line is one of.
func (s *Script) list(l line) (*[]line, error) {
	_, isCheck := checks[l.mark]
	if !isCheck && !answerMarks[l.mark] {
		known := slices.Concat(slices.Collect(maps.Keys(actMarks)), slices.Collect(maps.Keys(answerMarks)), slices.Collect(maps.Keys(checks)))
		return nil, unreadable(s.at(l.n), l.mark, "no line begins so", didYouMean(l.mark, slices.Sorted(slices.Values(known))))
	}
	if len(s.acts) == 0 {
		return nil, unreadable(s.at(l.n), l.mark, "nothing was said yet", "begin with a line such as > hello")
	}
	a := &s.acts[len(s.acts)-1]
	if isCheck {
		return &a.checks, nil
	}
	return &a.answers, nil
}

// actMarks begin an act, answerMarks are what the model does in it; checks has what
// should follow.
var (
	actMarks = map[string]bool{">": true, "hears": true, "reply": true, "edit": true, "delete": true, "press": true,
		"added": true, "removed": true, "restart": true, "at": true, "after": true}
	answerMarks = map[string]bool{"=": true, "!": true, "x": true, "judge": true, "sum": true}
)

// check looks for mistakes within the lines of an act.
func (s *Script) check(a act) error {
	var errs []error
	fail := func(l line, problem, hint string) {
		errs = append(errs, unreadable(s.at(l.n), l.mark+" "+l.text, problem, hint))
	}
	var err error
	switch a.mark {
	case "at", "after":
		_, err = a.moved(time.Time{})
	case "restart":
	default:
		_, err = a.message()
	}
	if err != nil {
		fail(a.line, err.Error(), "")
	}
	for _, l := range a.answers {
		for _, fault := range strings.Fields(l.text) {
			if l.mark == "x" && faults[fault] == nil {
				fail(l, "no such failure", didYouMean(fault, slices.Sorted(maps.Keys(faults))))
			}
		}
	}
	for _, l := range a.checks {
		if strings.HasSuffix(l.mark, "<~") {
			_, _, pattern := placed(l.text)
			if _, err := regexp.Compile(pattern); err != nil {
				fail(l, err.Error(), "")
			}
		}
	}
	return errors.Join(errs...)
}

// speaker is who says a line, and where: [telegram:42@-100/7 admin].
var speaker = text.Pattern(`^\[(?:([a-z]+):)?([\w.-]+)(?:@([\w.-]+)(?:/([\w.-]+))?)?( admin)?\] *`)

// Message reads a line of a talk, such as "[telegram:42@-100] hello", whose
// message has this id.
func Message(id int, text string) (chat.Message, error) {
	return act{line: line{n: id, mark: ">", text: text}}.message()
}

// message returns what an act says or does, but for what only the stage knows: the
// message that it is about, the button that is pressed. Without a speaker it is
// the owner at the terminal; without a channel, a direct chat.
func (a act) message() (chat.Message, error) {
	m, err := spoken(a.text)
	if err != nil {
		return m, err
	}
	m.ID, m.Named = fmt.Sprint(a.n), !m.Direct
	wrong := ""
	switch a.mark {
	case ">", "reply":
		if chat.IsCommand(m.Text) {
			m.Kind = chat.KindCommand
		}
	case "hears":
		if m.Addressed, m.Named = false, false; m.Direct {
			wrong = "the bot overhears in groups only"
		}
	case "edit":
		if m.Kind = chat.KindEdit; m.Key.Platform == "terminal" {
			wrong = "a line at the terminal stays as it is"
		}
	case "delete":
		m.Kind = chat.KindDeleted
		if on, _ := registry.Named(m.Key.Platform); !on.Deletes {
			wrong = on.Platform + " reports no deleted messages"
		}
	case "press":
		m.Kind = chat.KindButton
	case "added":
		if m.Kind = chat.KindAdded; m.Direct {
			wrong = "the bot is added to groups only"
		}
	}
	if wrong != "" {
		return m, errors.New(wrong)
	}
	return m, nil
}

// spoken reads who says something where, and what.
func spoken(text string) (chat.Message, error) {
	platform, user, channel, thread, admin := "terminal", "local", "local", "", false
	if found := speaker().FindStringSubmatch(text); found != nil {
		text = text[len(found[0]):]
		platform, user, channel, thread, admin = cmp.Or(found[1], "terminal"), found[2], found[3], found[4], found[5] != ""
	} else if strings.HasPrefix(text, "[") {
		return chat.Message{}, errors.New("a speaker is written like [telegram:42@-100]")
	}
	if _, ok := registry.Named(platform); !ok {
		return chat.Message{}, fmt.Errorf("%s is no platform: %s", platform, didYouMean(platform, registry.Names()))
	}
	m := chat.Message{Text: text, From: chat.User{ID: platform + ":" + user, Name: user},
		Addressed: true, Direct: platform == "terminal" || channel == "", Admin: admin}
	switch {
	case channel == "" && platform == "terminal":
		channel = "local"
	case channel == "":
		channel = user
	}
	m.Key = chat.Key{Platform: platform, Channel: channel, Thread: thread}
	return m, nil
}

// placed reads an expectation that begins with a place, written like a speaker with a
// platform. place is nil where there is none, and prefix is how the line has it.
func placed(text string) (place *chat.Key, prefix, rest string) {
	found := speaker().FindStringSubmatch(text)
	if found == nil || found[1] == "" {
		return nil, "", text
	}
	m, err := spoken(text)
	if err != nil {
		return nil, "", text
	}
	return &m.Key, strings.TrimRight(found[0], " ") + " ", m.Text
}

// conversations returns every place that a script names.
func (s *Script) conversations() map[chat.Key]bool {
	all := map[chat.Key]bool{}
	for _, a := range s.acts {
		if m, err := spoken(a.text); err == nil {
			all[m.Key] = true
		}
		for _, l := range a.checks {
			if place, _, _ := placed(l.text); place != nil {
				all[*place] = true
			}
		}
	}
	return all
}

// moved returns the clock after an act that moves it.
func (a act) moved(now time.Time) (time.Time, error) {
	if a.mark == "after" {
		d, err := time.ParseDuration(a.text)
		if err != nil || d <= 0 {
			return now, errors.New("wants a time like 65m or 1h30m")
		}
		return now.Add(d), nil
	}
	for _, layout := range []string{"2006-01-02 15:04", time.RFC3339} {
		if t, err := time.Parse(layout, a.text); err == nil {
			return t.UTC(), nil
		}
	}
	return now, errors.New("wants a time like 2026-01-31 09:00 (UTC)")
}

// rewrite replaces lines of the talk, and writes the script when that changes
// it. No replacement removes a line.
func (s *Script) rewrite(edits map[int][]string) (changed bool, err error) {
	var out []string
	replaced := false // with its continuations
	for i, text := range s.talkLines() {
		edit, ok := edits[s.begins(s.talk)+i]
		switch {
		case ok:
			out = append(out, edit...)
		case replaced && strings.HasPrefix(text, "|"):
			continue
		default:
			out = append(out, text)
		}
		replaced = ok
	}
	data := strings.Join(out, "\n") + "\n"
	if data == string(s.archive.Files[s.talk].Data) {
		return false, nil
	}
	s.archive.Files[s.talk].Data = []byte(data)
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		return false, fmt.Errorf("rewrite script: %w", err)
	}
	return true, nil
}
