package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// here is a condition on rows of the place where people of a crossing talk.
func (c *crossing) here() string {
	platform, channel := c.seat.place()
	return fmt.Sprintf("platform = '%s' AND channel = '%s'", platform, channel)
}

// waiting counts the reminders that wait with a word.
func (c *crossing) waiting(word string) int {
	return c.h.one("SELECT count(*) FROM reminders WHERE state = 'waiting' AND text LIKE '%" + word + "%'")
}

// offered is what an undo that cannot be done says may be undone instead.
var offered = regexp.MustCompile(`/facts undo \d+`)

// undoing takes back the last of two changes, once.
func undoing(c *crossing) part {
	one, two := fmt.Sprintf("likes zv%da", c.n), fmt.Sprintf("likes zv%db", c.n)
	still := c.keeps()
	return part{
		begin: func() {
			c.tells("/facts add " + one)
			c.tells("/facts add " + two)
			still = c.keeps()
		},
		end: func() {
			last := still() && c.holds(two) == 1
			c.did["undone"] = true
			got := c.tells("/facts undo")
			switch {
			case last && c.did["changed"]: // another player changed a fact since
				if more := offered.FindString(got); more != "" && strings.Contains(c.tells(more), "could undo") {
					c.wrong("undo offers %q, and that undoes nothing", more)
				}
			case last && (c.holds(one) != 1 || c.holds(two) != 0):
				c.wrong("undo left %d of the last and %d of the one before, and says %q", c.holds(two), c.holds(one), got)
			case last && !strings.Contains(got, two) && (c.torn == 0 || !strings.Contains(got, "is undone")):
				c.wrong("undo says %q", got)
			}
		},
	}
}

// moving gives a reminder another time.
func moving(c *crossing) part {
	what := fmt.Sprintf("stretch-%d", c.n)
	still, moved := c.keeps(), false
	return part{
		begin: func() {
			c.tells("/remind zone UTC")
			still = c.keeps()
			c.tells("/remind in 1 hour " + what)
		},
		end: func() {
			if c.waiting(what) != 1 || !still() {
				return
			}
			number := c.h.one("SELECT number FROM reminders WHERE text LIKE '%" + what + "%'")
			still, moved = c.keeps(), true
			if got := c.tells(fmt.Sprintf("/remind move %d in 5 hours", number)); !strings.Contains(got, what) {
				c.wrong("/remind move says %q", got)
			}
		},
		check: func() {
			if !moved || !still() {
				return
			}
			n := c.h.one("SELECT count(*) FROM reminders WHERE state = 'waiting' AND due_at > '" + stampAgo(-240) + "' AND text LIKE '%" + what + "%'")
			if n != 1 || c.waiting(what) != 1 {
				c.wrong("of what was moved %d wait, %d of them as it was moved", c.waiting(what), n)
			}
		},
	}
}

// wishing sets several reminders in one wish: all of them, once.
func wishing(c *crossing) part {
	what := fmt.Sprintf("pill-%d", c.n)
	still, set := c.keeps(), false
	return part{
		begin: func() { c.tells("/remind zone UTC") },
		end: func() {
			still = c.keeps()
			set = strings.Contains(c.tells("/remind today at 23:58 and tomorrow at 8am "+what), what)
		},
		check: func() {
			if n := c.waiting(what); n != 2 && n != 0 || n == 0 && set && still() {
				c.wrong("of two reminders %d wait", n)
			}
		},
	}
}

// noting writes a line into a journal.
func noting(c *crossing) part {
	what := fmt.Sprintf("zj%dq", c.n)
	still := c.keeps()
	return part{
		end: func() {
			still = c.keeps()
			c.tells("/log add " + what)
		},
		check: func() {
			n := c.h.one("SELECT count(*) FROM log_entries WHERE content LIKE '%" + what + "%'")
			if n > 1 || n == 0 && still() {
				c.wrong("the journal has it %d times", n)
			}
		},
	}
}

