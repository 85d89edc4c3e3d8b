package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
	"parley/internal/text"
)

// factShare is the part of the token budget that important facts may take.
const factShare = 0.25

// maxShown bounds one fact in the prompt, in runes.
const maxShown = 500

// learned is the confidence of a fact found afterwards; one that was asked for has 1.
const learned = 0.7

func origin(f facts.Fact) string {
	how := "you told me"
	if f.Author != "user" {
		how = "I gathered it from what you said"
	}
	return fmt.Sprintf("(%s on %s)", how, f.Updated.UTC().Format("2 January 2006"))
}

// learn saves what people said about themselves, as a summary found it: only if the quoted
// words stand in a message of that person, sent since they last had something forgotten.
func (a *Agent) learn(ctx context.Context, se memory.Session, f sessions.Folded, entries []memory.Entry) {
	if !a.o.Learn {
		return
	}
	origin := se.Origin.And(transcript.Origin(entries))
	for _, fact := range f.Facts {
		e, ok := quoted(entries, fact.Person, fact.Quote)
		if !ok || facts.MayLearn(fact.Content) != nil || facts.MayLearn(fact.Quote) != nil {
			a.o.Log.Info("fact dropped: no message of theirs says it", "session", se.ID)
			continue
		}
		if origin.Outside(e.User) {
			fact.Content = fact.Quote // the summarizer may have obeyed what others wrote
		}
		kind := fact.Type
		if !slices.Contains([]string{"fact", "preference", "decision", "insight"}, kind) {
			kind = "fact"
		}
		v := provenance.Viewer{User: e.User, Key: se.Key, Direct: se.Direct, Agent: chat.Agent{ID: se.Agent, Kin: a.o.Kin}}
		_, err := a.o.Store.Facts.SaveFact(ctx, v, facts.NewFact{
			Content: fact.Content, Type: kind, Author: "assistant", Session: se.ID, Generation: se.Generation, MessageID: e.MessageID,
			Quote: text.Clip(fact.Quote, maxShown), Confidence: learned, Said: e.At, Worth: facts.Worth{Rank: facts.PickedUp,
				Spoken: e.Content + " " + e.Name, Later: true},
		})
		if err != nil {
			a.o.Log.Warn("learn", "session", se.ID, "err", err)
		}
	}
}

// quoted finds a person's own message with these words.
func quoted(entries []memory.Entry, person, quote string) (memory.Entry, bool) {
	quote = sessions.Normal(quote)
	for _, e := range entries {
		own := e.Role == llm.RoleUser && !e.Overheard() &&
			e.Origin.Via&(provenance.ViaForwarded|provenance.ViaShared|provenance.ViaUnknown) == 0
		if own && quote != "" && transcript.Called(entries, person, e.User) && strings.Contains(sessions.Normal(e.Content), quote) {
			return e, true
		}
	}
	return memory.Entry{}, false
}
