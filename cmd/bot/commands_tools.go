package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/admin"
	"parley/internal/chat"
)

func (a *app) toolVerbs() []admin.Command {
	name := admin.Option{Name: "name", Help: "name of the tool", Required: true, Suggest: a.suggestTool}
	return []admin.Command{
		{Name: "list", Help: "Every tool and whether it is on", Run: a.runToolList},
		{Name: "enable", Help: "Let it be used again", Options: []admin.Option{name}, Run: a.switchTool(true)},
		{Name: "disable", Help: "Do not use it any more", Options: []admin.Option{name}, Run: a.switchTool(false)},
		{Name: "servers", Help: "How the tool servers stand", Run: a.runServers},
		{Name: "approve", Help: "Use what a tool server has changed", Run: a.runApprove,
			Options: []admin.Option{{Name: "server", Help: "name of the tool server", Required: true, Suggest: a.suggestServer}}},
	}
}

func (a *app) suggestTool(_ context.Context, _ chat.Message, prefix string) (names []string) {
	for _, s := range a.toolset.all().All() {
		if strings.HasPrefix(s.Name, prefix) {
			names = append(names, s.Name)
		}
	}
	return names
}

func (a *app) runToolList(context.Context, admin.Request) (chat.Answer, error) {
	var b strings.Builder
	if servers := a.serverLines(); servers != "" {
		b.WriteString(servers + "\n")
	}
	now := a.toolset.now()
	for _, s := range a.toolset.all().All() {
		state := "on"
		if _, ok := now.Lookup(s.Name); !ok {
			state = "off"
		}
		line, _, _ := strings.Cut(s.Description, "\n")
		fmt.Fprintf(&b, "- `%s` (%s, %s): %s\n", s.Name, s.Category, state, line)
	}
	return chat.Answer{Text: b.String()}, nil
}

func (a *app) switchTool(on bool) func(context.Context, admin.Request) (chat.Answer, error) {
	return func(ctx context.Context, r admin.Request) (chat.Answer, error) {
		name := r.Args["name"]
		if _, ok := a.toolset.all().Lookup(name); !ok {
			return chat.Answer{Text: fmt.Sprintf(wordsNoTool, name)}, nil
		}
		b, err := json.Marshal(a.toolset.turn(name, on))
		if err != nil {
			return chat.Answer{}, err
		}
		text := fmt.Sprintf(wordsToolOff, name)
		if on {
			text = fmt.Sprintf(wordsToolOn, name)
		}
		return chat.Answer{Text: text}, a.store.SetSetting(ctx, offSetting, string(b))
	}
}
