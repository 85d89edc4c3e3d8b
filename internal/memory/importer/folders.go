package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"parley/internal/text"
)

// hermesFits reports whether files are Hermes Agent's: its memory, or lines with a role of
// their own, or whole conversations as lines.
func hermesFits(files []member, head []byte) bool {
	if holds(`(^|/)memories/(MEMORY|USER)\.md$`)(files, nil) {
		return true
	}
	line := jsonLine(head)
	if line == nil {
		return false
	}
	return jsonHas(line, "messages") && jsonHas(line, "source", "started_at", "session_id", "model") ||
		jsonHas(line, "role") && !jsonHas(line, "platform", "channel") // else JSON lines
}

// openClawFits reports whether files are OpenClaw's: its folders, its memory, or lines of an
// event log.
func openClawFits(files []member, head []byte) bool {
	if holds(`(^|/)agents/[^/]+/sessions/[^/]+\.jsonl$`)(files, nil) || holds(`(^|/)(MEMORY|USER)\.md$`)(files, nil) {
		return true
	}
	line := jsonLine(head)
	return line != nil && jsonHas(line, "type") && jsonHas(line, "id", "timestamp", "message") && !jsonHas(line, "platform")
}

// logLine is a line of a transcript: an event of OpenClaw, which holds its message, or a
// message of Hermes Agent.
type logLine struct {
	Type    lax             `json:"type"`
	ID      lax             `json:"id"`
	At      seconds         `json:"timestamp"`
	Message *logLine        `json:"message"`
	Role    lax             `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []any           `json:"tool_calls"`
}

func (r *reading) hermes(files []member) error {
	return r.folder(files, func(t *talk, raw []byte) error {
		var l logLine
		if json.Unmarshal(raw, &l) != nil {
			r.leave(KindForm)
			return nil
		}
		if l.Role == "session_meta" {
			r.leave(KindSystem)
			return nil
		}
		return r.logged(t, string(l.ID), l)
	})
}

func (r *reading) openClaw(files []member) error {
	return r.folder(files, func(t *talk, raw []byte) error {
		var l logLine
		switch {
		case json.Unmarshal(raw, &l) != nil:
			r.leave(KindForm)
			return nil
		case l.Type == "session":
			if l.ID != "" {
				t.id = string(l.ID)
			}
			t.began = l.At.time()
			return nil
		case l.Type != "message" || l.Message == nil:
			r.leave(KindSystem)
			return nil
		}
		if l.Message.At == 0 {
			l.Message.At = l.At
		}
		return r.logged(t, string(l.ID), *l.Message)
	})
}

// logged hands on a message of a transcript.
func (r *reading) logged(t *talk, id string, l logLine) error {
	switch l.Role {
	case roleUser, roleAssistant:
	case roleSystem:
		r.leave(KindSystem)
		return nil
	case roleTool, "toolResult", "tool_result", "function":
		r.leave(KindTool)
		return nil
	default:
		r.leaveNamed(kindRole, string(l.Role))
		return nil
	}
	r.leaveSome(KindTool, int64(len(l.Calls)))
	w := words{id: id, text: r.content(l.Content), at: l.At.time(), bot: l.Role == roleAssistant}
	if strings.TrimSpace(w.text) == "" && len(l.Calls) > 0 {
		return nil // it was counted
	}
	return r.say(t, w)
}

// folder reads transcripts line by line, and memory files.
func (r *reading) folder(files []member, line func(*talk, []byte) error) error {
	for _, m := range files {
		name := strings.TrimSuffix(m.base(), path.Ext(m.name))
		if path.Ext(m.name) == ".md" {
			if err := r.x.read(m, r.sum, func(in *bufio.Reader) error { return r.memoryFile(m, in) }); err != nil {
				return err
			}
			continue
		}
		t := &talk{id: name, title: "", began: began(name)}
		if err := r.x.read(m, r.sum, func(in *bufio.Reader) error {
			return eachLine(in, func(s string) error {
				raw := bytes.TrimSpace([]byte(s))
				switch {
				case len(raw) == 0:
					return nil
				case len(raw) < maxLine && jsonHas(raw[:min(len(raw), headBytes)], "messages"):
					return r.wholeTalk(raw, line)
				}
				return line(t, raw)
			})
		}); err != nil {
			return err
		}
	}
	return nil
}

// wholeTalk reads a conversation that is one line.
func (r *reading) wholeTalk(raw []byte, line func(*talk, []byte) error) error {
	var all struct {
		ID       lax               `json:"id"`
		Session  lax               `json:"session_id"`
		Title    lax               `json:"title"`
		Began    seconds           `json:"started_at"`
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(raw, &all) != nil {
		r.leave(KindForm)
		return nil
	}
	t := &talk{id: string(all.ID + all.Session), title: string(all.Title), began: all.Began.time()}
	for _, m := range all.Messages {
		if err := line(t, m); err != nil {
			return err
		}
	}
	return nil
}

// began is when a transcript begins by its name, such as 20260115_103000_ab12cd34; zero if it
// does not say.
func began(name string) time.Time {
	const layout = "20060102_150405"
	at, _ := time.Parse(layout, name[:min(len(name), len(layout))]) // a name need not be a time
	return at
}

// Proposal is what a memory file says of its owner: a fact once they say so.
type Proposal struct{ Text, Source string }

// Bounds of memory files.
const (
	mostProposals = 500
	longProposal  = 400 // characters: what is longer nobody can weigh in a list
)

// memoryFile reads what an assistant noted of its owner: entries between lines with a §, or
// the points and sentences of Markdown.
func (r *reading) memoryFile(m member, in *bufio.Reader) error {
	var entry []string
	paragraphs, code := false, false
	flush := func() {
		r.propose(m, strings.Join(entry, " "))
		entry = nil
	}
	err := eachLine(in, func(line string) error {
		line = strings.TrimSpace(readable(line))
		point := bullet().FindString(line)
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			flush()
		case code || strings.HasPrefix(line, "<!--"):
			r.leave(KindProposal)
		case line == "§":
			flush()
			paragraphs = true
		case line == "" && !paragraphs, strings.HasPrefix(line, "#"), strings.Trim(line, "-=*_ ") == "":
			flush()
		case point != "" && !paragraphs:
			flush()
			entry = []string{line[len(point):]}
		case len(entry) > longProposal:
			r.leave(KindProposal)
		default:
			entry = append(entry, line)
		}
		return nil
	})
	flush()
	return err
}

// bullet begins a point of a list.
var bullet = text.Pattern(`^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)

// propose keeps an entry of a memory file for its owner to confirm.
func (r *reading) propose(m member, entry string) {
	entry = text.Line(strings.NewReplacer("**", "", "__", "", "`", "").Replace(entry))
	entry = strings.Trim(entry, "_* ")
	switch {
	case entry == "" || slices.ContainsFunc(r.facts, func(p Proposal) bool { return p.Text == entry }):
		return
	case strings.HasSuffix(entry, ":") || len([]rune(entry)) > longProposal || len(r.facts) >= mostProposals:
		r.leave(KindProposal)
		return
	}
	r.facts = append(r.facts, Proposal{entry, m.base()})
}
