package offline

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/times"
)

// asked is the request in a sentence.
type asked struct {
	*book
	does  string            // a tool, or one of answers
	args  map[string]string // of the tool
	part  *times.Partial    // what was read of a reminder's time, and what was not; nil for all
	about string            // all words of times that were asked about so far
	clock bool              // it is an alarm or a timer, whose text says no more than that
	loose bool              // it is nothing but a statement, or small talk: "I called mom", "yes"
	guess bool              // it may be meant otherwise
	more  []asked           // further wishes of the sentence
}

// talk is the conversation, and the tools at hand.
type talk struct {
	messages []llm.Message
	tools    []string
	speaks   string // the language of who speaks, as a tag
	sure     bool   // only what is certain counts
}

// said is the last thing that a person said.
func (t talk) said() (asked, bool) { return t.at(len(t.messages)-1, 3) }

// at returns what a message asks for. One that answers a question about a reminder
// completes it; so does the one after it, at most depth messages back.
func (t talk) at(i, depth int) (asked, bool) {
	said := strings.TrimSpace(t.messages[i].Content)
	if agreed, ok := t.agreed(i, depth); ok {
		return agreed, true
	}
	if before, ok := t.before(i, depth); ok {
		complete := t.completed
		if t.sure {
			complete = t.supplied
		}
		if whole, ok := complete(before, said); ok && (!t.sure || t.asked(i, before)) {
			return whole, true
		}
	}
	if a, ok := t.find(said); ok {
		return a, true
	}
	if without := strings.TrimSpace(speaker().ReplaceAllString(said, "")); without != said {
		return t.find(without)
	}
	return asked{}, false
}

// before is a reminder that lacks something, asked for in the message before one.
func (t talk) before(i, depth int) (asked, bool) {
	for i--; i >= 0 && depth > 0; i-- {
		if m := t.messages[i]; m.Role == llm.RoleUser {
			a, ok := t.at(i, depth-1)
			return a, ok && a.lacks()
		}
	}
	return asked{}, false
}

// completed adds what was said to a reminder that lacks it.
func (t talk) completed(a asked, said string) (asked, bool) {
	if without := strings.TrimSpace(speaker().ReplaceAllString(said, "")); without != said && !isTime(said, a.tag) {
		said = without
	}
	text, at := a.args["text"], a.args["when"]
	own, understood := t.find(said)
	both, what, err := times.Split(said, someTime, a.tag)
	var part *times.Partial
	switch {
	case at == "" && a.asTime(said) != "":
		at = a.asTime(said)
	case understood && own.args["words"] == "" && own.args["content"] == "": // no phrase that fits nearly every sentence
		return own, true
	case at == "" && errors.As(err, &part): // asked again
		text = cmp.Or(text, part.What)
	case text == "" && at == "" && what != "":
		text, at = what, both
	case text == "" && utf8.RuneCountInString(said) <= mostText:
		text = said
	default:
		return a, false
	}
	a.args, a.about, a.part = map[string]string{"text": text, "when": at}, a.spoken(), part
	return a, true
}

// spoken returns the words of times that were asked about, up to now.
func (a asked) spoken() string {
	if a.part == nil {
		return a.about
	}
	return strings.TrimSpace(a.about + " " + a.part.Read + " " + a.part.Left)
}

// onItsDay returns a time that answers a question about a part of one, on the day that was
// named before: "before 4pm tomorrow", and then "at 3". One with a day of its own stays.
func (a asked) onItsDay(said string) string {
	fields := strings.Fields(a.spoken())
	for n := len(fields); n > 0; n-- {
		for i := 0; i+n <= len(fields); i++ {
			day := strings.Join(fields[i:i+n], " ")
			if isDay(day, a.tag) && isTime(day+" "+said, a.tag) {
				return day + " " + said
			}
		}
	}
	return said
}

// isDay reports whether words name another day than today, whatever the hour is.
func isDay(words, speaks string) bool {
	for _, now := range []time.Time{someTime, someTime.Add(-11 * time.Hour)} {
		if at, ok := times.Day(words, now, speaks); !ok || at.YearDay() == now.YearDay() {
			return false
		}
	}
	return true
}

// mostText is how long an answer to "what shall I remind you of" may be.
const mostText = 200

// someTime is any: whether words are a time does not depend on it.
var someTime = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func isTime(said, speaks string) bool {
	if _, ok := times.Day(said, someTime, speaks); ok {
		return true
	}
	_, err := times.All(said, someTime, time.UTC, speaks)
	return err == nil
}

