package daily

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"
	"time"
)

// Place says where a vault keeps its daily notes.
type Place struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`   // of names, in the tokens of moment.js; may name folders
	Template string `json:"template"` // path of a note, "" for none
}

// standard is the default format of names.
const standard = "YYYY-MM-DD"

// Settings reads .obsidian/daily-notes.json. If the text is anything else, it returns
// Obsidian's default.
func Settings(data string) Place {
	var p Place
	_ = json.Unmarshal([]byte(data), &p)
	return p
}

// Path returns the path of the note of a day, from the folder of notes.
func (p Place) Path(day time.Time) string {
	return path.Join(".", strings.Trim(p.Folder, "/"), Format(day, or(p.Format, standard))+".md")
}

// TemplatePath returns the path of the template for new notes, "" for none.
func (p Place) TemplatePath() string {
	if p.Template == "" {
		return ""
	}
	return strings.TrimSuffix(strings.Trim(p.Template, "/"), ".md") + ".md"
}

// New fills a template for the note of a day.
func (p Place) New(template string, day time.Time) string {
	title := strings.TrimSuffix(path.Base(p.Path(day)), ".md")
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{{")
		word, after, ended := strings.Cut(rest, "}}")
		if !found || !ended {
			return b.String() + template
		}
		b.WriteString(before)
		name, format, _ := strings.Cut(strings.TrimSpace(word), ":")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "date":
			b.WriteString(Format(day, or(format, standard)))
		case "time":
			b.WriteString(Format(day, or(format, "HH:mm")))
		case "title":
			b.WriteString(title)
		default:
			b.WriteString("{{" + word + "}}")
		}
		template = after
	}
}

func or(format, otherwise string) string {
	return cmp.Or(strings.TrimSpace(format), otherwise)
}
