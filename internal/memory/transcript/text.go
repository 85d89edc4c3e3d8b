// Package transcript turns the entries of a conversation into text and into points worth
// keeping, and says whose words they contain. It stores nothing and asks no model.
package transcript

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
)

// NoText stands for the text of a message without any, such as a picture.
const NoText = "(no text)"

// Count counts the messages among entries, without calls and results of tools. With them,
// five messages that use tools would fill the window, and each would cost a summary.
func Count(entries []memory.Entry) (n int) {
	for _, e := range entries {
		if e.Role == llm.RoleUser || e.Role == llm.RoleAssistant && len(e.ToolCalls) == 0 {
			n++
		}
	}
	return n
}

// CutAt returns where the last n exchanges begin; 0 if there are fewer. An exchange is a
// person's message and everything after it, so tool calls stay with their results.
func CutAt(entries []memory.Entry, n int) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Role == llm.RoleUser {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// LastSpeaker returns the author of the last message, "" for none.
func LastSpeaker(entries []memory.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Role == llm.RoleUser {
			return e.User
		}
	}
	return ""
}

// Text returns entries for a summarizer: a line for each message of people and the assistant.
func Text(entries []memory.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.Role == llm.RoleUser:
			fmt.Fprintf(&b, "[%s] %s: %s\n", e.At.UTC().Format("2006-01-02 15:04"), Speaker(e.Name, e.User), provenance.Under(Full(e)))
		case e.Role == llm.RoleAssistant && e.Content != "":
			fmt.Fprintf(&b, "%s: %s\n", provenance.Assistant, provenance.Under(e.Content))
		}
	}
	return b.String()
}
