package app

import (
	"context"
	_ "embed" // prompts
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/internal/admin"
	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/setup"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/vault"
)

//go:embed librarian.md
var librarianPrompt string

// openVault opens the owner's folders of notes and code, if there are any.
func (a *app) openVault(ctx context.Context) (err error) {
	a.vault, err = setup.OpenVault(ctx, a.cfg, vault.Options{Embed: a.embeds(), Log: a.log, Now: a.now})
	return err
}

// followVault keeps the index up to date until ctx ends.
func (a *app) followVault(ctx context.Context) {
	if a.vault == nil {
		return
	}
	a.background(func() {
		if err := a.vault.Run(ctx); err != nil {
			a.log.Error("follow notes", "err", err)
		}
	})
}

// hasNotes says that there is a folder of notes, which can be written to.
func (a *app) hasNotes() bool {
	return a.cfg.Vault.Dir != "" || slices.ContainsFunc(a.vaultSources(), func(kind string) bool { return kind == vault.KindNotes })
}

func (a *app) vaultSources() (kinds []string) {
	for _, s := range a.cfg.Sources {
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

// notes is the vault as tools see it.
func (a *app) notes() tools.Notes {
	n := tools.Notes{Vault: a.vault, Code: slices.Contains(a.vaultSources(), vault.KindCode), Authors: a.store, Writes: a.mayWrite, Owner: a.owns}
	if a.cfg.Vault.Readers == "owner" {
		n.May = a.isOwner
	}
	bases := map[string]string{setup.NotesSource: a.cfg.Vault.BaseURL}
	for _, s := range a.cfg.Sources {
		bases[s.Name] = s.BaseURL
	}
	n.Link = func(source, path string, line int) string { return sourceLink(bases[source], path, line) }
	return n
}

// sourceLink puts a path behind the base address of its source, "" for none:
// where {path} stands in it, else at its end; and the line where {line} stands.
func sourceLink(base, path string, line int) string {
	if base == "" {
		return ""
	}
	if !strings.Contains(base, "{path}") {
		base = strings.TrimSuffix(base, "/") + "/{path}"
	}
	before, after, _ := strings.Cut(base, "{path}")
	at := escaped(path)
	if !strings.Contains(before, "?") { // folders of the address itself
		at = strings.ReplaceAll(at, "%2F", "/")
	}
	base = before + at + strings.ReplaceAll(after, "{path}", at)
	return strings.ReplaceAll(base, "{line}", strconv.Itoa(line))
}

// escaped is text for any place in an address. Not every program takes "+" for
// a space.
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// mayWrite says whether who calls may have notes written.
func (a *app) mayWrite(ctx context.Context, c tools.Call) bool {
	least := map[string]admin.Role{"everyone": admin.Member, "admins": admin.Admin, "owner": admin.Owner}[a.cfg.Vault.Writers]
	return a.roleOf(ctx, c) >= least
}

// owns says whether an id is an owner's.
func (a *app) owns(ctx context.Context, id string) bool {
	platform, _ := chat.CutID(id)
	return a.isOwner(ctx, tools.Call{Who: chat.User{ID: id}, Where: chat.Key{Platform: platform, Channel: id}, Direct: true})
}

// shelf is the notes as m's author may read them where m was written.
func (a *app) shelf(ctx context.Context, m chat.Message) (*tools.Shelf, error) {
	return a.notes().Shelf(ctx, m.From.ID, m.Direct)
}

// isOwner says whether who calls is an owner.
func (a *app) isOwner(ctx context.Context, c tools.Call) bool {
	return a.roleOf(ctx, c) >= admin.Owner
}

// roleOf is what who calls is, in the place of the call.
func (a *app) roleOf(ctx context.Context, c tools.Call) admin.Role {
	role, err := a.front.gate.Role(ctx, chat.Message{Key: c.Where, From: c.Who, Direct: c.Direct, Guild: c.Guild})
	if err != nil {
		a.log.Warn("role", "err", err)
	}
	return role
}

// vaultTools are the tools on notes and the librarian.
func (a *app) vaultTools() []tools.Tool {
	if a.vault == nil {
		return nil
	}
	list := tools.VaultTools(a.notes())
	if a.hasNotes() {
		list = append(list, a.librarian())
	}
	return list
}

// prefetched is how many passages are fetched before the model is asked.
const prefetched = 3

// prefetch finds notes that fit a message, nil when that is not wanted.
func (a *app) prefetch() func(context.Context, chat.Message) (tools.Result, error) {
	if a.vault == nil || !a.cfg.Vault.Prefetch {
		return nil
	}
	n := a.notes()
	return func(ctx context.Context, m chat.Message) (tools.Result, error) {
		if n.May != nil && !n.May(ctx, tools.CallOf(m)) {
			return tools.Result{}, nil
		}
		s, err := a.shelf(ctx, m)
		if err != nil {
			return tools.Result{}, err
		}
		hits, err := s.Search(ctx, vault.Query{Text: m.Text, Limit: prefetched})
		if errors.Is(err, vault.ErrNotReady) {
			return tools.Result{}, nil
		}
		if err != nil {
			return tools.Result{}, err
		}
		return s.Found(ctx, vault.KindNotes, hits)
	}
}

// cite checks an answer's marks.
func (a *app) cite(answer string, passages []string) (string, []int) {
	c := vault.Cite(answer, passages)
	return c.Text, c.Numbers
}

// librarian is the helper that tidies notes: it proposes a plan with tools that
// only read, the person says yes, and then it does what the plan says.
func (a *app) librarian() tools.Tool {
	type args struct {
		Task string `json:"task" jsonschema:"what is to be tidied, in the person's words"`
	}
	plan, do := tools.LibrarianTools()
	with := func(list []string) agent.Subagent { // one for each job: jobs run side by side
		return agent.Subagent{Name: tools.Librarian, Prompt: librarianPrompt, Tools: list, MaxTurns: 10, Model: a.cfg.Vault.LibrarianModel}
	}
	meta := tools.Meta{
		Name: tools.Librarian, Category: tools.Vault, Scope: []string{""}, SideEffect: true, Confirm: true, Timeout: tools.MaxTimeout,
		Description: "Let the librarian tidy, sort, merge or index the notes of the assistant's own folder. It shows its plan first and asks the person; call it once with the whole job.",
	}
	meta.Ask = func(ctx context.Context, c tools.Call) (string, error) {
		if err := a.mayTidy(ctx, c); err != nil {
			return "", err
		}
		r, err := a.agent.Delegate(ctx, with(plan), c, fmt.Sprintf(wordsPlan, c.Args))
		if err != nil {
			return "", err
		}
		if err := a.store.SetSetting(ctx, planSetting+c.Key, r.Content); err != nil {
			return "", err
		}
		return r.Content + "\n\n" + wordsPlanAsk, nil
	}
	return tools.Func(meta, func(ctx context.Context, c tools.Call, in args) (tools.Result, error) {
		if err := a.mayTidy(ctx, c); err != nil {
			return tools.Result{}, err
		}
		agreed, err := a.store.Setting(ctx, planSetting+c.Key)
		if err != nil {
			return tools.Result{}, err
		}
		if agreed == "" {
			return tools.Result{}, text.Tell(wordsPlanGone)
		}
		if err := a.store.SetSetting(ctx, planSetting+c.Key, ""); err != nil {
			return tools.Result{}, err
		}
		return a.agent.Delegate(ctx, with(do), c, fmt.Sprintf(wordsDo, in.Task, agreed))
	})
}

// planSetting is the row of a plan that waits for a yes, behind it the call.
const planSetting = memory.Passing + "librarian:"

func (a *app) mayTidy(ctx context.Context, c tools.Call) error {
	if a.cfg.Vault.Readers == "owner" && !a.isOwner(ctx, c) {
		return text.Tell(wordsNotesOwner)
	}
	if !a.mayWrite(ctx, c) {
		return text.Tell(wordsNotWriter)
	}
	return nil
}

// vaultState is the index in a sentence, for /status and doctor.
func (a *app) vaultState() (text string, ill bool) {
	st := a.vault.Status()
	text = fmt.Sprintf("%s, %s, %s", st.State, many(st.Documents, "document"), many(st.Sections, "section"))
	if a.embedder != nil {
		text += ", " + many(st.Vectors, "vector")
	}
	if st.State == vault.StateBuilding || st.State == vault.StateLoading {
		text += fmt.Sprintf(" (%d of %d files looked at)", st.Done, st.Total)
	}
	skipped, linked := 0, 0
	for _, s := range st.Sources {
		skipped += s.Skipped
		linked += s.Linked
	}
	if skipped > 0 {
		text += ", " + many(skipped, "file") + " skipped"
	}
	if linked > 0 {
		text += fmt.Sprintf(wordsLinked, linked)
	}
	if st.Err != "" {
		text += ": " + clip(st.Err, 200)
	}
	return text, st.Err != "" || st.State == vault.StateBroken
}
