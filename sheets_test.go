package parley_test

import (
	"go/ast"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"golang.org/x/net/html"

	"parley/config"
)

// sheets are the templates of the control page.
const sheets = "internal/app/console/templates/*.html"

// speaking are the functions of templates whose first argument are words for people;
// the last one of many is a thing that is counted.
var speaking = []string{"t", "say", "rich"}

// stored are the types whose values are stored as words and shown in the reader's
// language, by their files.
var stored = map[string][]string{
	"internal/chat/outcome.go": {"Outcome", "Reason"}, "internal/memory/handoff/handoff.go": {"State"},
	"internal/memory/sessions.go": {"Status"}, "internal/tools/run.go": {"State"},
}

// parsed returns each template file by its name.
func parsed(t *testing.T) map[string]*parse.Tree {
	t.Helper()
	files, err := filepath.Glob(sheets)
	if err != nil || len(files) == 0 {
		t.Fatalf("there is nothing like %s: %v", sheets, err)
	}
	all := map[string]*parse.Tree{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := map[string]*parse.Tree{}
		tree := parse.New(file)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(string(body), "", "", set); err != nil {
			t.Fatal(err)
		}
		for name, one := range set {
			all[file+": "+name] = one
		}
	}
	return all
}

// collectSheets takes the words of the templates, and of the settings that their pages
// explain.
func collectSheets(t *testing.T, words, things map[string]string) {
	t.Helper()
	for place, tree := range parsed(t) {
		visit(tree.Root, func(n parse.Node) {
			c, ok := n.(*parse.CommandNode)
			if !ok || len(c.Args) < 2 {
				return
			}
			fun, ok := c.Args[0].(*parse.IdentifierNode)
			if !ok {
				return
			}
			if said, ok := c.Args[1].(*parse.StringNode); ok && slices.Contains(speaking, fun.Ident) {
				words[said.Text] = place
			}
			if thing, ok := c.Args[len(c.Args)-1].(*parse.StringNode); ok && fun.Ident == "many" {
				things[thing.Text] = place
			}
		})
	}
	for _, s := range config.Settings() {
		if s.Change == config.ByChat {
			words[s.Doc] = "config/config.go " + s.Path
		}
	}
}

// collectStored takes the values of the types that are stored.
func collectStored(s source, words map[string]string) {
	types := stored[s.path]
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || types == nil {
			continue
		}
		for _, spec := range g.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || v.Type == nil || !slices.Contains(types, exprName(v.Type)) {
				continue
			}
			for _, value := range v.Values {
				if said, ok := literal(value); ok {
					words[said] = s.path + " " + v.Names[0].Name
				}
			}
		}
	}
}

// visit calls f with each node of a template.
func visit(n parse.Node, f func(parse.Node)) {
	branch := func(b parse.BranchNode) {
		visit(b.Pipe, f)
		visit(b.List, f)
		if b.ElseList != nil {
			visit(b.ElseList, f)
		}
	}
	f(n)
	switch n := n.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			visit(one, f)
		}
	case *parse.ActionNode:
		visit(n.Pipe, f)
	case *parse.PipeNode:
		for _, one := range n.Cmds {
			visit(one, f)
		}
	case *parse.CommandNode:
		for _, one := range n.Args {
			visit(one, f)
		}
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			visit(n.Pipe, f)
		}
	}
}

// bare are what templates may say in every language.
var bare = []string{"p95"}

// TestTemplatesSpeakAllLanguages: what people read on the page, or hear of it, goes
// through the catalogs.
func TestTemplatesSpeakAllLanguages(t *testing.T) {
	for place, tree := range parsed(t) {
		var page strings.Builder
		visit(tree.Root, func(n parse.Node) {
			if text, ok := n.(*parse.TextNode); ok {
				page.Write(text.Text)
			}
		})
		for _, said := range saidIn(page.String()) {
			if strings.ContainsFunc(said, isLetter) && !slices.Contains(bare, said) {
				t.Errorf("%s says %q in every language: write {{t %q}}", place, said, said)
			}
		}
	}
	if said := saidIn(`<p aria-label="one">two <code>three</code></p>`); len(said) != 2 {
		t.Errorf("this test finds %q", said)
	}
}

// saidIn returns the texts of a page, and what is read out where there is none.
func saidIn(page string) (all []string) {
	code := 0
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				all = append(all, z.Err().Error())
			}
			return all
		}
		token := z.Token()
		switch {
		case kind == html.TextToken && code == 0:
			if said := strings.TrimSpace(token.Data); said != "" {
				all = append(all, said)
			}
		case token.Data == "code" && kind == html.StartTagToken:
			code++
		case token.Data == "code" && kind == html.EndTagToken:
			code--
		}
		for _, a := range token.Attr {
			if slices.Contains([]string{"aria-label", "placeholder", "title", "alt", "data-label"}, a.Key) {
				all = append(all, a.Val)
			}
		}
	}
}
