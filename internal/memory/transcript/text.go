// Package transcript reads the entries of a conversation: as one text, as points
// worth keeping, and whose words they are. It stores nothing and asks no model.
package transcript

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
)

// NoText stands for the words of a message that has none, such as one with
// pictures alone.
const NoText = "(no text)"

// Count returns how many messages are among entries: what tools were asked and
// answered comes with the message it served. Counted as well, five exchanges with tools
// would fill the window, and each message would cost a summary.
func Count(entries []memory.Entry) (n int) {
	for _, e := range entries {
		if e.Role == llm.RoleUser || e.Role == llm.RoleAssistant && len(e.ToolCalls) == 0 {
			n++
		}
	}
	return n
}

// CutAt returns where the last n exchanges begin: a person's words with everything
// after them, so that a tool call is never parted from its result. 0 keeps all.
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

// LastSpeaker returns the last person who said something, "" for nobody.
func LastSpeaker(entries []memory.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Role == llm.RoleUser {
			return e.User
		}
	}
	return ""
}

// Text shows entries to a summarizer: what people and the assistant said, a line
// each.
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
