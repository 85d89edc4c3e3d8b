package code

import (
	"path"
	"strings"
)

// Symbol is a definition.
type Symbol struct {
	Name, Owner string // Owner is the type or the like that it belongs to, "" for none
	Line        int    // from 1
	// Minor ones are found by name like others, but cut a file into no parts: fields,
	// values of enumerations, variables.
	Minor bool
}

// maxSymbols is how many symbols of one file are listed.
const maxSymbols = 4000

// maxLine is how long a line is that people wrote, in bytes.
const maxLine = 1000

// List lists what a file defines, by its name, in the order of its lines. data is
// valid UTF-8.
func List(name, data string) []Symbol {
	lang := languageOf(name)
	if lang == golang {
		if all, ok := goSymbols(data); ok {
			return all
		}
	}
	masked := Mask(name, data)
	var all []Symbol
	switch lang {
	case python:
		all = pythonSymbols(masked)
	case cFamily, java, script, rust:
		all = braced(lang, data, masked)
	default:
		all = lineSymbols(strings.Split(data, "\n"))
	}
	return all[:min(len(all), maxSymbols)]
}

// language is a family of languages that write definitions alike.
type language int

const (
	other language = iota
	golang
	python
	cFamily
	java
	script // JavaScript and TypeScript
	rust
	shell // with comments behind #
	lisp  // no known comments
)

var languages = map[string]language{
	".go": golang, ".py": python, ".c": cFamily, ".h": cFamily, ".cc": cFamily, ".cpp": cFamily, ".hpp": cFamily,
	".java": java, ".cs": java, ".js": script, ".jsx": script, ".mjs": script, ".ts": script, ".tsx": script, ".rs": rust,
	".sh": shell, ".bash": shell, ".rb": shell, ".pl": shell, ".r": shell, ".ex": shell, ".exs": shell, ".tf": shell,
	".nim": shell, ".graphql": shell,
	".sql": lisp, ".lua": lisp, ".clj": lisp, ".hs": lisp, ".ml": lisp, ".erl": lisp, ".html": lisp, ".css": lisp,
	".vue": lisp, ".svelte": lisp,
}

func languageOf(name string) language { return languages[strings.ToLower(path.Ext(name))] }
