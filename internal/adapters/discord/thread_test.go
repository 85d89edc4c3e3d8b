package discord

import (
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestAConversationHasAThread: where that is wanted, a mention is answered in a thread
// of its own, where everything is meant for the bot.
func TestAConversationHasAThread(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Threads: true})
	if err != nil {
		t.Fatal(err)
	}
	running(t, a, in, s)
	heard := func(n int) chat.Message {
		t.Helper()
		until(t, "a message", func() bool { return len(in.texts()) >= n })
		return in.last()
	}
	id := s.Message("77", "50", "42", "<@9000> what about <@43> and tea? "+strings.Repeat("long ", 40))
	m := heard(1)
	in50 := chat.Key{Platform: Platform, Channel: "50", Thread: id}
	if m.Key != in50 || !m.Addressed {
		t.Errorf("heard %+v", m)
	}
	if name := s.ThreadName(id); !strings.HasPrefix(name, "what about and tea? long") || len(name) > 60 {
		t.Errorf("the thread is called %q", name)
	}
	if _, err := a.Send(t.Context(), chat.Part{Key: m.Key, ReplyTo: m.ID, Text: "Tea is good.", Nonce: "n1"}); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(); len(sent) != 1 || sent[0].Channel != id || sent[0].ReplyTo != "" {
		t.Errorf("sent %+v", sent)
	}
	s.Message("77", id, "43", "and coffee?")
	if m = heard(2); m.Key != in50 || !m.Addressed || m.Text != "and coffee?" {
		t.Errorf("heard %+v", m)
	}
	s.Edit(id, "<@9000> changed")
	if m = heard(3); m.Kind != chat.KindEdit || m.Key != in50 {
		t.Errorf("heard %+v", m)
	}
	s.Delete("77", "50", id)
	if m = heard(4); m.Kind != chat.KindDeleted || m.Key != in50 {
		t.Errorf("heard %+v", m)
	}
	s.Message("77", "50", "42", "not for the bot")
	if m = heard(5); m.Key.Thread != "" || m.Addressed {
		t.Errorf("heard %+v", m)
	}
	s.Unthreaded("51")
	s.Message("77", "51", "42", "<@9000> here")
	if m = heard(6); m.Key.Thread != "" || !m.Addressed || m.Key.Channel != "51" {
		t.Errorf("where no thread may be opened: %+v", m)
	}
	s.Thread("60", "50") // somebody else's
	s.Message("77", "60", "42", "among ourselves")
	if m = heard(7); m.Addressed || m.Key.Thread != "60" {
		t.Errorf("heard %+v", m)
	}
	s.Message("", "10", "42", "alone")
	if m = heard(8); m.Key.Thread != "" {
		t.Errorf("heard %+v", m)
	}
}
