package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// ActionBrought is the kind of a confirmation that makes facts of what was brought along.
const ActionBrought = "brought"

// Bounds of one list.
const (
	mostBrought = 12
	longBrought = 1500 // characters of them
)

// broughtVerb is /facts brought.
func (f Facts) broughtVerb() gate.Command {
	return gate.Command{Name: "brought", Help: "What other assistants had noted about you: say what is right", Run: f.listBrought}
}

// listBrought asks a person which of the lines that were imported for them are right.
func (f Facts) listBrought(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if !r.Message.Direct {
		return say(ctx, "Please send me that in a direct chat.")
	}
	list, all, err := f.Rows.Proposals(ctx, r.Message.From.ID, mostBrought)
	if err != nil {
		return chat.Answer{}, err
	}
	if all == 0 {
		return say(ctx, "Nothing of what was brought along waits for your word.")
	}
	var b strings.Builder
	b.WriteString(catalog.Text(ctx, "Another assistant had noted this about you. I remember only what you say is right:"))
	var items []gate.Item
	for size := 0; len(items) < len(list); {
		p := list[len(items)]
		if size += utf8.RuneCountInString(p.Text); size > longBrought && len(items) > 0 {
			break
		}
		args, err := json.Marshal(p.ID)
		if err != nil {
			return chat.Answer{}, fmt.Errorf("brought along: %w", err)
		}
		said := text.Literal(p.Text)
		items = append(items, gate.Item{Say: said, Args: args})
		fmt.Fprintf(&b, "\n%d. %s", len(items), said)
	}
	if left := all - len(items); left > 0 {
		b.WriteString("\n" + catalog.Say(ctx, "(%d more wait behind these.)", left))
	}
	return f.Ask(ctx, r.Message, b.String(), gate.Action{Kind: ActionBrought, Items: items, Again: true})
}

// Brought is the answer to such a list. A crash has it done again, with the same effect.
func (f Facts) Brought(ctx context.Context, m chat.Message, s gate.Settled, _ chat.Reply) (chat.Answer, error) {
	yes, kept := map[int64]bool{}, 0
	for i, item := range s.Items {
		var id int64
		if err := json.Unmarshal(item.Args, &id); err != nil {
			return chat.Answer{}, fmt.Errorf("brought along: %w", err)
		}
		if yes[id] = i < len(s.Agreed) && s.Agreed[i]; yes[id] {
			kept++
		}
	}
	v := provenance.ViewerOf(m)
	v.User = s.Asked.ID
	if _, err := f.Rows.Decide(ctx, v, yes); err != nil {
		return chat.Answer{}, err
	}
	end := chat.End{Outcome: chat.Confirmed}
	if kept == 0 {
		end.Outcome = chat.Declined
	}
	words := catalog.Say(ctx, "Remembered: %d. Left out: %d.", kept, len(yes)-kept)
	came := words
	_, left, err := f.Rows.Proposals(ctx, s.Asked.ID, 1)
	if err != nil {
		return chat.Answer{}, err
	}
	var more [][]chat.Button
	if left > 0 {
		words += "\n" + catalog.Say(ctx, "%d more wait: /facts brought", left)
		more = [][]chat.Button{{{Label: catalog.Text(ctx, "Show them"), Data: "/facts brought"}}}
	}
	return chat.Answer{Text: words, Buttons: more, Record: chat.Settling{End: end, Question: s.ID, Came: came}}, nil
}

// waitBrought says below a list of facts that more waits for a word.
func (f Facts) waitBrought(ctx context.Context, who chat.User, v facts.Viewer) (string, error) {
	if !v.Direct {
		return "", nil
	}
	_, all, err := f.Rows.Proposals(ctx, who.ID, 1)
	if err != nil || all == 0 {
		return "", err
	}
	return "\n" + catalog.Say(ctx, "%d lines that another assistant had noted wait for your word: /facts brought", all), nil
}
