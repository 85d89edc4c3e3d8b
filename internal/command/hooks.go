package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/hooks"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Hooks is /hook.
type Hooks struct {
	Rows    *hooks.Store
	Letters *memory.Letters
	// List and Find know those of the settings, too.
	List func(ctx context.Context) ([]hooks.Hook, error)
	Find func(ctx context.Context, name string) (hooks.Hook, error)
	// Check returns what is wrong with a hook, for people; nil if nothing is.
	Check func(h hooks.Hook) error
	// Try returns the words that a hook makes of JSON, and Test delivers it; id is one of its
	// own for each.
	Try  func(h hooks.Hook, body []byte) (string, error)
	Test func(ctx context.Context, h hooks.Hook, id string, body []byte) error
	// Of returns which hook something came for that was put aside under the name Platform.
	Of       func(raw []byte) string
	Platform string
	// Address returns where to send for a hook; "" where nothing listens.
	Address func(name string) string
	Alone   func(k chat.Key) bool // a place has one person in it
}

const wordsNoDelivery = "Nothing of that number is put aside. /hook dead lists what is."

var hookName = text.Pattern(`^[a-z][a-z0-9_]{0,49}$`)

func (h Hooks) command() gate.Command {
	name := gate.Option{Name: "name", Help: "name of the webhook", Required: true, Suggest: h.suggest}
	anew := name
	anew.Help, anew.Suggest = "a name for it: a-z, 0-9 and _", nil
	template := gate.Option{Name: "template", Help: "what to say: text with {{body.…}} of the JSON; all of it if you leave it out"}
	does := gate.Option{Name: "do", Help: "say it, ask me about it, or only keep it", Named: true,
		Choices: []string{string(chat.HookSay), string(chat.HookAsk), string(chat.HookKeep)}}
	place := gate.Option{Name: "place", Help: "where it speaks, such as telegram:-1001234; this chat if you leave it out", Named: true}
	number := gate.Option{Name: "number", Help: "number in /hook dead", Kind: gate.Number, Required: true, Row: true}
	return gate.Command{Name: "hook", Help: "Webhooks: other programs tell me something", Who: gate.Owner, Private: true, Effect: gate.Reads,
		Run: h.list, Verbs: []gate.Command{
			{Name: "list", Help: "Those there are", Effect: gate.Reads, Run: h.list},
			{Name: "add", Help: "Make one; its secret is shown once", Options: []gate.Option{anew, template, does, place}, Run: h.add},
			{Name: "pause", Help: "Put aside what comes, or go on", Run: h.pause,
				Options: []gate.Option{name, {Name: "on", Help: "off goes on", Kind: gate.Switch}}},
			{Name: "test", Help: "Send one a test", Run: h.test,
				Options: []gate.Option{name, {Name: "json", Help: "what a sender would send"}}},
			{Name: "delete", Help: "Delete one", Options: []gate.Option{name}, Confirm: h.askDelete, Run: h.delete},
			{Name: "dead", Help: "What came and could not be used", Effect: gate.Reads, Run: h.dead},
			{Name: "replay", Help: "Try that again", Options: []gate.Option{number}, Run: h.replay},
		}}
}

func (h Hooks) suggest(ctx context.Context, _ chat.Message, typed string) []string {
	all, _ := h.List(ctx) // names to choose from: none is fine
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	return beginning(names, typed)
}

func (h Hooks) list(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	all, err := h.List(ctx)
	if err != nil || len(all) == 0 {
		return chat.Answer{Text: catalog.Text(ctx, "There are no webhooks. /hook add makes one, and so does the setting hooks.")}, err
	}
	var b strings.Builder
	for _, one := range all {
		n, last, err := h.Rows.Came(ctx, one.Name)
		if err != nil {
			return chat.Answer{}, err
		}
		fmt.Fprintf(&b, "- **%s** · %s · `%s` · %s", one.Name, one.Does, one.Place, catalog.Many(ctx, n, "event"))
		if n > 0 {
			b.WriteString(catalog.Say(ctx, ", the last on %s UTC", catalog.Time(ctx, last.UTC(), "2 January 2006 15:04")))
		}
		if one.Paused {
			b.WriteString(catalog.Text(ctx, " · paused"))
		}
		if one.By == "" {
			b.WriteString(catalog.Text(ctx, " · from the settings"))
		}
		b.WriteString("\n")
	}
	return chat.Answer{Text: b.String()}, nil
}

