package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
)

// told lets somebody talk to an agent in a place, and leaves in every row that can
// hold it a word that only that agent was told.
func told(t *testing.T, s *Store, agent string, k chat.Key, direct bool) (word string) {
	t.Helper()
	word = "zq" + strings.ReplaceAll(agent, "*", "own") + k.Channel
	m := chat.Message{ID: word, Key: k, From: chat.User{ID: "x:ann", Name: "Ann"}, Guild: "g", Text: "x", Addressed: true,
		Direct: direct, At: time.Now(), Agent: chat.Agent{ID: agent}}
	v := provenance.ViewerOf(m)
	f := save(t, s, v, "Ann likes "+word)
	_, err := s.Facts.UpdateFact(bg, v, f.ID, facts.NewFact{Content: "Ann loves " + word, Tags: []string{word}})
	must(t, err)
	must(t, second(s.Facts.ForgetFact(bg, v, save(t, s, v, "Ann owns a boat called "+word).ID)))
	if !direct {
		must(t, second(s.Facts.SaveFact(bg, v, facts.NewFact{Scope: facts.ScopeChannel, Content: "Here we plan " + word})))
		must(t, second(s.Facts.SaveFact(bg, v, facts.NewFact{Scope: facts.ScopeGuild, Content: "All of us plan " + word})))
	}
	must(t, second(s.Facts.SaveFact(bg, v, facts.NewFact{Content: "Ann cooks " + word, Author: "assistant",
		Worth: facts.Worth{Rank: facts.PickedUp, Later: true}})))
	must(t, second(s.Agenda.AddTask(bg, v, "do "+word, "", Origin{})))
	must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: "did " + word}, "")))
	must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: m.From, Key: k,
		Text: word, Due: time.Now().Add(time.Hour), Agent: agent}, "")))
	for i := range 2 { // one that is over, and one that is alive
		m.ID = fmt.Sprint(word, i)
		in, err := s.Accept(bg, chat.Batch{Platform: k.Platform, Messages: []chat.Message{m}})
		must(t, err)
		in[0].Agent = m.Agent
		se, err := s.Sessions.NewSession(bg, Place{Key: k, Agent: agent}, true)
		must(t, err)
		se.Direct, se.LastActivity, se.Expires = direct, time.Now(), time.Now().Add(time.Hour)
		se.Summary, se.Title, se.Decisions, se.Playbook = "about "+word, word, []sessions.Decision{{Text: "we take " + word}},
			`{"v":2,"word":"`+word+`"}`
		must(t, s.Finish(bg, in[0], nil, &Turn{Session: &se, Person: PersonNote{To: `{"word":"` + word + `"}`}, Entries: []Entry{
			{Role: "user", User: m.From.ID, Name: m.From.Name, Content: "the harbour password is " + word, MessageID: m.ID,
				At: time.Now(), Origin: Origin{Via: provenance.ViaTyped}},
			{Role: "assistant", User: m.From.ID, Content: "noted: the harbour password is " + word, At: time.Now()}},
			Decision: Decision{End: chat.End{Outcome: chat.Answered}, Detail: Detail{Reason: word}}}))
		if i == 0 {
			se, _, err = s.Sessions.LiveSession(bg, Place{Key: k, Agent: agent})
			must(t, err)
			must(t, second(s.Sessions.EndSession(bg, se, Completed, Closing{Text: "closed with " + word, Title: word}, true)))
		}
	}
	return word
}

