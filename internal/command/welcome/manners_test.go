package welcome_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/welcome"
	"parley/internal/text/catalog"
)

// outlet is an adapter that cuts nothing.
type outlet struct {
	chat.Adapter
	name string
}

func (o outlet) Platform() string           { return o.name }
func (o outlet) Split(text string) []string { return []string{text} }

// rows knows the direct chats of those who have one.
type rows struct {
	open map[string]bool
	sent map[string]chat.Part
}

func (r rows) direct(_ context.Context, id string) (chat.Key, error) {
	if !r.open[id] {
		return chat.Key{}, errors.New("none")
	}
	return chat.DirectKey(id), nil
}

func (r rows) notify(_ context.Context, what string, parts []chat.Part) error {
	r.sent[what] = parts[len(parts)-1]
	return nil
}

// TestTellPrefersTheOwnerOfThePlatform: one owner is told, where it happened if there is
// one, and one who can be reached otherwise.
func TestTellPrefersTheOwnerOfThePlatform(t *testing.T) {
	for name, tt := range map[string]struct {
		owners, open []string
		platform     string
		to           string
	}{
		"of the platform":     {[]string{"a:1", "b:2"}, []string{"a:1", "b:2"}, "b", "b:2"},
		"nobody there":        {[]string{"a:1"}, []string{"a:1"}, "b", "a:1"},
		"the second":          {[]string{"a:1", "a:3"}, []string{"a:3"}, "a", "a:3"},
		"on no platform here": {[]string{"c:1"}, []string{"c:1"}, "a", ""},
		"nobody":              {nil, nil, "a", ""},
	} {
		r := rows{open: map[string]bool{}, sent: map[string]chat.Part{}}
		for _, id := range tt.open {
			r.open[id] = true
		}
		o := welcome.Owners{List: func(context.Context) ([]string, error) { return tt.owners, nil }, Direct: r.direct, Notify: r.notify,
			Flush: func(chat.Key) {}, Speak: func(context.Context, string) catalog.Printer { return catalog.Printer{} },
			Adapters: func() []chat.Adapter { return []chat.Adapter{outlet{name: "a"}, outlet{name: "b"}} }}
		err := o.Tell(t.Context(), welcome.Notice{What: "x", Platform: tt.platform, Say: func(catalog.Printer) (string,
			[][]chat.Button) {
			return "hello", nil
		}})
		if got := r.sent["x"].To.ID; got != tt.to || (err == nil) != (tt.to != "") {
			t.Errorf("%s: told %q, %v", name, got, err)
		}
	}
}

// TestNamesOfOthersAreShownPlainly: who asks, and what a group is called, is chosen by
// strangers.
func TestNamesOfOthersAreShownPlainly(t *testing.T) {
	var told string
	var buttons [][]chat.Button
	o := welcome.Manners{Name: "Parley", Adapters: func() []chat.Adapter { return nil }, Log: slog.New(slog.DiscardHandler),
		Tell:  func(_ context.Context, n welcome.Notice) error { told, buttons = n.Say(catalog.Printer{}); return nil },
		Talks: func(context.Context, chat.Message) (bool, error) { return true, nil }}
	o.Knock(t.Context(), chat.User{ID: "a:5", Name: "[click](http://evil) `x`\n@all"}, "1")
	if strings.ContainsAny(told[:strings.Index(told, " (a:5)")], "[]()`@\n") {
		t.Errorf("told %q", told)
	}
	a, err := o.Wrap(nil).Handle(t.Context(), chat.Message{Kind: chat.KindAdded, Key: chat.Key{Platform: "a", Channel: "-1"},
		Title: "**G**"}, nil)
	if err != nil || strings.Contains(a.Text, "let in") || strings.Contains(told, "*") || len(buttons[0]) != 1 {
		t.Errorf("said %q, told %+v, %v", a.Text, told, err)
	}
}
