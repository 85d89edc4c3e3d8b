package command

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text/catalog"
)

// wordsVariable is said in more than one place.
const wordsVariable = "%s: %s (confidence %.2f)"

// about is /person: what the playbook knows of somebody, for the owner.
func (p Playbook) about() gate.Command {
	who := gate.Option{Name: "who", Help: "Their id, such as telegram:42", Required: true}
	tag := gate.Option{Name: "tag", Help: "One word", Required: true}
	return gate.Command{Name: "person", Help: "What the playbook knows of somebody", Who: gate.Owner, Private: true, Verbs: []gate.Command{
		{Name: "show", Help: "Their tags and variables", Effect: gate.Reads, Options: []gate.Option{who}, Run: p.with(p.showPerson)},
		{Name: "set", Help: "Set a variable that is kept for them",
			Options: []gate.Option{who, {Name: "variable", Help: "A variable of the playbook",
				Required: true, Suggest: p.suggestVariable},
				{Name: "value", Help: "Its value", Required: true}}, Run: p.with(p.setPerson)},
		{Name: "tag", Help: "Give them a tag, for rules with tags", Options: []gate.Option{who, tag}, Run: p.with(p.tagPerson(true))},
		{Name: "untag", Help: "Take a tag away", Options: []gate.Option{who, tag}, Run: p.with(p.tagPerson(false))},
	}}
}

func (p Playbook) suggestVariable(_ context.Context, m chat.Message, typed string) []string {
	var names []string
	if b := p.Book(m); b != nil {
		for _, v := range b.VariableDefinitions() {
			names = append(names, v.Name)
		}
	}
	return beginning(names, typed)
}

// named reads a person's id: that of the platform where it is asked may be left out.
func named(m chat.Message, who string) string {
	who = strings.TrimPrefix(strings.TrimSpace(who), "@")
	if !strings.Contains(who, ":") && m.Key.Platform != "" {
		return m.Key.Platform + ":" + who
	}
	return who
}

// alter changes what the playbook keeps of a person, in general and in the session here.
func (p Playbook) alter(ctx context.Context, r gate.Request, to func(playbook.State) (playbook.State, error)) error {
	id := named(r.Message, r.Args["who"])
	person, err := p.People.Person(ctx, id, r.Message.Agent.ID)
	if err != nil {
		return err
	}
	se, live, err := p.Rows.LiveSession(ctx, p.Place(r.Message))
	if err != nil {
		return err
	}
	st := stored(se, id)
	if person.Playbook != "" {
		st.Person = json.RawMessage(person.Playbook)
	}
	after, err := to(st)
	if err != nil {
		return err
	}
	if live && string(after.Session) != se.Playbook {
		se.Playbook = string(after.Session)
		if err := p.Rows.SaveSession(ctx, se); err != nil {
			return err
		}
	}
	return p.People.SavePersonPlaybook(ctx, id, r.Message.Agent.ID, memory.PersonNote{From: person.Playbook, To: string(after.Person)})
}

func (p Playbook) setPerson(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	value, err := json.Marshal(r.Args["value"])
	if err != nil {
		return chat.Answer{}, err
	}
	name := r.Args["variable"]
	if i := slices.IndexFunc(b.VariableDefinitions(), func(v *playbook.Variable) bool { return v.Name == name }); i >= 0 &&
		!b.VariableDefinitions()[i].PerPerson {
		return say(ctx, "%s is not kept for people: only variables with per_person are.", name)
	}
	var refused error
	err = p.alter(ctx, r, func(st playbook.State) (playbook.State, error) {
		var after playbook.State
		after, refused = b.SetVariable(st, playbook.Value{Name: name, Value: value, Source: playbook.SourceOwner, At: p.Now()})
		return after, refused
	})
	if refused != nil {
		return say(ctx, "That is not taken: %s", refused.Error())
	}
	return chat.Answer{Text: catalog.Say(ctx, "%s is set.", name)}, err
}

func (p Playbook) tagPerson(on bool) bookRun {
	return func(ctx context.Context, r gate.Request, _ *playbook.Book) (chat.Answer, error) {
		tag := strings.ToLower(strings.TrimSpace(r.Args["tag"]))
		words := "They no longer have the tag %s."
		if on {
			words = "They have the tag %s."
		}
		err := p.alter(ctx, r, func(st playbook.State) (playbook.State, error) { return st.Tag(tag, on) })
		return chat.Answer{Text: catalog.Say(ctx, words, tag)}, err
	}
}

func (p Playbook) showPerson(ctx context.Context, r gate.Request, b *playbook.Book) (chat.Answer, error) {
	id := named(r.Message, r.Args["who"])
	person, err := p.People.Person(ctx, id, r.Message.Agent.ID)
	if err != nil {
		return chat.Answer{}, err
	}
	st := playbook.State{User: id}
	if person.Playbook != "" {
		st.Person = json.RawMessage(person.Playbook)
	}
	lines := []string{catalog.Say(ctx, "Tags: %s", cmp.Or(strings.Join(st.Tags(), ", "), "–"))}
	for _, v := range b.Variables(st) {
		lines = append(lines, catalog.Say(ctx, wordsVariable, v.Name, v.Value, v.Confidence))
	}
	return chat.Answer{Text: "- " + strings.Join(lines, "\n- ")}, nil
}