// seen is everything that an agent can be given about somebody somewhere, by reader.
func seen(t *testing.T, s *Store, m chat.Message) map[string]string {
	t.Helper()
	v, p, all := provenance.ViewerOf(m), Place{Key: m.Key, Agent: m.Agent.ID}, map[string]string{}
	const asked = "what is the harbour password, what does Ann love, what was decided and planned?"
	read := func(reader string, what any, err error) {
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, facts.ErrNoChange) && !errors.Is(err, facts.ErrNone) {
			t.Fatalf("%s: %v", reader, err)
		}
		b, err := json.Marshal(what)
		must(t, err)
		all[reader] = string(b)
	}
	list, err := s.Facts.Facts(bg, v, 1000, 0)
	read("facts", list, err)
	known, err := s.Facts.FactsFor(bg, v, asked, 10_000)
	read("facts for a message", known, err)
	list, err = s.Facts.SearchFacts(bg, v, asked, 100)
	read("facts that fit", list, err)
	list, err = s.Facts.FindFacts(bg, v, facts.Query{Limit: 100})
	read("facts that are looked for", list, err)
	learned, err := s.Facts.Learned(bg, v, facts.Query{Limit: 100})
	read("facts that were learned", learned, err)
	untold, err := s.Facts.Untold(v, 100)
	read("changes that were not told", untold, err)
	is, _, err := s.Facts.Undoable(bg, v, 0)
	undone, uerr := s.Facts.Undo(bg, v, is.ID)
	read("what can be undone", undone, errors.Join(err, uerr))
	for id := range int64(60) {
		f, before, err := s.Facts.FactHistory(bg, v, id)
		read(fmt.Sprint("history of fact ", id), []any{f, before}, err)
		f, err = s.Facts.Forgotten(bg, v, id)
		read(fmt.Sprint("forgotten fact ", id), f, err)
		r, err := s.Agenda.Reminder(bg, v, id)
		read(fmt.Sprint("reminder ", id), r, ignore(err, agenda.ErrNoReminder))
		task, err := s.Agenda.Task(bg, v, id)
		read(fmt.Sprint("task ", id), task, ignore(err, agenda.ErrNoTask))
	}
	for _, k := range []chat.Key{m.Key, {}} {
		passages, err := s.Recall(bg, Query{User: v.User, Key: k, Text: asked, Agent: m.Agent.ID})
		read("recall in "+k.Channel, passages, err)
		v := v
		v.Key, v.Direct = k, k.Channel == ""
		found, err := s.Past.Search(bg, v, asked, 4000)
		read("sessions that fit in "+k.Channel, found, err)
		sessions, err := s.Past.List(bg, v, 100, 0)
		read("sessions in "+k.Channel, sessions, err)
	}
	for _, se := range everySession(t, s) {
		found, err := s.Past.Find(bg, v, se)
		read("session "+se, found, err)
	}
	live, _, err := s.Sessions.LiveSession(bg, p)
	read("the session", live, err)
	next, err := s.Sessions.NewSession(bg, p, true)
	read("the next session", next, err)
	d, err := s.Decisions.LastDecision(bg, p)
	read("the last answer", d, err)
	person, err := s.People.Person(bg, v.User, m.Agent.ID)
	read("the person", person, err)
	tasks, err := s.Agenda.Tasks(bg, v, 100, 0)
	read("tasks", tasks, err)
	reminders, err := s.Agenda.Reminders(bg, v)
	read("reminders", reminders, err)
	entries, err := s.Agenda.Log(bg, v, agenda.LogQuery{})
	read("journal", entries, err)
	return all
}

func ignore(err, which error) error {
	if errors.Is(err, which) {
		return nil
	}
	return err
}

func everySession(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	list, err := s.Sessions.Sessions(bg, SessionQuery{Limit: 1000})
	must(t, err)
	for _, se := range list {
		ids = append(ids, se.ID)
	}
	return ids
}

// What was said to one agent no reader of memory gives to another: not in another
// place, not in the same place when it was given to the other, not to who has taken
// over what was there before agents, and in no direction.
// The bot's own agent, where another goes on with its memory, is "*".
func TestAgentsKnowOnlyWhatTheyWereTold(t *testing.T) {
	dm, room := chat.Key{Platform: "x", Channel: "ann"}, chat.Key{Platform: "x", Channel: "room"}
	agents, places := []string{"", "desk", "lab", "*"}, []chat.Key{dm, room}
	s := open(t, Options{})
	words := map[string]string{} // word -> agent
	for _, agent := range agents {
		for _, k := range places {
			words[told(t, s, agent, k, k == dm)] = agent
		}
	}
	for _, agent := range agents {
		for _, k := range places {
			own, given := 0, seen(t, s, chat.Message{Key: k, From: chat.User{ID: "x:ann"}, Direct: k == dm, Guild: "g",
				Agent: chat.Agent{ID: agent}})
			for reader, text := range given {
				for word, whose := range words {
					switch has := strings.Contains(text, word); {
					case has && whose != agent:
						t.Errorf("in %s %q is given %s, which only %q was told, by %s:\n%s", k.Channel, agent, word, whose, reader, text)
					case has:
						own++
					}
				}
			}
			if own < 20 {
				t.Errorf("in %s %q knows only %d of its own words", k.Channel, agent, own)
			}
		}
	}
}