// quickly asks for a reminder in words that code understands: it comes of them whether or not
// there is a model, or an allowance for it, and once. Within a journey, and where an answer is
// waited for, words go there; where a tool server's words were read, the deed is asked about.
func quickly(c *crossing) part {
	what := fmt.Sprintf("zquick%d", c.n)
	still, said := c.keeps(), false
	return part{
		begin: func() { c.tells("/remind zone UTC") },
		end: func() {
			if c.did["handed"] { // who listens is a person
				return
			}
			still, said = c.keeps(), c.steps == 0 && !c.open()
			before := len(c.h.llm.Requests())
			got := c.say(0, "remind me in 3 hours to call "+what)
			if said && !strings.Contains(got, what) {
				c.wrong("asked for a reminder, the bot says %q", got)
			}
			if strings.Contains(got, "Please answer yes or no") {
				c.say(0, "yes")
				said = said && !c.open()
			}
			for _, r := range c.h.llm.Requests()[before:] {
				if said && !strings.Contains(got, "Please answer yes or no") && strings.Contains(r.Messages[len(r.Messages)-1].Text(), what) {
					c.wrong("a model was asked about what code understands")
				}
			}
		},
		check: func() {
			if n := c.waiting(what); n > 1 || n == 0 && said && still() {
				c.wrong("of one reminder %d wait", n)
			}
		},
	}
}

// expiring lets the time of a conversation run out: what was asked in it lapses with it.
func expiring(c *crossing) part {
	return part{
		begin: func() { c.talk(0, "let us talk") },
		end: func() {
			c.h.change(c.h.t, "UPDATE sessions SET expires_at = '"+stampAgo(0)+"', last_activity = '"+stampAgo(0)+"' WHERE "+c.here()+
				" AND status IN ('active', 'idle')")
			c.did["parted"] = true
		},
		again: func() { c.talk(0, "back again") },
		check: func() {
			if n := c.h.one("SELECT count(*) FROM sessions WHERE status IN ('active', 'idle', 'suspended') AND " + c.here()); n > 1 {
				c.wrong("%d conversations are open", n)
			}
		},
	}
}

// resuming ends a conversation, begins another and goes back to the first.
func resuming(c *crossing) part {
	first, still := "", c.keeps()
	return part{
		begin: func() {
			still = c.keeps()
			c.talk(0, "let us talk")
			_ = c.h.rows.QueryRow("SELECT id FROM sessions WHERE status IN ('active', 'idle') AND " + c.here()).Scan(&first)
			c.tells("/session end")
			c.did["resumed"] = true
		},
		end: func() {
			if first == "" || !still() {
				return
			}
			c.did["parted"] = true
			got := c.tells("/session resume " + first[:8])
			if !strings.Contains(got, "We go on with") && !strings.Contains(got, "Wir machen weiter") && still() {
				c.wrong("/session resume says %q", got)
			}
			if c.h.one("SELECT count(*) FROM sessions WHERE id = '"+first+"' AND status IN ('active', 'idle')") != 1 && still() {
				c.wrong("the conversation does not go on")
			}
		},
		again: func() { c.talk(0, "where were we?") },
		check: func() {
			if n := c.h.one("SELECT count(*) FROM sessions WHERE status IN ('active', 'idle', 'suspended') AND " + c.here()); n > 1 {
				c.wrong("%d conversations are open", n)
			}
		},
	}
}

var listed = regexp.MustCompile(`(?m)^(\d+)\. `)

