package text

import (
	_ "embed" // how questions begin
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed questions.txt
var questionsText string

// asking holds the first words of questions, in lower case with single spaces; those that
// end in * are prefixes.
var asking = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(questionsText) {
		if words := strings.Fields(line); words[0] != "#" {
			for _, w := range words[1:] {
				all[strings.ReplaceAll(w, "_", " ")] = true
			}
		}
	}
	return all
})

// In scripts without spaces the question word may be anywhere, or at the end.
var (
	askWithin = strings.Fields(
		"什么 什麼 甚麼 甚么 谁 誰 哪 多少 几点 幾點 几个 幾個 几号 幾號 几岁 幾歲 怎么 怎麼 怎样 怎樣 为何 為何 为什么 為什麼 何 いつ どこ なぜ どう どの どんな どれ いくつ いくら 教えて 무엇 뭐 누구 " +
			"누가 어디 언제 왜 어떻게 얼마 몇 어느 무슨 ใคร อะไร ที่ไหน เมื่อไ ทำไม อย่างไร เท่าไ กี่")
	askAtEnd = strings.Fields("吗 嗎 呢 么 か かな かしら っけ 니 까 나요 가요 냐 ไหม หรือเปล่า")
)

const (
	questionMarks = "?？؟⁇⁈⁉;՞"
	closingMarks  = "\"”»’)*_]」』"
)

// maxGreeting is how many words may stand before a comma and the question: "Hi
// Max, where …".
const maxGreeting = 3

// Asks reports whether a text asks something: a sentence ends with a question mark of any
// script, or begins like a question in about twenty languages. It may be wrong about
// exclamations such as "What a day!".
func Asks(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	for i, r := range s {
		if strings.ContainsRune(questionMarks, r) {
			rest := strings.TrimLeft(s[i+utf8.RuneLen(r):], questionMarks+"!！"+closingMarks)
			next, _ := utf8.DecodeRuneInString(rest)
			if rest == "" || unicode.IsSpace(next) || r != '?' {
				return true
			}
		}
	}
	if strings.HasPrefix(s, "¿") || begins(s) || asksUnspaced(s) {
		return true
	}
	before, after, found := strings.Cut(s, ",")
	return found && len(strings.Fields(before)) <= maxGreeting && begins(after)
}

// begins reports whether the first words are those of a question.
func begins(s string) bool {
	words := strings.Fields(s)
	words = words[:min(len(words), 2)]
	for i, w := range words {
		words[i] = strings.TrimFunc(strings.ReplaceAll(w, "’", "'"), func(r rune) bool { return !InWord(r) && !unicode.IsMark(r) })
	}
	if len(words) == 0 {
		return false
	}
	all := asking()
	if all[words[0]] || all[strings.Join(words, " ")] {
		return true
	}
	for i := range words[0] {
		if all[words[0][:i]+"*"] {
			return true
		}
	}
	return false
}

// asksUnspaced is begins for scripts without spaces, and Korean.
func asksUnspaced(s string) bool {
	if !strings.ContainsFunc(s, Pieced) {
		return false
	}
	for _, w := range askWithin {
		if strings.Contains(s, w) {
			return true
		}
	}
	end := strings.TrimRightFunc(s, func(r rune) bool { return !InWord(r) && !unicode.IsMark(r) })
	for _, w := range askAtEnd {
		if strings.HasSuffix(end, w) {
			return true
		}
	}
	return false
}
