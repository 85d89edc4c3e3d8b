package console

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsDown is said in more than one place.
const wordsDown = "The bot takes no messages right now. Nothing was sent; try again in a moment."

// platform is the platform of the page's chat. Only the owner can write there.
const platform = "page"

var (
	here  = chat.Key{Platform: platform, Channel: "owner"}
	owner = chat.User{ID: platform + ":owner", Name: "owner"}
)

// Here returns the place of the owner's chat on the page.
func Here() chat.Key { return here }

// keep is the number of latest messages shown, maxSpent the number of submitted forms
// remembered.
const (
	keep     = 40
	maxSpent = 1000
	// orderPatience is how long a page waits for the answer to a command.
	orderPatience = 10 * time.Second
)

// The page must know when a message is done.
var (
	_ chat.Adapter   = (*Chat)(nil)
	_ chat.TurnTaker = (*Chat)(nil)
)

// Chat is the owner's conversation with the bot as a chat.Adapter. It shows messages since
// the start; the database has the rest.
type Chat struct {
	now     func() time.Time
	changed func()

	mu      sync.Mutex // guards the rest
	in      chat.Intake
	log     []said
	spent   map[string]bool      // ids of submitted forms
	growing string               // the answer being written
	awaited map[string]chan said // channels for awaited answers, by message id
	waiting int                  // messages not answered yet
}

// said is one message of the conversation.
type said struct {
	ID      string
	Mine    bool
	Text    string
	Files   []string
	Buttons []chat.Button
	At      time.Time
}

// Platform implements chat.Adapter.
func (*Chat) Platform() string { return platform }

// Health implements chat.Adapter.
func (*Chat) Health() error { return nil }

// Run implements chat.Adapter.
func (c *Chat) Run(ctx context.Context, in chat.Intake) error {
	c.with(func() { c.in = in })
	<-ctx.Done()
	c.with(func() { c.in = nil })
	return nil
}