// find finds what a sentence asks for, also with a mistyped word.
func (t talk) find(said string) (asked, bool) {
	if utf8.RuneCountInString(said) > mostRunes {
		return asked{}, false
	}
	said = courtesy().ReplaceAllString(said, " ")
	var likely []*book
	for i, b := range inOrder(t.speaks) {
		if i > 0 && !b.shares(said) {
			continue
		}
		if a, ok := t.among(b, said, true); ok {
			return a, true
		}
		if a, ok := t.wishes(b, said); ok {
			return a, a.does != ""
		}
		if a, ok := t.in(b, said); ok {
			return a, true
		}
		likely = append(likely, b)
	}
	if t.sure {
		return asked{}, false // another word than was typed is not certain
	}
	for _, b := range likely {
		for _, better := range b.fix(said) {
			if a, ok := t.in(b, better.text); ok && !a.has(better.word) {
				return a, true
			}
		}
	}
	return asked{}, false
}

// courtesy is a word between commas that changes nothing.
var courtesy = text.Pattern(`(?i)[,，]\s*(?:please|bitte|por favor|s'il (?:te|vous) plaît|пожалуйста)\s*[,，]\s*`)

// mostRunes is how long a sentence may be; what people paste is for a model.
const mostRunes = 1000

// shares reports whether a sentence has a word of the phrases, or is in their script.
// Patterns take memory, and most people need those of one language.
func (b *book) shares(said string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(fold(said), apart), func(w string) bool {
		han := strings.ContainsFunc(w, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		return b.vocab[w] || han && b.han
	})
}

// in reads a sentence in one language.
func (t talk) in(b *book, said string) (asked, bool) { return t.among(b, said, false) }

// among reads it by all phrases, or by those alone that come before it is cut.
func (t talk) among(b *book, said string, whole bool) (asked, bool) {
	folded, digits, inWords := fold(said), inDigits(said), said
	var lacking *asked
	for _, p := range b.phrases {
		if !slices.Contains(answers, p.does) && !slices.Contains(t.tools, p.does) || t.sure && !p.sure() || whole && !p.whole || !p.may(folded) {
			continue
		}
		if said = inWords; p.does == "sum" {
			said = digits
		}
		if p.does == "sum" && !strings.ContainsAny(said, "0123456789") {
			continue
		}
		folded = fold(said)
		m := p.pattern().FindStringSubmatchIndex(folded)
		if m == nil {
			continue
		}
		a := asked{book: b, does: p.does, args: p.args(m, said, folded), loose: p.loose(), guess: p.guess}
		a.clock = p.fixed["text"] != "" && !slotForm().MatchString(p.fixed["text"])
		switch {
		case !t.sound(p, &a, said):
		case !t.sure || !a.lacks():
			return a, true
		case lacking == nil:
			lacking = &a // a later phrase may fit wholly
		}
	}
	if lacking != nil {
		return *lacking, true
	}
	return asked{}, false
}

// loose reports a phrase that may also answer a question.
func (p phrase) loose() bool {
	if slices.Contains(slices.Collect(maps.Values(p.fixed)), "*") {
		return true
	}
	return slices.Contains(answers, p.does) && p.does != "sum" && p.does != "ask_when"
}

// args are the arguments that a phrase found, in the words of the person.
func (p phrase) args(m []int, said, folded string) map[string]string {
	runes, args, named := []rune(said), map[string]string{}, map[string]string{}
	for i, name := range p.pattern().SubexpNames() {
		if name == "" || m[2*i] < 0 || m[2*i] == m[2*i+1] {
			continue
		}
		from, to := utf8.RuneCountInString(folded[:m[2*i]]), utf8.RuneCountInString(folded[:m[2*i+1]])
		name, _, _ = strings.Cut(name, "_")
		named[name] = strings.TrimSpace(string(runes[from:to]))
		if name == "id" {
			named[name] = strings.TrimPrefix(named[name], "#")
		}
	}
	if p.fixed == nil {
		delete(named, "all")
		maps.DeleteFunc(named, func(name, _ string) bool { return p.own[name] != "" })
		return named
	}
	for arg, value := range p.fixed {
		if value == "*" {
			args[arg] = named["all"]
			continue
		}
		args[arg] = slotForm().ReplaceAllStringFunc(value, func(slot string) string { return named[slot[1:len(slot)-1]] })
	}
	return args
}

// pointers refer to earlier words, which only a model could resolve.
var pointers = text.Pattern(`(?i)(?:^|\s)(?:that|this|it|them|das|es|eso|esto|ça|cela|это|那个|这个)[.!]*$`)

