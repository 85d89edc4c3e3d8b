package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/tools"
)

// configVerbs are the verbs of config beyond access.
func (a *app) configVerbs(f *front) []admin.Command {
	return []admin.Command{
		{Name: "show", Help: "What holds here, and the settings in force", Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return a.runConfigShow(ctx, f, r)
		}},
		{Name: "set", Help: "Change a setting now and for good", Run: a.runConfigSet, Options: []admin.Option{
			{Name: "name", Help: "such as session.ttl", Required: true, Suggest: suggestTunable},
			{Name: "value", Help: "as in the settings file, or default to take it back", Required: true},
		}},
		{Name: "tools", Help: "Which tools I use in this channel", Who: admin.Admin, Run: a.runConfigTools, Options: []admin.Option{
			{Name: "names", Help: "names with commas between, none, or default for all", Suggest: a.suggestTools},
		}},
	}
}

func suggestTunable(_ context.Context, _ chat.Message, prefix string) (paths []string) {
	for _, p := range tunable {
		if strings.HasPrefix(p, strings.ToLower(prefix)) {
			paths = append(paths, p)
		}
	}
	return paths
}

func (a *app) runConfigShow(ctx context.Context, f *front, r admin.Request) (chat.Answer, error) {
	here, err := f.gate.Here(ctx, r.Message)
	if err != nil {
		return chat.Answer{}, err
	}
	p, err := a.store.Policy(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	a.tuned.mu.Lock()
	defer a.tuned.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", here, toolsWords(p.Tools))
	for _, path := range slices.Sorted(maps.Keys(a.tuned.set)) {
		given, _ := a.tuned.given.Get(path)
		fmt.Fprintf(&b, wordsTuned+"\n", path, a.tuned.set[path], given)
	}
	b.WriteString(codeBlock("", strings.TrimSpace(a.inForce.Load().String())))
	return chat.Answer{Text: b.String()}, nil
}

func (a *app) runConfigSet(ctx context.Context, r admin.Request) (chat.Answer, error) {
	path, value := strings.ToLower(r.Args["name"]), strings.TrimSpace(r.Args["value"])
	if !slices.Contains(tunable, path) {
		return chat.Answer{Text: fmt.Sprintf(wordsNotTunable, path, strings.Join(tunable, ", "))}, nil
	}
	was, _ := a.inForce.Load().Get(path)
	now, err, broken := a.tune(ctx, path, value)
	if broken != nil {
		return chat.Answer{}, broken
	}
	if err != nil {
		return chat.Answer{Text: fmt.Sprintf(wordsNotTuned, err)}, nil
	}
	a.log.Info("setting changed", "setting", path, "value", now, "by", r.Message.From.ID)
	return chat.Answer{Text: fmt.Sprintf(wordsSet, path, now, was)}, nil
}

// separators stand between names of tools.
func separators(r rune) bool { return r == ',' || r == ' ' }

func (a *app) runConfigTools(ctx context.Context, r admin.Request) (chat.Answer, error) {
	p, err := a.store.Policy(ctx, r.Message.Key)
	if err != nil {
		return chat.Answer{}, err
	}
	names := strings.FieldsFunc(strings.ToLower(r.Args["names"]), separators)
	switch {
	case len(names) == 0:
		return chat.Answer{Text: toolsWords(p.Tools)}, nil
	case slices.Equal(names, []string{"default"}):
		p.Tools = nil
	case slices.Equal(names, []string{"none"}):
		p.Tools = []string{}
	default:
		for _, name := range names {
			if _, ok := a.toolset.all().Lookup(name); !ok {
				return chat.Answer{Text: fmt.Sprintf(wordsNoTool, name)}, nil
			}
		}
		p.Tools = names
	}
	if err := a.store.SetPolicy(ctx, r.Message.Key, p); err != nil {
		return chat.Answer{}, err
	}
	a.log.Info("tools of a channel changed", "place", r.Message.Key.String(), "by", r.Message.From.ID)
	return chat.Answer{Text: toolsWords(p.Tools)}, nil
}

// toolsWords says which tools are used in a channel.
func toolsWords(names []string) string {
	switch {
	case names == nil:
		return wordsToolsAll
	case len(names) == 0:
		return wordsToolsNone
	}
	return fmt.Sprintf(wordsToolsOnly, strings.Join(names, ", "))
}

// suggestTools completes the last of several names.
func (a *app) suggestTools(ctx context.Context, m chat.Message, typed string) []string {
	last := strings.LastIndexFunc(typed, separators) + 1
	list := a.suggestTool(ctx, m, typed[last:])
	for i := range list {
		list[i] = typed[:last] + list[i]
	}
	return list
}

// toolsHere is what may be used where m was written.
func (a *app) toolsHere(ctx context.Context, m chat.Message) (tools.Set, error) {
	p, err := a.store.Policy(ctx, m.Key)
	if err != nil || p.Tools == nil {
		return a.toolset.now(), err
	}
	return a.toolset.only(p.Tools), nil
}
