package daily

import (
	"encoding/json"
	"path"
	"strings"
	"time"
)

// Place is how a vault has its daily notes.
type Place struct {
	Folder   string `json:"folder"`
	Format   string `json:"format"`   // of names, as moment.js writes dates; may hold folders
	Template string `json:"template"` // a note, "" for none
}

// standard is the format where none is set.
const standard = "YYYY-MM-DD"

// Settings reads what Obsidian keeps in .obsidian/daily-notes.json; anything else than
// that is Obsidian's default.
func Settings(data string) Place {
	var p Place
	_ = json.Unmarshal([]byte(data), &p)
	return p
}

// Path returns the note of a day, from the folder of notes.
func (p Place) Path(day time.Time) string {
	format := p.Format
	if strings.TrimSpace(format) == "" {
		format = standard
	}
	return path.Join(".", strings.Trim(p.Folder, "/"), Format(day, format)+".md")
}

// TemplatePath returns the note that new ones are made of, "" for none.
func (p Place) TemplatePath() string {
	if p.Template == "" {
		return ""
	}
	return strings.TrimSuffix(strings.Trim(p.Template, "/"), ".md") + ".md"
}

// New returns a new note of a day, made of a template.
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
	if strings.TrimSpace(format) == "" {
		return otherwise
	}
	return strings.TrimSpace(format)
}
