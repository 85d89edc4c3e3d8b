package main

import (
	"fmt"
	"regexp"
	"strings"

	"parley/internal/text/waittest"
)

var factNumber = regexp.MustCompile(`#(\d+)`)

// holds counts the facts that say something.
func (c *crossing) holds(word string) int {
	return c.h.one("SELECT count(*) FROM key_facts WHERE valid_to = '' AND content LIKE '%" + word + "%'")
}

// knowing adds facts and takes the last change back, whatever happened to others.
func knowing(c *crossing) part {
	one, two := fmt.Sprintf("likes zq%da", c.n), fmt.Sprintf("likes zq%db", c.n)
	first, second := c.keeps(), c.keeps()
	return part{
		begin: func() {
			first, c.did["changed"] = c.keeps(), true
			c.tells("/facts add " + one)
		},
		end: func() {
			second, c.did["changed"] = c.keeps(), true
			got := c.tells("/facts add " + two)
			number := factNumber.FindStringSubmatch(got)
			if number == nil {
				c.wrong("/facts add says %q", got)
				return
			}
			c.tells("/facts undo")
			if c.holds(two) != 0 || c.holds(one) != 1 && first() && !c.did["undone"] {
				c.wrong("undo left %d of the last and %d of the one before", c.holds(two), c.holds(one))
			}
			c.tells("/facts add " + two)
			if c.holds(one) == 1 && c.r.IntN(2) == 0 {
				c.tells(fmt.Sprint("/facts forget ", c.h.one("SELECT number FROM key_facts WHERE valid_to = '' AND content = '"+one+"'")))
				if c.say(0, "yes") == "" {
					c.wrong("the yes to forgetting was not answered")
				}
				c.tells("/facts undo")
				if c.holds(one) != 1 || c.holds(two) != 1 {
					c.wrong("undo after forgetting left %d of what was forgotten, and %d of the other", c.holds(one), c.holds(two))
				}
			}
			c.did["undone"] = false // from now on it may be this fact that somebody else takes back
		},
		again: func() {
			if list := c.tells("/facts search " + two); !strings.Contains(list, two) && second() && !c.did["undone"] {
				c.wrong("the fact is not found: %q", list)
			}
		},
		check: func() {
			if n := c.holds(two); n > 1 || n == 0 && second() && !c.did["undone"] {
				c.wrong("the fact is there %d times", n)
			}
		},
	}
}

// learning has a fact made from a message.
func learning(c *crossing) part {
	word := fmt.Sprintf("zl%dq", c.n)
	return part{
		begin: func() { c.did["changed"] = true; c.talk(0, `please call save_fact {"content":"Plays `+word+`"}`) },
		check: func() {
			if n := c.holds(word); n > 1 {
				c.wrong("it was saved %d times", n)
			}
		},
	}
}

func parting(c *crossing) part {
	still := c.keeps()
	return part{
		begin: func() { still = c.keeps(); c.talk(0, "let us talk") },
		end: func() {
			got := c.tells("/session end")
			if !strings.Contains(got, "Goodbye") && !strings.Contains(got, "Auf Wiedersehen") && still() &&
				!c.did["resumed"] && !c.did["digested"] && !c.did["parted"] {
				c.wrong("/session end says %q", got)
			}
			c.did["parted"] = true
		},
		again: func() { c.talk(0, "back again") },
		check: func() {
			platform, channel := c.seat.place()
			if n := c.h.one(fmt.Sprintf("SELECT count(*) FROM sessions WHERE platform = '%s' AND channel = '%s' AND status IN "+
				"('active', 'idle', 'suspended')", platform, channel)); n > 1 {
				c.wrong("%d conversations are open", n)
			}
		},
	}
}

func travelling(c *crossing) part {
	word := fmt.Sprintf("shoes%dq", c.n)
	count := func() int { return c.h.one("SELECT count(*) FROM tasks WHERE description = 'call about " + word + "'") }
	sure, still := false, c.keeps()
	return part{
		begin: func() {
			sure = !c.did["spent"] && !c.did["handed"] && !c.did["outage"] && !c.did["stopping"]
			c.talk(0, "a ticket, please")
			c.steps++
			c.did["journey"], still = true, c.keeps()
		},
		end: func() {
			sure = sure && !c.did["spent"] && !c.did["handed"] && !c.did["outage"] && !c.did["stopping"] && !c.did["parted"] &&
				!c.did["resumed"] && !c.did["forgot"] &&
				!c.did["clerk"] && !c.did["parcel"] && still()
			still = c.keeps()
			tok := fmt.Sprintf("tok-%d-%d.", c.n, c.said+1)
			got := c.talk(0, "it is about "+word)
			c.steps++
			c.did["journey"] = false
			if strings.Contains(got, "Add the task") { // where others wrote, it asks
				delete(c.tokens, tok)
				question, _ := c.newest("Add the task")
				c.answers(question, "yes")
			}
			sure = sure && !strings.Contains(got, "OUTCOME_UNKNOWN")
		},
		check: func() {
			if n := count(); n > 1 || n == 0 && sure && still() {
				c.wrong("the journey's task is there %d times", n)
			}
		},
	}
}

// prompt returns the system text of the newest request of this crossing.
func (c *crossing) prompt(tok string) (all string) {
	for _, r := range c.h.llm.Requests() {
		if last := wholePrompt(r); strings.Contains(last, tok) && len(r.ResponseFormat) == 0 {
			all = last
		}
	}
	return all
}

