package gate_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
)

// desk is a confirmation desk whose one action counts.
type desk struct {
	*gate.Confirmations
	agent agent
	done  atomic.Int32
	last  atomic.Value // the arguments
	h     chat.Handler
}

func newDesk(t *testing.T, s *memory.Store, c *clock) *desk {
	t.Helper()
	conf, err := gate.NewConfirmations(t.Context(), s.Questions, s.Access, c.now)
	must(t, err)
	d := &desk{Confirmations: conf}
	d.h = stored(s, conf.Wrap(&d.agent, map[string]gate.Do{"delete": func(_ context.Context, _ chat.Message, a gate.Settled,
		_ chat.Reply) (chat.Answer, error) {
		d.done.Add(1)
		d.last.Store(string(a.Args))
		return chat.Answer{Text: "gone"}, nil
	}}))
	return d
}

// stored ends the question that an answer settles, as storing the answer does.
func stored(s *memory.Store, h chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		a, err := h.Handle(ctx, m, w)
		if end, ok := a.Record.(chat.Settling); ok && err == nil {
			err = s.Questions.EndQuestion(ctx, end.Question, chat.QuestionSettled, end.Came)
		}
		return a, err
	})
}

func (d *desk) ask(t *testing.T, m chat.Message, args string) chat.Answer {
	t.Helper()
	a, err := d.Ask(t.Context(), m, "Delete it?", gate.Action{Kind: "delete", Args: []byte(args)})
	must(t, err)
	return a
}

func command(who, text string) chat.Message {
	m := group(who, text)
	m.Kind, m.Addressed = chat.KindCommand, true
	return m
}

func press(who, data string) chat.Message {
	m := group(who, data)
	m.Kind, m.Addressed = chat.KindButton, true
	return m
}

// TestConfirmations: what waits for a yes is done once, for the person who was
// asked, with the arguments that were shown.
func TestConfirmations(t *testing.T) {
	type step struct {
		m    chat.Message
		want string
	}
	asked := group(owner, "delete it")
	elsewhere := named(owner, "yes")
	elsewhere.Key.Channel = "-200"
	forwarded := named(owner, "yes")
	forwarded.Forwarded = true
	yes, no := "\x00yes", "\x00no" // the buttons
	tests := map[string]struct {
		wait  time.Duration
		steps []step
		done  int32
	}{
		"yes":    {0, []step{{named(owner, " Yes! "), "gone"}, {named(owner, "yes"), "agent"}}, 1},
		"no":     {0, []step{{named(owner, "no"), "nothing was changed"}, {named(owner, "yes"), "agent"}}, 0},
		"button": {0, []step{{press(owner, yes), "gone"}, {press(owner, yes), "has answered that already: gone"}}, 1},
		"no button": {0, []step{{press(owner, no), "nothing was changed"}, {press(owner, yes),
			"answered that already: All right, nothing"}}, 0},
		"another person": {0, []step{{named(member, "yes"), "agent"}, {press(member, yes), "not yours"}, {press(owner, yes), "gone"}}, 1},
		"another place":  {0, []step{{elsewhere, "agent"}, {named(owner, "yes"), "gone"}}, 1},
		"something else": {0, []step{{named(owner, "what time is it?"),
			"agent\n\n_I am still waiting for your yes or no:_\nDelete it?"}, {named(owner, "yes"), "gone"}}, 1},
		"a command": {0, []step{{named(owner, "/status"), "agent"}, {named(owner, "yes"), "gone"}}, 1},
		"stop":      {0, []step{{command(owner, "/stop"), "nothing was changed"}, {press(owner, yes), "already"}}, 0},
		"forwarded": {0, []step{{forwarded, "agent"}, {named(owner, "yes"), "gone"}}, 1},
		"something else, late": {5 * time.Minute, []step{{named(owner, "what time is it?"), "agent"}, {named(owner, "yes"), "agent"},
			{press(owner, yes), "expired"}}, 0},
		"others go on":         {0, []step{{named(member, "what?"), "agent"}, {named(owner, "yes"), "gone"}}, 1},
		"just in time":         {5*time.Minute - time.Second, []step{{named(owner, "yes"), "gone"}}, 1},
		"too late":             {5 * time.Minute, []step{{named(owner, "yes"), "expired"}, {named(owner, "yes"), "agent"}}, 0},
		"too late by button":   {5 * time.Minute, []step{{press(owner, yes), "expired"}}, 0},
		"forged":               {0, []step{{press(owner, "yes:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAA"), "not yours"}}, 0},
		"verdict turned":       {0, []step{{press(owner, "\x00turned"), "not yours"}, {named(owner, "yes"), "gone"}}, 1},
		"somebody's else's UI": {0, []step{{press(owner, "page:2"), "agent"}}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			d := newDesk(t, store(t, c), c)
			a := d.ask(t, asked, `{"id":7}`)
			data := map[string]string{yes: a.Buttons[0][0].Data, no: a.Buttons[0][1].Data}
			data["\x00turned"] = "yes" + strings.TrimPrefix(data[no], "no")
			c.pass(tt.wait)
			for _, st := range tt.steps {
				if real := data[st.m.Text]; real != "" {
					st.m.Text = real
				}
				wantText(t, handle(t, d.h, st.m), st.want)
			}
			if d.done.Load() != tt.done {
				t.Errorf("done %d times", d.done.Load())
			}
		})
	}
}

