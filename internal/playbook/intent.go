package playbook

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/saying"
	"parley/internal/text"
)

// What people say when they change their mind, where no model is asked. A model is,
// in any language, whenever a message does not answer the step it meets.
var (
	saysEnough = text.Pattern(
		`(?i)^\W*(never ?mind|forget (it|that|about it)|drop (it|that)|leave (it|that)|cancel( (it|that|this))?|stop( (it|that|this))?|quit|abort|i('ve| have)? changed my mind|let'?s (stop|drop it))\W*$`)
	saysLeave = text.Pattern(
		`(?i)\b(forget|drop|cancel|stop|quit|leave|abort|skip|never ?mind|no longer (want|need)|(do not|don'?t|does not|doesn'?t) (want|need)|changed my mind)\b`)
	saysRather = text.Pattern(`(?i)\b(instead|rather|forget|never ?mind|changed my mind)\b`)
	saysGoOn   = text.Pattern(`(?i)\b(back to|return to|continue|resume|go on|going on|carry on|take up|pick up|where were we)\b`)
	saysWhere  = text.Pattern(`(?i)^\W*(where were we|let'?s (continue|go on|carry on)|(please )?(continue|go on|carry on))\W*$`)
)

// turnAway does what a message wants done with journeys other than answering the step
// in front: leave it, begin another one or take one up again. It reports whether
// another journey is in front now that the message itself does not answer.
func (t *turn) turnAway(k *track) bool {
	step := t.step(k)
	if step != nil {
		if tr, _ := t.next(step, true); tr != nil && tr.when.OfMessage() {
			return false // the journey has a way of its own for these words
		}
	}
	next, j, why := t.wanted(k)
	if front := k.front(); front != nil && t.leaves(front, next != nil) {
		t.why("journey %q was left at the step %q", t.book.journeys[front.ID].Name, t.book.journeys[front.ID].stepName(front.Step))
		k.finish(front, Left, "left by the person", t.sit.Now)
		if next == nil {
			return k.front() != nil
		}
	}
	if next == nil {
		return false
	}
	t.events[EventStepEntered] = true
	if j != nil {
		k.takeUp(j, t.sit.Now)
		t.why("journey %q goes on at the step %q, because %s", next.Name, next.stepName(j.Step), why)
		return true
	}
	k.begin(next, t.sit.Now)
	t.events[EventJourneyStarted] = true
	t.why("journey %q started at the step %q, because %s", next.Name, next.stepName(next.InitialStep), why)
	return true
}

// wanted returns the journey that a message asks for, nil for none; j is its earlier
// state if it goes on from there.
func (t *turn) wanted(k *track) (next *Journey, j *journeyState, why string) {
	var top float64
	for _, def := range t.book.doc.Journeys {
		if at := k.front(); def.shared() != k.shared || at != nil && at.ID == def.ID {
			continue
		}
		old := k.open(def.ID)
		var score float64
		var because string
		if def.Trigger != "" && (def.Repeat || !k.past(def.ID)) {
			score, because = t.holds(def.trigger)
		}
		if old != nil {
			if again, reason := t.goesOn(k, def, old); again > score {
				score, because = again, reason
			}
		}
		if score >= t.book.threshold && score > top {
			next, j, top, why = def, old, score, because
		}
	}
	return next, j, why
}

// goesOn returns how much a message wants to go on with a journey that was put aside
// or left.
func (t *turn) goesOn(k *track, def *Journey, old *journeyState) (score float64, why string) {
	first := slices.IndexFunc(k.Journeys, func(j *journeyState) bool { return j != k.front() && (j.alive() || j.Status == Left) })
	switch {
	case t.sit.Forwarded || old.Status == Suspended:
		return 0, ""
	case saysGoOn().MatchString(t.sit.Text) && t.mentions(def):
		return 1, "the message goes back to it"
	case k.front() == nil && saysWhere().MatchString(t.sit.Text) && k.Journeys[first] == old:
		return 1, "the message goes on where it stood"
	}
	v := t.verdicts[resumeWords(def)]
	return v.Relevance, v.Reason
}

// leaves reports whether a message gives up the journey in front. switching means that
// it begins another one.
func (t *turn) leaves(front *journeyState, switching bool) bool {
	def := t.book.journeys[front.ID]
	switch {
	case t.sit.Forwarded || def == nil:
		return false
	case saysEnough().MatchString(t.sit.Text), saysLeave().MatchString(t.sit.Text) && t.mentions(def), switching &&
		saysRather().MatchString(t.sit.Text):
		return true
	}
	return t.verdicts[leaveWords(def)].Relevance >= max(t.book.threshold, sureEnough)
}

// sureEnough is how sure a model has to be that somebody gives something up.
const sureEnough = 0.6

// mentions reports whether the message has a word of a journey's name.
func (t *turn) mentions(j *Journey) bool {
	return slices.ContainsFunc(saying.Words(j.Name+" "+j.ID), func(w string) bool { return slices.Contains(t.words(), w) })
}

func leaveWords(j *Journey) string {
	return fmt.Sprintf("the person gives up %q (%s), or wants something else instead of it", j.Name, j.Description)
}

func resumeWords(j *Journey) string {
	return fmt.Sprintf("the person wants to go on with %q (%s), which was put aside", j.Name, j.Description)
}

// mindQuestions asks whether the person changes their mind about journeys. They are
// worth a call of their own when the message does not answer the step in front.
func (t *turn) mindQuestions(k *track) (out []judge.Asked, worth bool) {
	front := k.front()
	if front != nil {
		def := t.book.journeys[front.ID]
		out = append(out, judge.Asked{ID: "leave:" + def.ID, When: leaveWords(def), Version: version(leaveWords(def))})
		worth = t.offTopic(k)
	}
	for _, def := range t.book.doc.Journeys {
		if def.shared() != k.shared || front != nil && front.ID == def.ID {
			continue
		}
		if old := k.open(def.ID); old != nil && old.Status != Suspended {
			out = append(out, judge.Asked{ID: "resume:" + def.ID, When: resumeWords(def), Version: version(resumeWords(def))})
		}
		if front != nil && def.trigger.Judged() && (def.Repeat || !k.past(def.ID)) {
			out = append(out, t.asks("start:"+def.ID, def.trigger)...)
		}
	}
	return out, worth
}

// offTopic reports whether a message does not seem to answer the step in front: no
// pattern learned anything from it, and no transition that code decides wants it.
func (t *turn) offTopic(k *track) bool {
	step := t.step(k)
	if step == nil || t.sit.Forwarded || strings.TrimSpace(t.sit.Text) == "" || t.learned {
		return false
	}
	for _, tr := range step.Transitions {
		if score, _ := t.holds(tr.when); score >= t.book.threshold && tr.when.Kind != condition.Always {
			return false
		}
	}
	next, _, _ := t.wanted(k)
	return next == nil && !t.leaves(k.front(), false)
}