func changingAgents(c *crossing) part {
	return part{
		begin: func() {
			if got := c.say(owner, "/agent use clerk"); !strings.Contains(got, "clerk") {
				c.wrong("/agent use says %q", got)
			}
			c.did["clerk"] = true
		},
		end: func() {
			if c.did["spent"] || c.did["handed"] || c.did["outage"] {
				return
			}
			c.talk(1, "who are you?")
			if all := c.prompt(fmt.Sprintf("tok-%d-%d.", c.n, c.said)); !strings.Contains(all, "You are the clerk") {
				c.wrong("another agent answered")
			}
		},
		check: func() {
			if _, channel := c.seat.place(); c.h.one("SELECT count(*) FROM agent_places WHERE channel = '"+channel+"'") == 0 {
				c.wrong("the binding is gone")
			}
		},
	}
}

func editing(c *crossing) part {
	old := fmt.Sprintf("zy%dold", c.n)
	id, tok := "", ""
	return part{
		begin: func() {
			tok = c.token()
			silent := c.did["spent"] || c.did["handed"] || c.did["outage"] || c.did["stopping"]
			if silent {
				delete(c.tokens, tok)
			}
			words := tok + " note " + old
			id = c.seat.says(0, words, "")
			c.settle(words, id)
		},
		end: func() {
			if s, ok := c.seat.(*onTG); ok && s.old != 0 {
				return // what stands in the old group nobody can edit
			}
			c.seat.edits(0, id, tok+" note nothing")
			waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
			if !c.quiet() {
				c.tells("/status") // what is read ahead of an answer is read while the message before it is dealt with
			}
			c.unread(old)
		},
	}
}

// unread checks that the model is not given words any more.
func (c *crossing) unread(old string) {
	if c.did["spent"] || c.did["handed"] || c.did["outage"] || c.did["stopping"] {
		return
	}
	c.talk(0, "what did I say?")
	if all := c.prompt(fmt.Sprintf("tok-%d-%d.", c.n, c.said)); strings.Contains(all, old) {
		c.log = append(c.log, fmt.Sprintf("the model reads, with %d pages of conversations that have it: %s",
			c.h.one("SELECT count(*) FROM sessions WHERE page LIKE '%"+old+"%'"), all))
		c.wrong("the model still reads what was taken back")
	}
}

func deleting(c *crossing) part {
	old := fmt.Sprintf("zd%dold", c.n)
	id := ""
	return part{
		begin: func() {
			tok := c.token()
			if c.did["spent"] || c.did["handed"] || c.did["outage"] || c.did["stopping"] {
				delete(c.tokens, tok)
			}
			id = c.seat.says(0, tok+" note "+old, "")
			c.settle(old, id)
		},
		end: func() {
			c.seat.deletes(id)
			c.unread(old)
		},
	}
}

func streaming(c *crossing) part {
	return part{
		begin: func() { c.mood(mood{chunks: 4}); c.did["streams"] = true },
		end:   func() { c.talk(0, "tell me a lot"); c.mood(mood{}) },
	}
}

func stopping(c *crossing) part {
	tok := ""
	return part{
		begin: func() { c.mood(mood{delay: 0}) },
		end: func() {
			tok = c.token()
			delete(c.tokens, tok)
			c.mood(mood{delay: 0, chunks: 8})
			first := c.seat.says(0, tok+" tell me a lot", "")
			got := c.say(0, "/stop")
			c.settle("what was stopped", first)
			c.mood(mood{})
			if got == "" {
				c.wrong("/stop was not answered")
			}
		},
		check: func() {
			n := 0
			for _, m := range c.seat.sees() {
				n += strings.Count(m.text, tok)
			}
			if n > 1+c.twice() {
				c.wrong("what was stopped was answered %d times", n)
			}
		},
	}
}

func spending(c *crossing) part {
	return part{
		begin: func() {
			c.talk(0, "spend all")
			if !c.did["handed"] && !c.did["outage"] {
				c.did["spent"] = true
			}
		},
	}
}

func asideAsking(c *crossing) part {
	word := fmt.Sprintf("zp%dq", c.n)
	return part{
		begin: func() { c.tells("/facts add " + word) },
		end:   func() { c.tells("/facts list") },
		check: func() {
			if m, ok := c.newest(word); ok {
				c.wrong("everybody reads %q", m.text)
			}
		},
	}
}

func failing(c *crossing) part {
	return part{
		begin: func() { c.mood(mood{status: 500}); c.did["outage"] = true },
		end: func() {
			c.mood(mood{})
			c.talk(0, "are you back?") // with what was asked meanwhile, in one answer
			c.did["outage"] = false
		},
	}
}

func slowing(c *crossing) part {
	return part{
		begin: func() { c.mood(mood{delay: 150_000_000}) },
		end:   func() { c.talk(0, "slowly"); c.mood(mood{}) },
	}
}

func speaking(c *crossing) part {
	return part{
		begin: func() {
			c.did["german"] = true
			if got := c.tells("/language de"); !strings.Contains(got, "Deutsch") {
				c.wrong("/language says %q", got)
			}
		},
		end: func() { c.tells("/language en"); c.did["german"] = false },
	}
}

func together(c *crossing) part {
	var mine, theirs []string
	return part{
		end: func() {
			for range 2 {
				c.said++
				mine = append(mine, c.seat.says(0, fmt.Sprintf("ours-%d-%d.", c.n, c.said), ""))
				tok := c.token()
				if c.did["handed"] || c.did["outage"] {
					delete(c.tokens, tok)
				}
				theirs = append(theirs, c.seat.says(1, tok+" me too", ""))
			}
			for _, id := range append(mine, theirs...) {
				c.settle("one of many", id)
			}
		},
	}
}