// Facts about a person follow them from agent to agent only among those that share,
// and a channel's facts never do.
func TestSharingAgentsKnowThePerson(t *testing.T) {
	dm, room := chat.Key{Platform: "x", Channel: "ann"}, chat.Key{Platform: "x", Channel: "room"}
	kin := `["","desk"]`
	for name, tt := range map[string]struct {
		teller, asker chat.Agent
		knows         bool
	}{
		"alone":              {chat.Agent{ID: ""}, chat.Agent{ID: "desk"}, false},
		"both share":         {chat.Agent{ID: "", Kin: kin}, chat.Agent{ID: "desk", Kin: kin}, true},
		"the other way":      {chat.Agent{ID: "desk", Kin: kin}, chat.Agent{ID: "", Kin: kin}, true},
		"only who asks":      {chat.Agent{ID: "lab"}, chat.Agent{ID: "desk", Kin: kin}, false},
		"only who was told":  {chat.Agent{ID: "desk", Kin: kin}, chat.Agent{ID: "lab"}, false},
		"the same one again": {chat.Agent{ID: "lab"}, chat.Agent{ID: "lab"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{})
			teller := Viewer{User: "x:ann", Key: dm, Direct: true, Agent: tt.teller}
			save(t, s, teller, "Ann is allergic to nuts")
			save(t, s, teller, "Ann lives in Rome")
			there := Viewer{User: "x:ann", Key: room, Agent: tt.teller}
			must(t, second(s.Facts.SaveFact(bg, there, facts.NewFact{Scope: facts.ScopeChannel, Content: "We meet on Mondays"})))
			asker := Viewer{User: "x:ann", Key: dm, Direct: true, Agent: tt.asker}
			list, err := s.Facts.Facts(bg, asker, 10, 0)
			must(t, err)
			if (len(list) == 2) != tt.knows {
				t.Errorf("knows %v", list)
			}
			saved, err := s.Facts.SaveFact(bg, asker, facts.NewFact{Content: "Ann lives in Oslo"})
			must(t, err)
			if (saved.Replaced != "") != tt.knows {
				t.Errorf("a correction replaced %q", saved.Replaced)
			}
			asker.Key, asker.Direct = room, false
			list, err = s.Facts.Facts(bg, asker, 10, 0)
			must(t, err)
			if same := tt.asker.ID == tt.teller.ID; (len(list) > 0) != same {
				t.Errorf("of the channel it knows %v", list)
			}
			n, _, err := s.Facts.ClearFacts(bg, Viewer{User: "x:ann", Key: dm, Direct: true, Agent: tt.asker}, true)
			must(t, err)
			left, err := s.Facts.Facts(bg, teller, 10, 0)
			must(t, err)
			if want := map[bool]int{true: 0, false: 2}[tt.knows]; len(left) != want || n == 0 {
				t.Errorf("clearing took %d, and left %v", n, left)
			}
		})
	}
}

// The export gives a person all that any agent was told, and forgetting takes it all.
func TestForgettingReachesEveryAgent(t *testing.T) {
	dm := chat.Key{Platform: "x", Channel: "ann"}
	s := open(t, Options{})
	words := []string{told(t, s, "", dm, true), told(t, s, "desk", dm, true)}
	e, err := s.ExportPerson(bg, "x:ann")
	must(t, err)
	b, err := json.Marshal(e)
	must(t, err)
	for _, w := range words {
		if n := strings.Count(string(b), w); n < 10 {
			t.Errorf("%s is exported %d times", w, n)
		}
	}
	must(t, s.ForgetPerson(bg, "x:ann", 0))
	e, err = s.ExportPerson(bg, "x:ann")
	must(t, err)
	b, err = json.Marshal(e)
	must(t, err)
	for _, w := range words {
		if strings.Contains(string(b), w) {
			t.Errorf("%s is still there", w)
		}
	}
}