// choosing agrees to one of two calls that were asked about together.
func choosing(c *crossing) part {
	one, two := c.amount(10), c.amount(11)
	var q question
	lapsed, chosen, before, step, steps := false, false, [2]int{}, false, 0
	paid := func() [2]int { return [2]int{c.h.till.payments(one), c.h.till.payments(two)} }
	return part{
		begin: func() {
			step, steps = c.did["journey"] || c.did["parcel"], c.steps
			q = c.asksFor(fmt.Sprintf(`bank__pay {"amount":%d} and bank__pay {"amount":%d}`, one, two), fmt.Sprint(two))
		},
		end: func() {
			lapsed, before = c.lapses(), paid()
			found, waits := c.waits(two)
			list, _, _ := strings.Cut(found.text, fmt.Sprint(one)) // with what others asked for
			numbers := listed.FindAllStringSubmatch(list, -1)
			if !q.asked || !waits || len(numbers) == 0 || strings.Contains(found.id, "@") { // in a chat that became another nobody can write
				return
			}
			q.yes = !lapsed && !c.did["spent"] && !c.did["clerk"] && (!step || steps == c.steps)
			if c.insists("only "+numbers[len(numbers)-1][1], found.id) == "" {
				c.wrong("the choice was not answered")
			}
			_, waits = c.waits(two)
			chosen, q.yes = !waits, q.yes && !waits
			c.unclear(one)
		},
		check: func() {
			c.books(one)
			c.books(two)
			if chosen && paid()[1] > before[1] {
				c.wrong("paid what was not agreed to")
			}
			if q.yes && c.h.till.payments(one) == 0 && !c.unclear(one) {
				c.wrong("agreed to, and not paid: %q", c.recorded(one))
			}
			if paid()[0] > before[0] && (lapsed || !q.asked) {
				c.wrong("paid, though nobody could agree to it any more")
			}
		},
	}
}

// slashing uses Discord's own commands for what needs a yes.
func slashing(c *crossing) part {
	amount := c.amount(12)
	s, _ := c.seat.(*onDC)
	agreed := false
	return part{
		begin: func() {
			waittest.Within(patience, func() bool { return len(c.h.dc.Commands()) > 0 })
			c.said++
			words := fmt.Sprintf(`tok-%d-%d. please call bank__pay {"amount":%d}`, c.n, c.said, amount)
			before := c.seat.sees()
			id := c.h.dc.Interaction(discordtest.Use{Guild: s.guild, Channel: s.channel, User: s.user(0), Command: "ask",
				Options: [][2]string{{"question", words}}})
			c.settle(words, id)
			if len(since(before, c.seat.sees())) == 0 && !c.quiet() {
				c.wrong("a slash command was not answered")
			}
		},
		end: func() {
			found, waits := c.waits(amount)
			if !waits {
				return
			}
			agreed = !c.did["spent"] && !c.did["clerk"] && !c.lapses()
			if c.answers(found, "yes") == "" {
				c.wrong("the yes was not answered")
			}
			_, waits = c.waits(amount)
			agreed = agreed && !waits
			c.unclear(amount)
		},
		check: func() {
			c.books(amount)
			if agreed && c.h.till.payments(amount) == 0 && !c.unclear(amount) {
				c.wrong("agreed to, and not paid: %q", c.recorded(amount))
			}
		},
	}
}

// sending sends a file, which is read with the words beside it and answered once.
func sending(c *crossing) part {
	word := fmt.Sprintf("zx%dpaper", c.n)
	return part{
		end: func() {
			quiet := c.quiet() || c.did["stopping"]
			tok := c.token()
			if quiet {
				delete(c.tokens, tok)
			}
			c.settle("a file", c.seat.sends(tok+" what is this?", "paper.txt", []byte("The word is "+word+".")))
			if all := c.prompt(tok); !quiet && !strings.Contains(all, word) {
				c.wrong("the model does not read the file")
			}
		},
	}
}

// sends has the first person send a file with some words.
func (s *onTG) sends(text, name string, data []byte) string {
	u := telegramtest.Text(s.chat, s.user(0), "")
	s.h.tg.AddFile(fmt.Sprint(name, u.Message.ID), telegramtest.File{Data: data})
	u.Message.Caption = inCompany(s.chat < 0, "@parley_bot", text)
	u.Message.Document = json.RawMessage(fmt.Sprintf(`{"file_id":"%s%d","file_unique_id":"%s%d","file_name":%q,"file_size":%d}`, name,
		u.Message.ID, name, u.Message.ID, name, len(data)))
	s.h.tg.Push(u)
	return fmt.Sprint(u.Message.ID)
}

func (s *onDC) sends(text, name string, data []byte) string {
	return s.h.dc.Attach(s.channel, s.user(0), text, discordtest.Attachment{Name: name, MIME: "text/plain", Data: data})
}

func (s *onPipe) sends(string, string, []byte) string { return "" }
