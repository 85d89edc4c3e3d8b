package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// Texts that one kind of database takes and another may refuse are answered in a chat like
// any other, on both kinds with the same words: none is lost, stops its conversation or is
// answered twice.
func TestNastyTextsAreAnswered(t *testing.T) {
	t.Parallel()
	var unlike strings.Builder
	for i := range 200 {
		fmt.Fprintf(&unlike, "%016x", uint64(i+1)*0x9e3779b97f4a7c15)
	}
	texts := []string{
		"my code is a\x00b", `my door is \u0000 \ud800 {"a":"\ud800"}`, "my sign is \ufffe\uffff",
		"my name is '; DROP TABLE messages; -- $1 ?1 :x",
		"my shout is " + strings.Repeat("ä", 3900), "my key is " + unlike.String(), "my list is " + strings.Repeat("[", 3900),
		"my luck is 1e999999 NaN -9223372036854775808 \u202e😀🏴",
	}
	answers := func(w *world) []string {
		w.env = append(w.env, "BOT_MODEL_NAME=builtin")
		w.start(t)
		for i, text := range texts {
			w.tg.Push(telegramtest.Text(1, 1, "/facts add "+text))
			w.sent(t, i+1)
		}
		w.settled(t)
		w.tg.Push(telegramtest.Text(1, 1, "/facts search key"))
		return w.sent(t, len(texts)+1)
	}
	file := answers(newWorld(t))
	w := newWorld(t)
	w.served(t)
	if served := answers(w); len(file) != len(texts)+1 || !slices.Equal(file, served) {
		t.Errorf("in a file: %.500q\non a server: %.500q", file, served)
	}
}
