package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// Command is a slash command as it is registered.
type Command struct {
	Name, Help string
	Private    bool // answers are for the author's eyes only
	Admin      bool // offered to members who may manage the server
	Options    []Option
	Verbs      []Command
}

// Option is one argument. Kind is "text", "number" or "switch".
type Option struct {
	Name, Help, Kind string
	Required         bool
	Choices          []string
}

// wireCommand is what of a command Discord keeps.
type wireCommand struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Permissions *string      `json:"default_member_permissions,omitempty"`
	Options     []wireOption `json:"options,omitempty"`
}

type wireOption struct {
	Type        int          `json:"type"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Required    bool         `json:"required,omitempty"`
	Choices     []wireChoice `json:"choices,omitempty"`
	Options     []wireOption `json:"options,omitempty"`
}

type wireChoice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Register tells Discord our commands, if it does not have just these. It
// waits until the bot is connected.
func (a *Adapter) Register(ctx context.Context, list []Command) error {
	a.mu.Lock()
	for _, c := range list {
		a.private[c.Name] = c.Private
	}
	a.mu.Unlock()
	select {
	case <-a.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	a.mu.Lock()
	path := "/applications/" + a.app + "/commands"
	if a.o.Guild != "" {
		path = "/applications/" + a.app + "/guilds/" + a.o.Guild + "/commands"
	}
	a.mu.Unlock()
	want := make([]wireCommand, len(list))
	for i, c := range list {
		want[i] = wire(c)
	}
	var have []wireCommand
	if err := a.call(ctx, http.MethodGet, path, "", nil, &have); err != nil {
		return err
	}
	if reflect.DeepEqual(byName(have), byName(want)) {
		return nil
	}
	return a.call(ctx, http.MethodPut, path, "", want, nil)
}

func byName(list []wireCommand) map[string]wireCommand {
	m := map[string]wireCommand{}
	for _, c := range list {
		m[c.Name] = c
	}
	return m
}

// manageGuild is the permission that counts as administering a server.
const manageGuild = "32"

func wire(c Command) wireCommand {
	w := wireCommand{Name: c.Name, Description: clip(c.Help, 100), Options: wireOptions(c.Options)}
	if c.Admin {
		p := manageGuild
		w.Permissions = &p
	}
	for _, v := range c.Verbs {
		w.Options = append(w.Options, wireOption{Type: int(discordgo.ApplicationCommandOptionSubCommand), Name: v.Name, Description: clip(v.Help, 100), Options: wireOptions(v.Options)})
	}
	return w
}

func wireOptions(list []Option) (out []wireOption) {
	kinds := map[string]discordgo.ApplicationCommandOptionType{
		"number": discordgo.ApplicationCommandOptionInteger, "switch": discordgo.ApplicationCommandOptionBoolean,
	}
	for _, o := range list {
		w := wireOption{Type: int(discordgo.ApplicationCommandOptionString), Name: o.Name, Description: clip(o.Help, 100), Required: o.Required}
		if k, ok := kinds[o.Kind]; ok {
			w.Type = int(k)
		}
		for _, c := range o.Choices {
			w.Choices = append(w.Choices, wireChoice{Name: c, Value: c})
		}
		out = append(out, w)
	}
	return out
}

// interaction acknowledges a command or a button at once, within the three
// seconds Discord gives, and makes a message of it.
func (a *Adapter) interaction(i *discordgo.Interaction) *chat.Message {
	who := i.User
	if i.Member != nil {
		who = i.Member.User
	}
	if who == nil || who.Bot {
		return nil
	}
	back, _ := json.Marshal(origin{App: i.AppID, Token: i.Token, At: a.o.Now()}) // plain data
	m := &chat.Message{
		ID: i.ID, From: chat.User{ID: Platform + ":" + who.ID, Name: nameOf(who, i.Member)}, Addressed: true,
		Direct: i.GuildID == "", Guild: i.GuildID, At: idTime(i.ID), Origin: string(back),
	}
	if i.Member != nil {
		m.Admin = i.Member.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0
	}
	respond := 0
	private := false
	switch i.Type {
	case discordgo.InteractionApplicationCommand:
		data := i.ApplicationCommandData()
		m.Kind, m.Text = chat.KindCommand, "/"+data.Name+words(data.Options)
		respond = int(discordgo.InteractionResponseDeferredChannelMessageWithSource)
		a.mu.Lock()
		private = a.private[data.Name]
		a.mu.Unlock()
	case discordgo.InteractionMessageComponent:
		m.Kind, m.Text = chat.KindButton, i.MessageComponentData().CustomID
		respond = int(discordgo.InteractionResponseDeferredMessageUpdate)
		m.Origin = "" // the answer is a message of its own, not the one with the buttons
		if i.Message != nil {
			m.ReplyTo = i.Message.ID
		}
	default:
		return nil
	}
	a.acks.Add(1)
	go func() { defer a.acks.Done(); a.acknowledge(i, respond, private) }()
	m.Key = a.key(i.ChannelID, i.GuildID)
	return m
}

// acknowledge tells Discord that an answer will come.
func (a *Adapter) acknowledge(i *discordgo.Interaction, kind int, private bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	body := map[string]any{"type": kind}
	if private {
		body["data"] = map[string]int{"flags": ephemeral}
	}
	if err := a.call(ctx, http.MethodPost, "/interactions/"+i.ID+"/"+i.Token+"/callback", "", body, nil); err != nil {
		a.o.Log.Warn("discord: acknowledge", "err", err)
	}
}

// words is a command's verb and options as they would be typed.
func words(list []*discordgo.ApplicationCommandInteractionDataOption) string {
	var b strings.Builder
	for _, o := range list {
		if o.Type == discordgo.ApplicationCommandOptionSubCommand || o.Type == discordgo.ApplicationCommandOptionSubCommandGroup {
			b.WriteString(" " + o.Name + words(o.Options))
			continue
		}
		value := fmt.Sprint(o.Value)
		switch v := o.Value.(type) {
		case bool:
			value = map[bool]string{true: "on", false: "off"}[v]
		case float64:
			value = fmt.Sprint(int64(v))
		}
		fmt.Fprintf(&b, " %s:%q", o.Name, value)
	}
	return b.String()
}
