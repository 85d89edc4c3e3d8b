package command

import (
	"strings"

	"parley/internal/text"
	"parley/internal/tools"
)

// toolWords say to people what a built-in tool does; its description is for the model.
var toolWords = map[string]string{
	"add_task":            "adds a task to your list",
	"ask_later":           "asks itself a question for you at a time, and tells you the answer",
	"cancel_reminder":     "cancels a reminder",
	"complete_task":       "ticks a task off",
	"current_time":        "tells the date and the time",
	"delete_task":         "deletes a task",
	"find_definition":     "finds where something is defined in code",
	"find_references":     "finds where something is used in code",
	"find_tools":          "finds a tool that is not offered all the time",
	"forget_fact":         "forgets something about you",
	"hand_over":           "has a person answer here",
	"list_facts":          "lists what is remembered about you",
	"list_log":            "reads your journal",
	"list_reminders":      "lists your reminders",
	"list_tasks":          "lists your tasks",
	"log_entry":           "writes a line into your journal",
	"recall_conversation": "searches what was said before",
	"save_decision":       "keeps a decision of this conversation",
	"save_fact":           "remembers something about you",
	"search_code":         "searches the owner's code",
	"set_reminder":        "reminds you at a time",
	"set_time_zone":       "remembers your time zone",
	"set_variable":        "keeps what the owner's rules ask about you",
	"update_fact":         "corrects something about you",
	"update_task":         "changes a task",
	"vault_create_index":  "writes a note that lists others",
	"vault_list":          "lists the owner's notes",
	"vault_move":          "moves a note and keeps the links to it",
	"vault_read":          "reads a note",
	"vault_related":       "finds what belongs to a note",
	"vault_search":        "searches the owner's notes",
	"vault_write":         "writes a note",
	"web_fetch":           "reads a web page",
	"web_search":          "searches the web",
}

// longestTell is how much of a description is shown, in characters.
const longestTell = 120

// tell says what a tool does: in words of its own, or in the first sentence of its
// description, which a server or the owner wrote.
func tell(s tools.Spec) string {
	if words := toolWords[s.Name]; words != "" {
		return words
	}
	first, _, _ := strings.Cut(s.Description, "\n")
	first, _, _ = strings.Cut(first, ". ")
	return text.ShortenWords(strings.TrimSuffix(strings.TrimSpace(first), "."), longestTell)
}