// add makes a webhook and shows its secret: once, and where nobody else reads.
func (h Hooks) add(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if !r.Message.Direct {
		return say(ctx, "I show the secret of a webhook in our direct chat only: send /hook add there, with place:%s.", r.Message.Key)
	}
	address := h.Address(r.Args["name"])
	if address == "" {
		return say(ctx, "Nothing listens for webhooks: set http.listen or http.hooks_listen, and start me again.")
	}
	made := hooks.Hook{Name: strings.ToLower(r.Args["name"]), Secret: strings.ToLower(rand.Text()), Place: r.Message.Key, Direct: true,
		Does: chat.HookDo(r.Args["do"]), Template: r.Args["template"], By: r.Message.From.ID}
	if !hookName().MatchString(made.Name) {
		return say(ctx, "A webhook's name is a letter, then up to 49 of a-z, 0-9 and _.")
	}
	if made.Does == "" {
		made.Does = chat.HookSay
	}
	if typed := r.Args["place"]; typed != "" {
		k, ok := chat.ParseKey(typed)
		if !ok {
			return say(ctx, "I don't know that place. Write it as telegram:-1001234 or discord:123456, with /TOPIC for a topic.")
		}
		made.Place, made.Direct = k, h.Alone(k)
	}
	if err := h.Check(made); err != nil {
		return chat.Answer{}, err
	}
	if _, err := h.Find(ctx, made.Name); !errors.Is(err, hooks.ErrNoHook) {
		if err == nil {
			err = hooks.ErrTaken
		}
		return chat.Answer{}, err
	}
	if err := h.Rows.Add(ctx, made); err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "The webhook **%s** speaks in `%s`. Give its sender this address and this secret, as the key of its signature "+
		"(X-Hub-Signature-256) or as a bearer token. I show the secret only now:\n\n`%s`\n`%s`\n\n/hook test %[1]s tries it.",
		made.Name, made.Place, address, made.Secret)
}

func (h Hooks) pause(ctx context.Context, r gate.Request) (chat.Answer, error) {
	one, err := h.Find(ctx, r.Args["name"])
	if err != nil {
		return chat.Answer{}, err
	}
	on := r.Args["on"] != "off"
	if err := h.Rows.Pause(ctx, one.Name, on); err != nil {
		return chat.Answer{}, err
	}
	if on {
		return say(ctx, "The webhook **%s** is paused: what comes is put aside, and /hook dead lists it. /hook pause %[1]s off goes on.", one.Name)
	}
	return say(ctx, "The webhook **%s** goes on.", one.Name)
}

// test sends what a sender might, and says what comes of it.
func (h Hooks) test(ctx context.Context, r gate.Request) (chat.Answer, error) {
	one, err := h.Find(ctx, r.Args["name"])
	if err != nil {
		return chat.Answer{}, err
	}
	body := r.Args["json"]
	if body == "" {
		body = `{"test": true, "message": "This is a test."}`
	}
	words, err := h.Try(one, []byte(body))
	switch {
	case err != nil:
		return say(ctx, "That cannot be used: %s", quoted(err.Error(), maxServerText))
	case words == "":
		return say(ctx, "The template of **%s** says nothing of that.", one.Name)
	case one.Paused:
		return say(ctx, "The webhook **%s** is paused. It would say: %s", one.Name, quoted(words, maxServerText))
	}
	if err := h.Test(ctx, one, r.Message.UID, []byte(body)); err != nil {
		return say(ctx, "That cannot be used: %s", quoted(err.Error(), maxServerText))
	}
	return say(ctx, "Sent to `%s`: %s", one.Place, quoted(words, maxServerText))
}

func (h Hooks) askDelete(ctx context.Context, r gate.Request) (string, error) {
	one, err := h.Find(ctx, r.Args["name"])
	if err != nil {
		return "", err
	}
	return catalog.Say(ctx, "Delete the webhook %s? Its sender is refused from then on.", one.Name), nil
}

func (h Hooks) delete(ctx context.Context, r gate.Request) (chat.Answer, error) {
	err := h.Rows.Delete(ctx, r.Args["name"])
	if errors.Is(err, hooks.ErrNoHook) {
		if _, found := h.Find(ctx, r.Args["name"]); found == nil {
			return say(ctx, "That webhook is of the settings: take it out of hooks there.")
		}
	}
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "The webhook **%s** is deleted.", r.Args["name"])
}

// dead lists what was put aside, the oldest first.
func (h Hooks) dead(ctx context.Context, _ gate.Request) (chat.Answer, error) {
	var b strings.Builder
	shown := 0
	for after := int64(0); shown < listPage; {
		page, err := h.Letters.List(ctx, after, 100)
		if err != nil {
			return chat.Answer{}, err
		}
		if len(page) == 0 {
			break
		}
		for _, l := range page {
			if after = l.ID; l.Platform == h.Platform && shown < listPage {
				shown++
				fmt.Fprintf(&b, "- #%d **%s**, %s UTC: %s\n", l.ID, text.Literal(h.Of(l.Raw)), l.At.UTC().Format(time.DateTime),
					quoted(l.Reason, maxServerErr))
			}
		}
	}
	if shown == 0 {
		return say(ctx, "Nothing is put aside.")
	}
	return chat.Answer{Text: catalog.Text(ctx, "This came and could not be used; /hook replay and a number tries it again:") + "\n" + b.String()}, nil
}

func (h Hooks) replay(ctx context.Context, r gate.Request) (chat.Answer, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(r.Args["number"], "="), 10, 64)
	if err != nil {
		return say(ctx, wordsNoDelivery)
	}
	l, err := h.Letters.Get(ctx, id)
	if errors.Is(err, memory.ErrNoLetter) || err == nil && l.Platform != h.Platform {
		return say(ctx, wordsNoDelivery)
	}
	if err == nil {
		err = h.Letters.Retry(ctx, id)
	}
	if err != nil {
		return chat.Answer{}, err
	}
	return say(ctx, "I try #%d again in a moment. What cannot be used stays in /hook dead.", id)
}
