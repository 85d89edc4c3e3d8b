package facts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/text"
)

// Record is a fact outside the database. In a facts file people read and edit content and
// tags; an Obsidian comment after them holds the rest, so that nothing is lost.
type Record struct {
	Content    string    `json:"content,omitempty"`
	Tags       []string  `json:"tags,omitempty"`
	ID         int64     `json:"id,omitempty"`     // its key, by which the facts file is kept in step; nowhere else
	Number     int64     `json:"number,omitempty"` // as its person knows it
	Type       string    `json:"type,omitempty"`
	Author     string    `json:"author,omitempty"`
	Where      string    `json:"where,omitempty"` // platform:channel in which it was said
	Session    string    `json:"session,omitempty"`
	MessageID  string    `json:"message,omitempty"`
	Quote      string    `json:"quote,omitempty"`
	Confidence float64   `json:"confidence,omitempty"`
	Previous   string    `json:"previous,omitempty"`
	Created    time.Time `json:"created,omitzero"`
	Updated    time.Time `json:"updated,omitzero"`

	Holding

	line int
}

// Holding says how firmly a fact stands, until when, and for which agent.
type Holding struct {
	Rank  Rank      `json:"rank,omitempty"`  // 0 depends on the author
	Ends  time.Time `json:"ends,omitzero"`   // zero means never
	Agent string    `json:"agent,omitempty"` // that was told; "" is the only agent
}

// same reports whether two records look the same to a person.
func (r Record) same(o Record) bool {
	return r.Content == o.Content && slices.Equal(r.Tags, o.Tags)
}

func recordOf(f Fact) Record {
	return Record{
		Content: f.Content, Tags: f.Tags, ID: f.ID, Number: f.Number, Type: f.Type, Author: f.Author, Where: f.Key.String(), Session: f.Session,
		MessageID: f.MessageID, Quote: f.Quote, Confidence: f.Confidence, Previous: f.Previous, Created: f.Created,
		Updated: f.Updated, Holding: Holding{f.Rank, f.Ends, f.Agent},
	}
}

// Records converts facts for a person: without keys, which count everybody's rows.
func Records(list []Fact) []Record {
	out := make([]Record, len(list))
	for i, f := range list {
		out[i] = recordOf(f)
		out[i].ID = 0
	}
	return out
}

// Headings of a facts file.
const (
	headFacts     = "# Key Facts"
	headImportant = "## Important"
	headRecent    = "## Recent"
	headPast      = "## Past" // no longer hold
	headConflicts = "## Conflicts"
)

// Render renders facts as a note for Obsidian: frontmatter, important facts, the others,
// those that no longer hold at now, and conflicts, which are lines for people. It keeps the
// order of list.
func Render(subject string, list []Record, conflicts []string, now time.Time) string {
	var b strings.Builder
	created, modified := time.Time{}, time.Time{}
	for _, r := range list {
		if created.IsZero() || r.Created.Before(created) {
			created = r.Created
		}
		if r.Updated.After(modified) {
			modified = r.Updated
		}
	}
	fmt.Fprintf(&b, "---\ntype: memory\nsubject: %q\n", subject)
	if len(list) > 0 {
		fmt.Fprintf(&b, "created: %s\nmodified: %s\n", created.UTC().Format(time.RFC3339), modified.UTC().Format(time.RFC3339))
	}
	b.WriteString("---\n\n" + headFacts + "\n")
	sections := map[string][]string{}
	for _, r := range list {
		head := r.section(now)
		sections[head] = append(sections[head], r.text(head != headImportant)+"\n")
	}
	for _, head := range []string{headImportant, headRecent, headPast} {
		if lines := sections[head]; len(lines) > 0 || head != headPast {
			b.WriteString("\n" + head + "\n\n" + strings.Join(lines, ""))
		}
	}
	if len(conflicts) > 0 {
		b.WriteString("\n" + headConflicts + "\n\n- " + strings.Join(conflicts, "\n- ") + "\n")
	}
	return b.String()
}

func (r Record) section(now time.Time) string {
	switch {
	case Fact{Ends: r.Ends}.Past(now):
		return headPast
	case slices.Contains(r.Tags, shortTag):
		return headImportant
	}
	return headRecent
}