// sound checks what a phrase found: a question is no fact, and a reminder is split into its
// time and its subject.
func (t talk) sound(p phrase, a *asked, said string) bool {
	if !slices.Contains(answers, a.does) && !slices.Contains(lookups, a.does) && a.questions(said) {
		return false
	}
	if !a.certain(said) {
		if t.sure {
			return false
		}
		a.guess = a.guess || slices.Contains([]string{"save_fact", "add_task", "complete_task"}, a.does)
	}
	switch a.does {
	case "save_fact", "log_entry", "save_decision", "add_task", "complete_task":
		for _, value := range a.args {
			if pointers().MatchString(value) {
				return false
			}
		}
	case "set_reminder":
		about, ok := a.args["reminder"]
		if !ok {
			return a.timed()
		}
		about = joints().ReplaceAllString(about, "")
		at, what, err := times.Split(about, someTime, a.tag)
		switch {
		case errors.As(err, &a.part):
			what = a.part.What
		case at == "":
			what = about
		}
		a.args = map[string]string{"text": what, "when": at}
		if t.sure && (elsewhere().MatchString(what) || at == "" && (p.fixed == nil && a.part == nil || events().MatchString(what))) {
			return false // "remind me of my pin" asks for the pin
		}
	case "ask_when":
		a.does, a.args = "set_reminder", map[string]string{}
	case "forget_fact":
		if a.args["last"] != "" {
			id := last(t.messages, "fact")
			a.args = map[string]string{"id": id}
			return id != ""
		}
		return !pointers().MatchString(a.args["words"])
	case "move_reminder":
		return t.moves(a)
	case "cancel_reminders", "move_reminders":
		return a.ofDays()
	case "current_time":
		if city, ok := a.args["time_zone"]; ok {
			a.args["time_zone"] = cmp.Or(times.Place(city), times.Place(a.bare(city)))
			return a.args["time_zone"] != ""
		}
		return a.args["when"] == "" || isTime(a.args["when"], a.tag)
	}
	return true
}

// atHour makes a time of day of a number that stood behind "to".
var atHour = map[string]string{"en": "at ", "de": "um ", "es": "a las ", "fr": "à ", "ru": "в "}

// timed reports whether a reminder's time is one, or partly one, which is asked about.
func (a *asked) timed() bool {
	a.woken()
	if a.args["when"] == "" || isTime(a.args["when"], a.tag) {
		return true
	}
	_, err := times.All(a.args["when"], someTime, time.UTC, a.tag)
	partly := errors.As(err, &a.part)
	if partly {
		a.args["when"] = ""
	}
	return partly
}

// events say when something is to be done, by what happens then, which no clock tells.
var events = text.Pattern(`(?i)(?:^|\s)(?:when|whenever|once|next time|after|before|until|unless|while|later|sometime|at some point|in a bit|` +
	`wenn|sobald|nachdem|cuando|quand|когда|的时候)(?:\s|$)`)

// joints join "remind me" and what it is about.
var joints = text.Pattern(`(?i)^(?:to|that|about|of|for|ans?|daran,?|dass|zu|que|de|para|a|à|d'|о|об|про|что)[\s,]+`)

// fixed is a sentence with another word in place of an unknown one.
type fixed struct{ text, word string }

// mostFixed is how many words of a sentence, from its beginning, are checked for typos;
// later ones are the person's own.
const mostFixed = 5

// mostWords is how long a sentence may be that is looked at a second time.
const mostWords = 30

// fix returns the sentence with one of its first words replaced by the nearest word of
// the phrases, for each that is near enough.
func (b *book) fix(said string) (all []fixed) {
	words := strings.Fields(said)
	if len(words) > mostWords {
		return nil
	}
	for i := range words[:min(len(words), mostFixed)] {
		w := strings.Trim(fold(words[i]), ".,!?:;")
		if utf8.RuneCountInString(w) < shortestFixed || b.vocab[w] {
			continue
		}
		for _, near := range b.nearest(w) {
			changed := slices.Clone(words)
			changed[i] = strings.Replace(fold(words[i]), w, near, 1)
			all = append(all, fixed{strings.Join(changed, " "), near})
		}
	}
	return all
}

// nearest returns the known words that are one letter away; or two in long words that
// begin alike, where none is nearer.
func (b *book) nearest(w string) (all []string) {
	most := 1
	if utf8.RuneCountInString(w) >= longFixed {
		most = 2
	}
	for _, known := range b.known {
		switch n := text.Edits(w, known, most); {
		case n > most || n == 2 && known[0] != w[0] || utf8.RuneCountInString(w) == shortestFixed && !swapped(w, known):
		case n < most:
			all, most = []string{known}, n
		default:
			all = append(all, known)
		}
	}
	return all
}

// swapped reports whether two words have the same letters: "shwo" is "show", and "sing" is
// not "ping".
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// longFixed is how long a word must be for two of its letters to be wrong.
const longFixed = 6

// has reports whether a word is in what would be stored, where it must not change.
func (a asked) has(word string) bool {
	for _, value := range a.args {
		if slices.Contains(strings.Fields(fold(value)), word) {
			return true
		}
	}
	return false
}