// Questions wait one behind the other: a yes is to the newest, and a button to
// its own.
func TestQuestionsWaitSideBySide(t *testing.T) {
	c := newClock()
	d := newDesk(t, store(t, c), c)
	old := d.ask(t, group(owner, "x"), `1`).Buttons[0][0].Data
	c.pass(time.Second)
	d.ask(t, group(owner, "x"), `2`)
	if len(old) > 64 {
		t.Errorf("button data has %d bytes", len(old))
	}
	for _, want := range []string{"2", "1"} {
		wantText(t, handle(t, d.h, named(owner, "yes")), "gone")
		if d.last.Load() != want {
			t.Errorf("did %v", d.last.Load())
		}
	}
	wantText(t, handle(t, d.h, press(owner, old)), "already")
	wantText(t, handle(t, d.h, named(owner, "yes")), "agent")
}

func TestConfirmationRace(t *testing.T) {
	c := newClock()
	d := newDesk(t, store(t, c), c)
	button := press(owner, d.ask(t, group(owner, "x"), `1`).Buttons[0][0].Data)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			m := button
			if i%2 == 0 {
				m = named(owner, "yes")
			}
			handle(t, d.h, m)
		})
	}
	wg.Wait()
	if d.done.Load() != 1 {
		t.Errorf("done %d times", d.done.Load())
	}
}

func TestQuestionSurvivesARestart(t *testing.T) {
	c := newClock()
	dir := filepath.Join(t.TempDir(), "data")
	s := reopen(t, dir, c)
	data := newDesk(t, s, c).ask(t, group(owner, "x"), `1`).Buttons[0][0].Data
	must(t, s.Close())
	d := newDesk(t, reopen(t, dir, c), c)
	wantText(t, handle(t, d.h, press(owner, data)), "gone")
}

// TestCommandAsksFirst: permission is checked again when the yes comes.
func TestCommandAsksFirst(t *testing.T) {
	c := newClock()
	s := store(t, c)
	conf, err := gate.NewConfirmations(t.Context(), s.Questions, s.Access, c.now)
	must(t, err)
	role := gate.Owner
	cmds, err := gate.NewCommands([]gate.Command{{
		Name: "forget", Help: "forget one", Who: gate.Owner, Private: true,
		Options: []gate.Option{{Name: "id", Help: "which", Kind: gate.Number, Required: true}},
		Confirm: func(_ context.Context, r gate.Request) (string, error) { return "Forget " + r.Args["id"] + "?", nil },
		Run:     echo,
	}}, gate.CommandOptions{Confirm: conf, Role: func(context.Context, chat.Message) (gate.Role, error) { return role, nil }})
	must(t, err)
	h := conf.Wrap(cmds.Wrap(&agent{}), cmds.Actions())
	for want, then := range map[string]gate.Role{"forget|id=7": gate.Owner, "for my owner": gate.Member} {
		role = gate.Owner
		a := handle(t, h, group(owner, "/forget 7"))
		wantText(t, a, "Shall I really do that (/forget 7)?")
		if a.Private {
			t.Error("a private question loses its answer")
		}
		role = then
		wantText(t, handle(t, h, named(owner, "yes")), want)
	}
}