// text returns the line of a record.
func (r Record) text(dated bool) string {
	line := "- "
	if dated {
		line += "[" + r.Updated.UTC().Format(time.DateOnly) + "] "
	}
	line += r.Content
	for _, t := range r.Tags {
		line += " " + t
	}
	rest := r
	rest.Content, rest.Tags = "", nil
	b, _ := json.Marshal(rest)                                                  // cannot fail
	return line + " %%" + strings.ReplaceAll(string(b), "%%", `%\u0025`) + "%%" // only its end may be %%
}

var datedLine = text.Pattern(`^\[\d{4}-\d{2}-\d{2}\] `)

// File is a parsed facts file.
type File struct {
	Subject   string // "" if the file does not say
	Facts     []Record
	Conflicts []string
}

// maxLines is how many facts a file may hold.
const maxLines = 100_000

// Parse parses a facts file. Errors name the line.
func Parse(text string) (f File, err error) {
	if i := notText(text); i >= 0 {
		return f, fmt.Errorf("line %d: it is not UTF-8: save it as UTF-8 in your editor", strings.Count(text[:i], "\n")+1)
	}
	section, n, front, seen := "", 0, false, false
	scan := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		n++
		line := strings.TrimRight(scan.Text(), " \t\r")
		switch {
		case line == "---" && (n == 1 || front):
			front = !front
		case front:
			if v, ok := strings.CutPrefix(line, "subject:"); ok {
				f.Subject = strings.Trim(strings.TrimSpace(v), `"`)
			}
		case line == "" || line == "-":
		case line == headFacts:
			seen = true
		case line == headImportant || line == headRecent || line == headPast || line == headConflicts:
			section = line
		case strings.HasPrefix(line, "- ") && section == headConflicts:
			f.Conflicts = append(f.Conflicts, line[2:])
		case strings.HasPrefix(line, "- ") && section != "":
			if len(f.Facts) == maxLines {
				return File{}, fmt.Errorf("line %d: it holds more than %d facts, which is the limit", n, maxLines)
			}
			r, err := readFact(line[2:], section)
			if err != nil {
				return File{}, fmt.Errorf("line %d: %w", n, err)
			}
			r.line = n
			f.Facts = append(f.Facts, r)
		default:
			return File{}, fmt.Errorf("line %d: %.60q is not a fact: facts are lines that begin with \"- \", below %q or %q",
				n, line, headImportant, headRecent)
		}
	}
	if err := scan.Err(); err != nil {
		return File{}, fmt.Errorf("line %d: %w", n+1, err)
	}
	if !seen {
		return File{}, fmt.Errorf("line %d: there is no heading %q: this is not a facts file", max(n, 1), headFacts)
	}
	return f, nil
}

// notText returns the offset of the first byte that is not UTF-8, or is 0 as in UTF-16 and
// in files after a crash; -1 for none.
func notText(text string) int {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == 0 || r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return -1
}

func readFact(line, section string) (r Record, err error) {
	if rest, ok := strings.CutSuffix(line, "}%%"); ok {
		i := strings.LastIndex(rest, "%%{")
		if i < 0 {
			return r, fmt.Errorf("the comment between %%%% has no beginning")
		}
		if err := json.Unmarshal([]byte(rest[i+2:]+"}"), &r); err != nil {
			return r, fmt.Errorf("the comment between %%%% is broken: %w", err)
		}
		line = strings.TrimSpace(rest[:i])
	} else if strings.Contains(line, `%%{"`) {
		return r, errors.New("the comment between %% has no end")
	}
	line = datedLine().ReplaceAllString(line, "")
	f := NewFact{Content: line, Type: r.Type, Author: r.Author, Confidence: r.Confidence, Worth: Worth{Rank: r.Rank}}
	if section == headImportant {
		f.Tags = []string{shortTag}
	}
	if err := f.normalize(); err != nil {
		return r, err
	}
	r.Content, r.Tags, r.Type, r.Author, r.Confidence, r.Rank = f.Content, f.Tags, f.Type, f.Author, f.Confidence, f.Rank
	return r, nil
}
