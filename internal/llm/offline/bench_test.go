package offline

import (
	"strings"
	"testing"

	"parley/internal/llm"
)

// What nobody understands is looked at in every language, and once more for each word
// that may be mistyped.
func BenchmarkUnderstand(b *testing.B) {
	for name, said := range map[string]string{"known": "remind me tomorrow at 9 to call the dentist",
		"unknown": "tell me a joek abuot the histery of the wrold and its peple", "long": strings.Repeat("a word or two ", 70)} {
		b.Run(name, func(b *testing.B) {
			t := talk{messages: []llm.Message{{Role: llm.RoleUser, Content: said}}, tools: everyTool()}
			for b.Loop() {
				t.said()
			}
		})
	}
}
