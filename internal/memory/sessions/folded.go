package sessions

import (
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// Folded is the result of a summarizer.
type Folded struct {
	Summary   string
	Title     string
	Decisions []string
	Keep      []string // lines that matter beyond the session
	Outdated  []int    // numbers of carried lines that no longer hold, from 1
	Facts     []Learnt
	Prose     bool // the summarizer wrote no JSON; Summary is its text
}

// Learnt is a fact that a summarizer found.
type Learnt struct {
	Person  string `json:"person"`
	Content string `json:"content"`
	Quote   string `json:"quote"`
	Type    string `json:"type"`
}

// FoldSchema describes a Folded to a model.
var FoldSchema = &llm.Schema{Name: "folded", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,
"required":["summary","title","decisions","keep","outdated","facts"],"properties":{
"summary":{"type":"string"},"title":{"type":"string"},"decisions":{"type":"array","items":{"type":"string"}},
"keep":{"type":"array","items":{"type":"string"}},"outdated":{"type":"array","items":{"type":"integer"}},
"facts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["person","content","quote","type"],
"properties":{"person":{"type":"string"},"content":{"type":"string"},"quote":{"type":"string"},"type":{"type":"string"}}}}}}`)}

// maxObjects limits the places in an answer at which an object is tried.
const maxObjects = 8

// ReadFolded finds the JSON object in the answer of a summarizer. There may be words before
// it or a fence around it, fields may have wrong types, and the end may be missing. ok is
// false if there is no object with a summary.
func ReadFolded(said string) (f Folded, ok bool) {
	rest := said
	for range maxObjects {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			return f, false
		}
		rest = rest[at:]
		if f, ok = decodeFolded(rest); ok {
			return f, true
		}
		rest = rest[1:]
	}
	return f, false
}

// decodeFolded reads the object at the beginning of a text, whole or cut short.
func decodeFolded(s string) (f Folded, ok bool) {
	var fields map[string]json.RawMessage
	if json.NewDecoder(strings.NewReader(s)).Decode(&fields) != nil {
		fields = nil
		for end := len(s); end > 0 && fields == nil; end = strings.LastIndexByte(s[:end], ',') {
			_ = json.Unmarshal([]byte(llm.WholeJSON(s[:end])), &fields) // else a shorter piece
		}
	}
	for name, v := range fields {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "summary":
			_ = json.Unmarshal(v, &f.Summary)
		case "title":
			_ = json.Unmarshal(v, &f.Title)
		case "decisions":
			f.Decisions = each[string](v)
		case "keep":
			f.Keep = each[string](v)
		case "outdated":
			f.Outdated = each[int](v)
		case "facts":
			f.Facts = each[Learnt](v)
		}
	}
	f.Summary, f.Title = strings.TrimSpace(f.Summary), strings.TrimSpace(f.Title)
	return f, f.Summary != ""
}

// each reads the items of a list that have a type, and skips others.
func each[T any](v json.RawMessage) (list []T) {
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // no list has no items
	for _, item := range items {
		var one T
		if json.Unmarshal(item, &one) == nil {
			list = append(list, one)
		}
	}
	return list
}

// Prose takes the answer of a summarizer as the summary itself, without fences, headings and
// introduction, and within most runes. ok is false if it says too little or is a broken
// object.
func Prose(said string, most int) (f Folded, ok bool) {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#`*>-"))
		if line = strings.ReplaceAll(line, "**", ""); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 1 && strings.HasSuffix(lines[0], ":") {
		lines = lines[1:]
	}
	words := strings.Join(lines, "\n")
	if strings.HasPrefix(words, "{") || strings.HasPrefix(words, "[{") || !Tells(words) {
		return f, false
	}
	return Folded{Summary: Squeeze(words, most), Prose: true}, true
}
