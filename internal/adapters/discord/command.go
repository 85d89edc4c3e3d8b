package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wireCommand is a command as Discord stores it.
type wireCommand struct {
	Type        int          `json:"type,omitempty"` // 0 and 1 are typed
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Localized   localized    `json:"description_localizations,omitempty"`
	Names       localized    `json:"name_localizations,omitempty"` // of what is not typed
	Permissions *string      `json:"default_member_permissions,omitempty"`
	Options     []wireOption `json:"options,omitempty"`
}

type wireOption struct {
	Type        int          `json:"type"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Localized   localized    `json:"description_localizations,omitempty"`
	Required    bool         `json:"required,omitempty"`
	Suggests    bool         `json:"autocomplete,omitempty"`
	Choices     []wireChoice `json:"choices,omitempty"`
	Options     []wireOption `json:"options,omitempty"`
}

// localized is a description in other languages, by Discord's names for them.
type localized map[string]string

// locales are Discord's names for the languages that have several, by tag.
var locales = map[string][]string{"es": {"es-ES", "es-419"}, "zh": {"zh-CN", "zh-TW"}}

func localize(help string) localized {
	var all localized
	for _, p := range catalog.Printers()[1:] {
		if !p.Has(help) {
			continue
		}
		if all == nil {
			all = localized{}
		}
		names := locales[p.Tag()]
		if names == nil {
			names = []string{p.Tag()}
		}
		for _, name := range names {
			all[name] = text.Clip(p.Text(help), 100)
		}
	}
	return all
}

type wireChoice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Register implements chat.Commander. Commands for administrators are offered
// to members who may manage the server.
func (a *Adapter) Register(ctx context.Context, m chat.Menu) error {
	a.menus.Store(menusOf(m))
	if m.Known {
		return nil
	}
	select {
	case <-a.known:
	case <-ctx.Done():
		return ctx.Err()
	}
	path := "/applications/" + a.identity().App + "/commands"
	if a.o.Guild != "" {
		path = "/applications/" + a.identity().App + "/guilds/" + a.o.Guild + "/commands"
	}
	want := make([]wireCommand, len(m.Commands))
	for i, c := range m.Commands {
		want[i] = wire(c)
	}
	want = append(want, wireActions(m)...)
	var have []wireCommand
	if err := a.call(ctx, http.MethodGet, path+"?with_localizations=true", "", nil, &have); err != nil {
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
		if c.Type == int(discordgo.ChatApplicationCommand) {
			c.Type = 0
		}
		m[fmt.Sprint(c.Name, c.Type)] = c
	}
	return m
}

// manageGuild is the permission that counts as administering a server.
const manageGuild = "32"

func wire(c chat.MenuCommand) wireCommand {
	w := wireCommand{Name: c.Name, Description: text.Clip(c.Help, 100), Localized: localize(c.Help)}
	if len(c.Verbs) == 0 { // Discord has options below the verbs only
		w.Options = wireOptions(c.Options)
	}
	if c.Who == chat.Admins {
		p := manageGuild
		w.Permissions = &p
	}
	for _, v := range c.Verbs {
		w.Options = append(w.Options, wireOption{Type: int(discordgo.ApplicationCommandOptionSubCommand), Name: v.Name,
			Description: text.Clip(v.Help, 100), Localized: localize(v.Help), Options: wireOptions(v.Options)})
	}
	return w
}

func wireOptions(list []chat.MenuOption) (out []wireOption) {
	kinds := map[chat.OptionKind]discordgo.ApplicationCommandOptionType{
		chat.OptionNumber: discordgo.ApplicationCommandOptionInteger, chat.OptionSwitch: discordgo.ApplicationCommandOptionBoolean,
	}
	for _, o := range list {
		w := wireOption{Type: int(discordgo.ApplicationCommandOptionString), Name: o.Name, Description: text.Clip(o.Help, 100),
			Localized: localize(o.Help), Required: o.Required && !o.Long, Suggests: o.Suggests}
		if k, ok := kinds[o.Kind]; ok {
			w.Type = int(k)
		}
		for _, c := range o.Choices {
			w.Choices = append(w.Choices, wireChoice{Name: c, Value: c})
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b wireOption) int { // Discord wants required ones first
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.Required], map[bool]int{true: 0, false: 1}[b.Required])
	})
	return out
}

// interaction acknowledges a command or a button at once, within the three
// seconds Discord allows, and turns it into a message, which has no Key yet. An
// option that somebody is still typing is completed and makes no message.
func (a *Adapter) interaction(i *wireInteraction) *chat.Message {
	m := a.user(i)
	if m == nil {
		return nil
	}
	switch discordgo.InteractionType(i.Type) {
	case discordgo.InteractionApplicationCommandAutocomplete:
		a.aside(func(ctx context.Context) { a.complete(ctx, i, *m) })
		return nil
	case discordgo.InteractionApplicationCommand, discordgo.InteractionModalSubmit:
		if !a.used(i, m) {
			return nil
		}
		asked := *m
		a.aside(func(ctx context.Context) { a.respond(ctx, i, a.deferral(ctx, asked)) })
	case discordgo.InteractionMessageComponent:
		m.Kind, m.Text = chat.KindButton, append(i.Data.Values, i.Data.CustomID)[0].shown()
		m.Origin = pressed(m.Origin) // the answer is a message of its own, not the one with the buttons
		if i.Message != nil {
			m.ReplyTo = i.Message.ID.shown()
		}
		why := ""
		if strings.Contains(m.Text, ":") { // of a question; what stays in the press is left as it is
			why = a.refusal(m)
		}
		a.aside(func(ctx context.Context) { a.pressing(ctx, i, why) })
	default:
		return nil
	}
	return m
}

// used reads the use of a command into m: typed, from a message's menu, or from a
// form. false means that there is no message: a form is shown, or it is none of ours.
func (a *Adapter) used(i *wireInteraction, m *chat.Message) bool {
	m.Kind = chat.KindCommand
	switch {
	case i.Type == number(discordgo.InteractionModalSubmit):
		command, about := i.filled()
		m.Text = command
		if t, ok := a.targets.Get(about); ok {
			a.refer(m, about, t)
		}
	case i.Data.Type == number(discordgo.MessageApplicationCommand):
		command, asked := a.act(i, m)
		if asked || command == "" {
			return false
		}
		m.Text = command
	default:
		m.Text = "/" + i.Data.Name.shown() + words(i.Data.Options)
		if f, command, lacks := a.lacking(i); lacks {
			a.aside(func(ctx context.Context) { a.ask(ctx, i, f, command) })
			return false
		}
	}
	return chat.IsCommand(m.Text)
}

// person returns who an interaction comes from; nil if that is unreadable.
func (i *wireInteraction) person() *wireUser {
	who := i.User
	if i.Member != nil && i.Member.User != nil {
		who = i.Member.User
	}
	if who == nil || !isID(who.ID) {
		return nil
	}
	return who
}

// user makes a message of an interaction without asking Discord; nil if the interaction does
// not matter.
func (a *Adapter) user(i *wireInteraction) *chat.Message {
	who := i.person()
	if who == nil || bool(who.Bot) || !isID(i.ID) || i.GuildID != "" && !isID(i.GuildID) {
		return nil
	}
	back, _ := json.Marshal(origin{App: i.AppID.shown(), Token: i.Token.shown(), At: a.now()}) // plain data
	key, _ := a.knownKey(string(i.ChannelID))
	m := &chat.Message{
		ID: string(i.ID), Key: key, From: chat.User{ID: Platform + ":" + string(who.ID), Name: nameOf(who, i.Member)}, Addressed: true,
		// People who installed the app for themselves can use it in a chat with others.
		Direct: i.GuildID == "" && i.Context != number(discordgo.InteractionContextPrivateChannel), Guild: string(i.GuildID),
		At: idTime(string(i.ID)), Origin: string(back), Language: i.Locale.shown(),
	}
	a.titled(m)
	if i.Member != nil {
		m.Admin = i.Member.Permissions&manages != 0
	}
	return m
}

// aside makes requests that Discord expects at once, off the read loop.
func (a *Adapter) aside(f func(ctx context.Context)) {
	a.acks.Add(1)
	go func() {
		defer a.acks.Done()
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		f(ctx)
	}()
}

// response is the first thing said to an interaction.
type response struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

func (a *Adapter) respond(ctx context.Context, i *wireInteraction, r response) {
	if err := a.call(ctx, http.MethodPost, "/interactions/"+i.ID.shown()+"/"+i.Token.shown()+"/callback", "", r, nil); err != nil {
		a.o.Log.Warn("discord: acknowledge", "err", err)
	}
}

// soon bounds the callbacks that run before an interaction is acknowledged.
const soon = time.Second

// deferral announces an answer, and who will see it, which cannot be changed
// later.
func (a *Adapter) deferral(ctx context.Context, m chat.Message) response {
	r := response{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	if a.o.Private != nil && a.o.Private(ctx, m) {
		r.Data = map[string]int{"flags": ephemeral}
	}
	return r
}

// Discord's limits on choices.
const (
	maxChoices = 25
	maxChoice  = 100 // characters
)

// complete suggests values for what somebody has typed so far.
func (a *Adapter) complete(ctx context.Context, i *wireInteraction, m chat.Message) {
	m.Kind, m.Text = chat.KindCommand, "/"+i.Data.Name.shown()
	options := i.Data.Options
	if len(options) > 0 && options[0].Type == number(discordgo.ApplicationCommandOptionSubCommand) {
		m.Text += " " + options[0].Name.shown()
		options = options[0].Options
	}
	choices := []completion{}
	for _, o := range options {
		if !bool(o.Focused) || a.o.Suggest == nil {
			continue
		}
		thinking, cancel := context.WithTimeout(ctx, soon)
		for _, c := range a.o.Suggest(thinking, m, o.Name.shown(), fmt.Sprint(o.Value)) {
			if v, ok := o.takes(c.Value); ok && len(choices) < maxChoices {
				choices = append(choices, completion{text.Clip(c.Shown(), maxChoice), v})
			}
		}
		cancel()
	}
	a.respond(ctx, i, response{discordgo.InteractionApplicationCommandAutocompleteResult, map[string]any{"choices": choices}})
}

// completion is what an option may become.
type completion struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a number for an option that is one
}

// takes converts a value for an option; false if Discord would refuse it.
func (o wireOptionValue) takes(value string) (any, bool) {
	if o.Type == number(discordgo.ApplicationCommandOptionInteger) {
		n, err := strconv.ParseInt(value, 10, 53)
		return n, err == nil
	}
	n := utf8.RuneCountInString(value)
	return value, n > 0 && n <= maxChoice
}

// words returns a command's verb and options as they would be typed.
func words(list []wireOptionValue) string {
	var b strings.Builder
	for _, o := range list {
		if o.Type == number(discordgo.ApplicationCommandOptionSubCommand) || o.Type == number(discordgo.ApplicationCommandOptionSubCommandGroup) {
			b.WriteString(" " + o.Name.shown() + words(o.Options))
			continue
		}
		value := fmt.Sprint(o.Value)
		switch v := o.Value.(type) {
		case bool:
			value = map[bool]string{true: "on", false: "off"}[v]
		case float64:
			value = fmt.Sprint(int64(v))
		}
		b.WriteString(" " + o.Name.shown() + ":" + quoted(value))
	}
	return b.String()
}
