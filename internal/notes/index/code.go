package index

import (
	"context"
	"path"
	"slices"
	"strings"

	"parley/internal/notes/code"
)

// codeEndings lists the endings of code files. Settings files are left out because they
// often hold secrets.
var codeEndings = strings.Fields(
	".go .py .js .jsx .mjs .ts .tsx .java .kt .scala .c .h .cc .cpp .hpp .cs .rs .rb .php .swift .lua .pl .sh .bash .sql " +
		".r .ex .exs .erl .hs .ml .clj .dart .zig .nim .vue .svelte .html .css .proto .graphql .tf .md .markdown")

// window is how many lines of code without a definition make one section.
const window = 60

// parseCode cuts a file of code at the symbols it defines. data is valid UTF-8.
func parseCode(name, data string, all []code.Symbol) indexed {
	return indexed{title: path.Base(name), symbols: all, sections: codeSections(strings.Split(data, "\n"), all)}
}

// defines lists the symbols of a file of code: with universal-ctags where it is
// installed, except for Go, whose own parser knows more; else with package code.
func (v *Vault) defines(ctx context.Context, name, data string) []code.Symbol {
	if v.o.Tags != nil && path.Ext(name) != ".go" {
		all, err := v.o.Tags.List(ctx, name, data)
		if err == nil && len(all) > 0 {
			return all
		}
		if err != nil && ctx.Err() == nil {
			v.o.Log.Warn("ctags cannot read a file", "path", name, "err", err)
		}
	}
	return code.List(name, data)
}

// ownReader is the version of code.List: change both together.
const ownReader = "own 2"

// reader names the programs that read code.
func (v *Vault) reader() string {
	if v.o.Tags != nil {
		return ownReader + ", " + v.o.Tags.About()
	}
	return ownReader
}

// anew marks all code to be read again if another program read it before.
func (v *Vault) anew(ctx context.Context) error {
	by := v.reader()
	return v.using(func(ix *index) error {
		return ix.write(ctx, func(p *put) {
			p.exec("UPDATE docs SET mtime = 0, hash = x'' WHERE kind = 'code' AND (SELECT parser FROM meta) <> ?", by)
			p.exec("UPDATE meta SET parser = ? WHERE parser <> ?", by, by)
		})
	})
}

// codeSections cuts code at definitions, each with the comment above it. Code without
// definitions is cut into windows of lines.
func codeSections(lines []string, defined []code.Symbol) (all []section) {
	add := func(heading, trail string, from, to int) {
		for at := from; at < to; at += window {
			end := to
			if heading == "" {
				end = min(to, at+window)
			}
			for _, p := range cut(lines, at, end) {
				p.heading, p.trail = heading, trail
				all = append(all, p)
			}
			if end == to {
				break
			}
		}
	}
	from, heading, trail := 0, "", ""
	for _, s := range defined {
		if s.Minor || s.Line > len(lines) {
			continue
		}
		begin := max(from, comment(lines, s.Line-1))
		if begin == from && heading != "" {
			continue // more than one in a line
		}
		add(heading, trail, from, begin)
		from, heading, trail = begin, s.Name, s.Owner
	}
	add(heading, trail, from, len(lines))
	if len(all) == 0 {
		all = append(all, section{line: 1})
	}
	return all
}

// remarks begin lines that belong to the definition below them.
var remarks = []string{"//", "#", "/*", "*", "--", "@", ";", "\"\"\""}

// comment returns the first line of the comment right above line i.
func comment(lines []string, i int) int {
	for i > 0 {
		above := strings.TrimSpace(lines[i-1])
		if above == "" || !slices.ContainsFunc(remarks, func(r string) bool { return strings.HasPrefix(above, r) }) {
			break
		}
		i--
	}
	return i
}
