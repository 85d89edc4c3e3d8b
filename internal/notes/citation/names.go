package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// name is a name in an answer, with what else its sentence says. It is compared only with
// a passage whose words the sentence keeps: in another language, or in words of its own,
// what is new there may be anything.
type name struct {
	words  []string // lower case, as the answer has them
	beside []string // the other telling words of the sentence
	titled bool     // behind Mr, Frau, Señora
	german bool
}

var (
	honorific = text.Pattern(`(?:^|[^\pL])(?:mr|mrs|ms|dr|prof|herrn?|frau|señora?|sra?|don|doña|monsieur|madame|mme|господин\pL*|госпож\pL+|г-н|г-жа)\.?\s+$`)
	capital   = text.Pattern(`\p{Lu}[\pL’'-]*\p{Ll}[\pL]*`)
	hanName   = text.Pattern(`(\p{Han}{2,3})(?:先生|女士|小姐|老师|老師|经理|經理|教授|医生|醫生|主任)`)
	hanWord   = text.Pattern(`^(?:.*(?:是|由|向|和|与|與|给|給|找|为|為|叫|的|在|于|请|請))`)
)

// namesIn lists the names in a sentence: words with a capital that is not there because
// the sentence begins. German writes all its nouns so: there, only what stands in a row
// or behind a title is one.
func namesIn(sentence string) (all []claim) {
	for _, m := range hanName().FindAllStringSubmatch(sentence, -1) {
		if w := m[1][len(hanWord().FindString(m[1])):]; w != "" {
			all = append(all, hanPerson(w))
		}
	}
	german := inGerman(sentence)
	begins := strings.IndexFunc(sentence, unicode.IsLetter)
	for _, row := range rowsIn(sentence) {
		n := name{german: german}
		before := strings.ToLower(sentence[:row[0][0]])
		for _, at := range row {
			w := strings.ToLower(sentence[at[0]:at[1]])
			n.titled = n.titled || honorific().MatchString(before)
			before = w + " "
			if utf8.RuneCountInString(w) >= minName && at[0] != begins && !honorific().MatchString(w+" ") {
				n.words = append(n.words, w)
			}
		}
		if len(n.words) > 0 {
			n.beside = telling(sentence[:row[0][0]] + " " + sentence[row[len(row)-1][1]:])
			all = append(all, n)
		}
	}
	return all
}

// rowsIn lists the words with a capital in a text, those that follow each other together.
func rowsIn(s string) (all [][][]int) {
	found := capital().FindAllStringIndex(s, -1)
	for i := 0; i < len(found); {
		row := found[i : i+1]
		for i++; i < len(found) && s[found[i-1][1]:found[i][0]] == " "; i++ {
			row = row[:len(row)+1]
		}
		all = append(all, row)
	}
	return all
}

// minName is how many letters a name has at least: shorter ones are mostly signs.
const minName = 3

var germanWords = text.Pattern(`\b(?:der|die|das|und|ist|wird|ein|eine|mit|von|zu|den|dem|im|am|bis|uhr|um|für|auf|wir|bei|nach|beträgt|werden|nicht)\b`)

func inGerman(s string) bool { return germanWords().MatchString(strings.ToLower(s)) }

// telling lists the longer words of a text, by their beginnings.
func telling(s string) (all []string) {
	for _, w := range strings.Fields(bareWords(s)) {
		if letters := []rune(w); len(letters) >= minStem-1 && !strings.ContainsFunc(w, unicode.IsDigit) {
			all = append(all, string(letters[:min(len(letters), maxStem-1)]))
		}
	}
	return all
}

func (n name) in(s *said) bool {
	if !slices.ContainsFunc(n.words, func(w string) bool { return !s.has(w) }) {
		return true
	}
	if slices.ContainsFunc(s.names, n.replaces) {
		return false
	}
	if (n.german || s.german) && !n.titled {
		return true
	}
	kept := 0
	for _, w := range n.beside {
		if strings.Contains(s.words, " "+w) {
			kept++
		}
	}
	return kept < 2 && !(n.titled && kept > 0) || kept*2 <= len(n.beside)
}

// replaces reports whether a name has a word of another one, and another in place of the
// rest.
func (n name) replaces(other []string) bool {
	shared := 0
	for _, w := range other {
		if slices.Contains(n.words, w) {
			shared++
		}
	}
	return shared > 0 && shared < len(other) && len(n.words) > shared
}

// has reports whether a passage has a word, perhaps with another ending.
func (s *said) has(word string) bool {
	letters := []rune(bareWords(word))
	if len(letters) > minStem {
		letters = letters[:max(minStem-1, len(letters)-2)]
	}
	return strings.Contains(s.words, " "+string(letters)) || strings.Contains(s.run, string(letters))
}

// hanPerson is a Chinese name before a title.
type hanPerson string

func (n hanPerson) in(s *said) bool {
	return strings.Contains(s.run, string(n)) || !strings.ContainsFunc(s.run, text.Unspaced)
}
