package app

import (
	"context"
	_ "embed" // prompts
	"fmt"

	"parley/config"
	"parley/internal/agent"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

//go:embed librarian.md
var librarianPrompt string

// librarian returns the helper that tidies notes: it plans with read-only tools, the
// person agrees, and it carries out the plan.
func (n *notes) librarian() tools.Tool {
	type args struct {
		Task string `json:"task" jsonschema:"what is to be tidied, in the person's words"`
	}
	plan, do := tools.LibrarianTools()
	with := func(list []string) agent.Subagent { // a new one for each job: jobs run in parallel
		return agent.Subagent{Name: tools.Librarian, Prompt: librarianPrompt, Tools: list, MaxTurns: 10,
			Model: n.models.routed(config.PurposeLibrarian)}
	}
	meta := tools.Meta{
		Name: tools.Librarian, Category: tools.Vault, Scope: []string{""}, SideEffect: true, Consent: tools.Consent{Confirm: true},
		Trying: tools.Trying{Timeout: tools.MaxTimeout},
		Description: "Let the librarian tidy, sort, merge or index the notes of the assistant's own folder. It shows its " +
			"plan first and asks the person; call it once with the whole job.",
	}
	meta.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		if err := n.mayTidy(ctx, c); err != nil {
			return "", err
		}
		r, err := n.mind.Of(c.Memory.ID).Delegate(ctx, with(plan), c, fmt.Sprintf("Make a plan for this job, and change nothing yet: %s", c.Args))
		if err != nil {
			return "", err
		}
		if err := n.store.Settings.SetSetting(ctx, planSetting+c.Key, r.Content); err != nil {
			return "", err
		}
		return text.ExactBlock(r.Content) + "\n\n" + catalog.Text(ctx, "Shall the librarian do this?"), nil
	}
	return tools.Func(meta, func(ctx context.Context, c tools.Call, in args) (tools.Result, error) {
		if err := n.mayTidy(ctx, c); err != nil {
			return tools.Result{}, err
		}
		agreed, err := n.store.Settings.Setting(ctx, planSetting+c.Key)
		if err != nil {
			return tools.Result{}, err
		}
		if agreed == "" {
			return tools.Result{}, text.Tell("That plan is no longer there. Ask for a new one.")
		}
		if err := n.store.Settings.SetSetting(ctx, planSetting+c.Key, ""); err != nil {
			return tools.Result{}, err
		}
		return n.mind.Of(c.Memory.ID).Delegate(ctx, with(do), c, fmt.Sprintf("The job: %s\n\nThe plan, which the person has agreed to. Carry it out:\n%s", in.Task, agreed))
	})
}

// planSetting is the prefix of the row with a plan awaiting a yes; the call's key follows.
const planSetting = memory.Passing + "librarian:"

func (n *notes) mayTidy(ctx context.Context, c tools.Call) error {
	if n.cfg.Vault.Readers == "owner" && !n.people.isOwner(ctx, c) {
		return text.Tell("The notes are not for everybody: only my owner may have them tidied.")
	}
	if !n.mayWrite(ctx, c) {
		return text.Tell("Only people whom my owner allows to write notes can do that.")
	}
	return nil
}
