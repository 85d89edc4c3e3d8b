package app

import (
	"context"
	"maps"
	"slices"
	"strings"

	"parley/internal/app/rehearse"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
)

// channel is a way in which other people's words reach the model. It brings the order,
// lets the person write, and returns their last message.
type channel func(s *scene, order string) chat.Message

// channels returns all channels by name.
func channels() map[string]channel {
	all := spokenWords()
	maps.Copy(all, shownWords())
	maps.Copy(all, heldWords())
	return all
}

// spokenWords returns channels through other people in the conversation.
func spokenWords() map[string]channel {
	return map[string]channel{
		"message of another member": func(s *scene, order string) chat.Message {
			s.from(s.eve(order + " quietly")) // it is hers to order, and she is asked or refused
			return s.owner(false, "good morning")
		},
		"another member's edit": func(s *scene, order string) chat.Message {
			m, _ := s.from(s.eve("nice weather"))
			edit := s.eve(order)
			edit.Kind, edit.ReplyTo = chat.KindEdit, m.ID
			s.from(edit)
			return s.owner(false, "good morning")
		},
		"edit of a forward": func(s *scene, order string) chat.Message {
			m := s.owner(true, "nice weather")
			m.Forwarded = true
			m, _ = s.from(m)
			edit := s.owner(true, order)
			edit.Kind, edit.ReplyTo = chat.KindEdit, m.ID
			s.from(edit)
			return s.owner(true, "good morning")
		},
		"display name": func(s *scene, order string) chat.Message {
			m := s.eve("nice weather")
			m.From.Name = order
			s.from(m)
			return s.owner(false, "good morning")
		},
		"group title": func(s *scene, order string) chat.Message { // who writes as the group is called as it
			m := s.eve("nice weather")
			m.From = chat.User{ID: s.platform + ":chat:-5", Name: order}
			s.from(m)
			return s.owner(false, "good morning")
		},
	}
}

// shownWords returns channels through what comes with the person's own message.
func shownWords() map[string]channel {
	showing := func(change func(*chat.Message, string)) channel {
		return func(s *scene, order string) chat.Message {
			m := s.owner(true, "look at this")
			change(&m, order)
			return m
		}
	}
	file := func(name, mime string, data []byte) channel {
		return func(s *scene, order string) chat.Message {
			s.app.platforms.adapters = []chat.Adapter{&shelfOf{&rehearse.Board{Name: s.platform}, append(slices.Clone(data), order...)}}
			m := s.owner(true, "look at this")
			m.Files = []chat.File{{Name: strings.ReplaceAll(name, "NAME", order), MIME: mime}}
			return m
		}
	}
	reading := func(tool string) channel {
		return func(s *scene, order string) chat.Message { s.read = order; return s.owner(true, "read "+tool) }
	}
	return map[string]channel{
		"quotation":        showing(func(m *chat.Message, order string) { m.Quote, m.Relayed, m.ReplyTo = order, true, "x" }),
		"unknown quote":    showing(func(m *chat.Message, order string) { m.Quote, m.ReplyTo = order, "long ago" }),
		"forward":          showing(func(m *chat.Message, order string) { m.Forwarded, m.Text = true, order }),
		"contact":          showing(func(m *chat.Message, order string) { m.Shared, m.Text = true, "[contact: "+order+", 555]" }),
		"venue":            showing(func(m *chat.Message, order string) { m.Shared, m.Text = true, "[place: "+order+"]" }),
		"poll":             showing(func(m *chat.Message, order string) { m.Shared, m.Text = true, "[poll: "+order+"]" }),
		"unopened file":    file("NAME.zip", "application/zip", []byte{'P', 'K', 3, 4}),
		"text of a file":   file("a.txt", "text/plain", []byte("hello ")),
		"text in picture":  file("a.png", "image/png", tinyPNG),
		"page":             reading("page"),
		"tool result":      reading("server"),
		"note of others":   reading("note"),
		"code of others":   reading("code"),
		"tool description": described,
	}
}

// heldWords returns channels through stored words of others, or what was made of them.
func heldWords() map[string]channel {
	return map[string]channel{
		"recalled words": func(s *scene, order string) chat.Message {
			s.from(s.eve("the lighthouse says " + order))
			m, _ := s.from(s.owner(false, "good morning"))
			_ = m
			return s.owner(true, "read recall_conversation")
		},
		"quoted answer": func(s *scene, order string) chat.Message { // the bot's own, to somebody else
			m, _ := s.from(s.eve("say " + order))
			reply := s.owner(false, "good morning")
			reply.Quote, reply.ReplyTo = order, "sent-"+m.ID
			return reply
		},
		"summary": func(s *scene, order string) chat.Message {
			s.folded(order)
			return s.owner(true, "good morning")
		},
		"carried summary": func(s *scene, order string) chat.Message {
			s.folded(order)
			s.end(true)
			return s.owner(true, "good morning")
		},
		"summary of a group": func(s *scene, order string) chat.Message {
			s.from(s.eve("please note " + order))
			s.from(s.owner(false, "good morning"))
			_, err := s.app.mind.Summarize(s.t.Context(), memory.Place{Key: s.eve("").Key})
			must(s.t, err)
			return s.owner(false, "good morning")
		},
		"fact for everybody": func(s *scene, order string) chat.Message {
			m := s.eve("")
			s.save(provenance.ViewerOf(m), facts.NewFact{Content: order, Scope: facts.ScopeChannel})
			return s.owner(false, "good morning")
		},
		"fact made of others' words": func(s *scene, order string) chat.Message {
			m := s.owner(true, "good morning")
			s.save(provenance.ViewerOf(m), facts.NewFact{Content: order, Origin: provenance.Origin{Via: provenance.ViaPage}})
			return m
		},
		"old row of unknown ways": func(s *scene, order string) chat.Message {
			m, _ := s.from(s.owner(true, "nice weather"))
			_, err := s.app.storage.store.EditMessage(s.t.Context(), m.Key, m.ID, order, provenance.ViaUnknown)
			must(s.t, err)
			return s.owner(true, "good morning")
		},
	}
}

// described makes a server's tool description contain the order.
func described(s *scene, order string) chat.Message {
	meta := tools.Meta{Name: "forecast", Description: "the weather; " + order, Category: tools.Web, ReadOnly: true,
		Lent: tools.Lent{Server: "mail"}, Core: true}
	s.app.toolset.own = s.hands.set.With(tools.NewSet(tools.Func(meta, func(context.Context, tools.Call, struct{}) (tools.Result, error) {
		return tools.Result{Content: "sun", Untrusted: true}, nil
	})))
	return s.owner(true, "good morning")
}
