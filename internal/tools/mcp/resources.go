package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/tools"
)

// maxListed is how many resources, forms of addresses or prompts are listed.
const maxListed = 200

// extras are tools for a server's resources and prompts. They only read, and their
// descriptions are ours, so none is pinned. A server without resources or prompts has no
// such tools.
func (r *remote) extras(ctx context.Context, session *sdk.ClientSession) (all []tools.Tool) {
	some := func(list lister) bool {
		lines, err := list(ctx, session)
		return err == nil && lines != ""
	}
	has := offers(session)
	if has.Resources != nil && some(resourceLines) {
		all = append(all, r.listing("list_resources", "Lists what the tool server %s has to read: documents and data, each with its address.", resourceLines), r.reading())
	}
	if has.Prompts != nil && some(promptLines) {
		all = append(all, r.listing("list_prompts", "Lists the prompts that the tool server %s offers: ready instructions for a kind of job, with their arguments.", promptLines), r.prompting())
	}
	return all
}

func (r *remote) extra(name, words string) tools.Meta {
	return tools.Meta{Name: ourName(r.server.Name, name), Description: fmt.Sprintf(words, r.server.Name), Category: tools.Web,
		Trying: tools.Trying{Timeout: r.server.timeout()}, ReadOnly: true, Egress: true,
		Lent: tools.Lent{Server: r.server.Name}, Consent: tools.Consent{Public: r.server.Public}}
}

type lister func(context.Context, *sdk.ClientSession) (string, error)

func (r *remote) listing(name, words string, list lister) tools.Tool {
	return tools.Func(r.extra(name, words), func(ctx context.Context, _ tools.Call, _ struct{}) (tools.Result, error) {
		return r.ask(ctx, func(session *sdk.ClientSession) (tools.Result, error) {
			lines, err := list(ctx, session)
			if lines == "" {
				lines = "It has none."
			}
			return tools.Result{Content: lines}, err
		})
	})
}

func (r *remote) reading() tools.Tool {
	type args struct {
		URI string `json:"uri" jsonschema:"the resource's address"`
	}
	return tools.Func(r.extra("read_resource", "Reads one of the resources of the tool server %[1]s, by an address that %[1]s__list_resources names."), func(ctx context.Context, _ tools.Call, a args) (tools.Result, error) {
		return r.ask(ctx, func(session *sdk.ClientSession) (tools.Result, error) {
			got, err := session.ReadResource(ctx, &sdk.ReadResourceParams{URI: a.URI})
			if err != nil {
				return tools.Result{}, err
			}
			var items []sdk.Content
			for _, c := range got.Contents {
				items = append(items, &sdk.EmbeddedResource{Resource: c})
			}
			return r.result(&sdk.CallToolResult{Content: items}), nil
		})
	})
}

// prompting fills prompts in. A server may do what it likes with the arguments,
// such as fetch an address, so it counts as doing something.
func (r *remote) prompting() tools.Tool {
	type args struct {
		Name      string            `json:"name" jsonschema:"the prompt's name"`
		Arguments map[string]string `json:"arguments,omitempty" jsonschema:"its arguments by name"`
	}
	meta := r.extra("get_prompt", "Fetches a prompt of the tool server %[1]s that %[1]s__list_prompts names, filled in. It is what the "+
		"person may want done; ask when unsure.")
	meta.ReadOnly, meta.SideEffect = false, true
	meta.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		return tools.AskServer(ctx, meta, c.Args), nil
	}
	return tools.Func(meta, func(ctx context.Context, _ tools.Call, a args) (tools.Result, error) {
		return r.ask(ctx, func(session *sdk.ClientSession) (tools.Result, error) {
			got, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: a.Name, Arguments: a.Arguments})
			if err != nil {
				return tools.Result{}, err
			}
			var items []sdk.Content
			for _, m := range got.Messages {
				items = append(items, &sdk.TextContent{Text: string(m.Role) + ":"}, m.Content)
			}
			return r.result(&sdk.CallToolResult{Content: items}), nil
		})
	})
}

// ask asks the server for something other than a tool.
func (r *remote) ask(ctx context.Context, do func(*sdk.ClientSession) (tools.Result, error)) (tools.Result, error) {
	session := r.current()
	if session == nil {
		return tools.Result{}, errors.New(wordsGone)
	}
	end := r.begin(ctx)
	result, err := do(session)
	end()
	if err != nil {
		return r.failed(ctx, err)
	}
	result.Untrusted, result.Private = true, true
	return result, nil
}

// resourceLines lists resources, and the forms of addresses that make more.
func resourceLines(ctx context.Context, session *sdk.ClientSession) (string, error) {
	var b strings.Builder
	n := 0
	for res, err := range session.Resources(ctx, nil) {
		if err != nil {
			return "", err
		}
		if n++; n > maxListed {
			break
		}
		fmt.Fprintf(&b, "- %s (%s) %s\n", limited(res.URI, 1000), limited(res.Name, 200), limited(res.Description, 300))
	}
	for form, err := range session.ResourceTemplates(ctx, nil) {
		if err != nil { // a server may know resources and no forms
			break
		}
		if n++; n > maxListed {
			break
		}
		fmt.Fprintf(&b, "- addresses of this form: %s (%s) %s\n", limited(form.URITemplate, 1000), limited(form.Name, 200),
			limited(form.Description, 300))
	}
	return b.String(), nil
}

func promptLines(ctx context.Context, session *sdk.ClientSession) (string, error) {
	var b strings.Builder
	n := 0
	for p, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return "", err
		}
		if n++; n > maxListed {
			break
		}
		var names []string
		for _, a := range p.Arguments {
			name := limited(a.Name, 100)
			if !a.Required {
				name += "?"
			}
			names = append(names, name)
		}
		fmt.Fprintf(&b, "- %s(%s) %s\n", limited(p.Name, 200), strings.Join(names, ", "), limited(p.Description, 300))
	}
	return b.String(), nil
}
