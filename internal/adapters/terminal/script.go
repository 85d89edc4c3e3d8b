package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
)

// reply is one answer as a program reads it: an object on a line of its own.
// docs/platforms.md describes its fields.
type reply struct {
	To      string   `json:"to,omitempty"` // the line it answers; none if nobody asked
	Text    string   `json:"text"`         // Markdown
	Choices []choice `json:"choices,omitempty"`
	Files   []saved  `json:"files,omitempty"`
	Seconds float64  `json:"seconds"`
	began   time.Time
}

// choice is a button: its number is what to say next, or it only opens a page.
type choice struct {
	Number int    `json:"number,omitempty"`
	Label  string `json:"label"`
	URL    string `json:"url,omitempty"`
}

// saved is a file of an answer.
type saved struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Path  string `json:"path,omitempty"` // none if it was not saved
}

// collect adds a part to the answer to its message, or prints what nobody asked for.
// The caller holds mu.
func (a *Adapter) collect(p chat.Part, id string) error {
	r := a.replies[p.Origin]
	unasked := r == nil
	if unasked {
		r = &reply{began: a.o.Now()}
	}
	if text := clean(p.Text); r.Text == "" {
		r.Text = text
	} else if text != "" {
		r.Text += "\n\n" + text
	}
	for _, f := range p.Files {
		name, path := a.save(f)
		r.Files = append(r.Files, saved{name, len(f.Data), path})
	}
	if len(p.Buttons) > 0 {
		a.choose(p.Buttons, id)
		r.Choices = nil
		number := 0
		for _, b := range slices.Concat(p.Buttons...) {
			c := choice{Label: oneLine(b.Label), URL: b.URL}
			if b.URL == "" {
				number++
				c.Number = number
			}
			r.Choices = append(r.Choices, c)
		}
	}
	if !unasked {
		return nil
	}
	return a.printReply(r)
}

func (a *Adapter) printReply(r *reply) error {
	r.Seconds = a.o.Now().Sub(r.began).Round(time.Millisecond).Seconds()
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("terminal: answer as JSON: %w", err)
	}
	_, err := io.Copy(a.o.Out, &line)
	return err
}

// said reads a line of a program: text, or an object with a text, which may then
// have line breaks.
func said(line string) string {
	var o struct {
		Text *string `json:"text"`
	}
	if !strings.HasPrefix(strings.TrimSpace(line), "{") {
		return line
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if d.Decode(&o) != nil || o.Text == nil || d.More() {
		return line
	}
	return *o.Text
}