func (c *Chat) with(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// Split returns text whole: a page limits no message.
func (*Chat) Split(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Typing does nothing: the page shows that a message waits.
func (*Chat) Typing(context.Context, chat.Message) error { return nil }

// Preview shows a growing answer.
func (c *Chat) Preview(_ context.Context, _ chat.Message, _, text string) (string, time.Duration, error) {
	c.with(func() { c.growing = text })
	c.changed()
	return "", newsPace, nil
}

// Send shows an answer.
func (c *Chat) Send(_ context.Context, p chat.Part) (string, error) {
	s := said{ID: rand.Text(), Text: p.Text, At: c.now()}
	for _, f := range p.Files {
		s.Files = append(s.Files, f.Name)
	}
	for _, row := range p.Buttons {
		s.Buttons = append(s.Buttons, row...)
	}
	c.with(func() {
		c.growing = ""
		c.add(s)
		select {
		case c.awaited[p.ReplyTo] <- s: // nil if nobody waits
		default:
		}
	})
	c.changed()
	return s.ID, nil
}

// add appends to the log. The caller holds mu.
func (c *Chat) add(s said) {
	c.log = append(c.log, s)
	c.log = c.log[max(0, len(c.log)-keep):]
}

// Done implements chat.TurnTaker.
func (c *Chat) Done(chat.Message) {
	c.with(func() { c.waiting, c.growing = max(0, c.waiting-1), "" })
	c.changed()
}

var (
	errDown = errors.New("no intake")
	errGone = errors.New("not an open choice")
)

// say hands a message to the hub. Its id is from the form, so a form submitted twice is
// one message.
func (c *Chat) say(ctx context.Context, m chat.Message) error {
	m.Key, m.From, m.Addressed, m.Direct, m.At = here, owner, true, true, c.now().UTC()
	m.Language = catalog.Of(ctx).Tag() // the answer is shown on this page
	shown := said{ID: m.ID, Mine: true, Text: m.Text, At: m.At}
	c.mu.Lock()
	in := c.in
	if c.spent[m.ID] {
		c.mu.Unlock()
		return nil
	}
	if m.Kind == chat.KindButton {
		label, ok := c.choose(m.ReplyTo, m.Text)
		if !ok {
			c.mu.Unlock()
			return errGone
		}
		shown.Text = label
	}
	if in == nil {
		c.mu.Unlock()
		return errDown
	}
	for i := range c.log { // buttons work until something else is said
		c.log[i].Buttons = nil
	}
	c.add(shown)
	if c.spent == nil || len(c.spent) >= maxSpent { // the inbox recognizes older ones
		c.spent = map[string]bool{}
	}
	c.spent[m.ID] = true
	c.waiting++
	c.mu.Unlock()
	if err := in.Deliver(ctx, chat.Batch{Platform: platform, Messages: []chat.Message{m}}); err != nil {
		c.with(func() {
			c.waiting--
			delete(c.spent, m.ID)
			c.log = slices.DeleteFunc(c.log, func(s said) bool { return s.ID == m.ID })
		})
		return err
	}
	c.changed()
	return nil
}

// order gives a command and returns the answer, or says that it takes longer.
func (c *Chat) order(ctx context.Context, line string) (string, error) {
	id, answer := rand.Text(), make(chan said, 1)
	c.with(func() {
		if c.awaited == nil {
			c.awaited = map[string]chan said{}
		}
		c.awaited[id] = answer
	})
	defer c.with(func() { delete(c.awaited, id) })
	if err := c.say(ctx, chat.Message{ID: id, Kind: chat.KindCommand, Text: line}); err != nil {
		return "", err
	}
	late := time.NewTimer(orderPatience)
	defer late.Stop()
	select {
	case s := <-answer:
		if len(s.Buttons) > 0 {
			return s.Text + " " + catalog.Text(ctx, "Choose under “Try it”."), nil
		}
		return s.Text, nil
	case <-late.C:
		return catalog.Text(ctx, "That takes longer; the answer will be under “Try it”."), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// choose returns the label of an active button. The caller holds mu.
func (c *Chat) choose(message, data string) (label string, ok bool) {
	for _, s := range c.log {
		for _, b := range s.Buttons {
			if s.ID == message && b.Data == data {
				return b.Label, true
			}
		}
	}
	return "", false
}

// scene is the conversation as shown.
type scene struct {
	ID      string // of the next message
	Log     []said
	Growing string
	Waiting bool
	Unsent  string // in the field for the next message
}

func (p *Page) talk(*http.Request) (any, error) {
	c := p.Chat
	c.mu.Lock()
	defer c.mu.Unlock()
	s := scene{ID: rand.Text(), Growing: clip(c.growing, maxText), Waiting: c.waiting > 0}
	room := maxBody
	for _, m := range slices.Backward(c.log) {
		m.Text = clip(m.Text, maxText)
		if room -= markup + len(prose(m.Text)); room < 0 && len(s.Log) > 0 {
			break
		}
		s.Log = append(s.Log, m)
	}
	slices.Reverse(s.Log)
	return s, nil
}

// sayAgain shows the chat after a login, with what was typed when the last one had ended.
func (p *Page) sayAgain(w http.ResponseWriter, r *http.Request, token string) {
	l := p.logins.find(token)
	body, err := p.talk(r)
	if l == nil || err != nil { // ended by others meanwhile
		lead(w, r, "/chat")
		return
	}
	s := body.(scene)
	s.Unsent = clip(strings.TrimSpace(r.PostFormValue("text")), maxText)
	p.write(w, r, "chat", frame{Title: catalog.Text(r.Context(), wordsChat), CSRF: l.csrf, Nav: p.nav(r, "chat"), Body: s})
}

var idForm = text.Pattern(`^[A-Z2-7]{26}$`)

// say takes a message or a choice from the form.
func (p *Page) say(w http.ResponseWriter, r *http.Request, _ *login) {
	m := chat.Message{ID: r.PostFormValue("id"), Text: strings.TrimSpace(r.PostFormValue("text"))}
	if on := r.PostFormValue("on"); on != "" {
		m.Kind, m.ReplyTo, m.Text = chat.KindButton, on, r.PostFormValue("choice")
	} else if chat.IsCommand(m.Text) {
		m.Kind = chat.KindCommand
	}
	if m.Text == "" || !idForm().MatchString(m.ID) {
		p.refuse(w, r, http.StatusBadRequest, wordsEmpty)
		return
	}
	err := p.Chat.say(r.Context(), m)
	switch {
	case errors.Is(err, errGone):
		p.refuse(w, r, http.StatusConflict, "This choice is not open any more. Nothing was done.")
	case err != nil:
		p.o.Log.Error("message from the control page", "err", err)
		p.refuse(w, r, http.StatusServiceUnavailable, wordsDown)
	default:
		lead(w, r, "/chat#end")
	}
}
