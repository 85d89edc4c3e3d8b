package memory

import (
	"regexp"
	"strings"
)

// The text of a file stands between marks in what its sender said, so that it
// is told apart from their own words for as long as it is kept.
var (
	fileMark  = regexp.MustCompile(`(?i)<(\s*/?\s*data)`)
	fileBlock = regexp.MustCompile(`(?s)<data>.*?</data>`)
)

// ForwardedMark stands before words that somebody only passed on.
const ForwardedMark = "[forwarded] "

// FileText marks the text of a file. It cannot close the mark itself.
func FileText(text string) string {
	return "<data>\n" + fileMark.ReplaceAllString(text, "‹$1") + "\n</data>"
}

// HasFileText says that an entry's content holds text of a file.
func HasFileText(content string) bool {
	return strings.Contains(content, "<data>") && fileBlock.MatchString(content)
}

// OwnWords is content without the text of files.
func OwnWords(content string) string {
	if !HasFileText(content) {
		return content
	}
	return strings.TrimSpace(fileBlock.ReplaceAllString(content, ""))
}
