package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/text/waittest"
)

// quiet reports whether words get no answer of the model just now.
func (c *crossing) quiet() bool {
	return c.did["spent"] || c.did["handed"] || c.did["outage"] || c.did["stopping"] || c.did["blocked"]
}

// takingBack changes the message that led to a question to its opposite: the yes that
// comes after it is one to nothing.
func takingBack(c *crossing) part {
	amount := c.amount(4)
	tok, id := "", ""
	edited, before := false, 0
	return part{
		begin: func() {
			c.said++
			tok = fmt.Sprintf("tok-%d-%d.", c.n, c.said)
			words := fmt.Sprintf(`%s please call bank__pay {"amount":%d}`, tok, amount)
			id = c.seat.says(0, words, "")
			c.settle(words, id)
		},
		end: func() {
			found, waits := c.waits(amount)
			if s, ok := c.seat.(*onTG); !waits || ok && s.old != 0 {
				return
			}
			edited, before = true, c.h.till.payments(amount)
			c.seat.edits(0, id, tok+" do not pay anything")
			waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
			if c.say(0, "/status") == "" { // in the lane, after the edit
				c.wrong("/status was not answered")
			}
			c.sayTo(0, "yes", found.id)
		},
		check: func() {
			c.books(amount)
			if edited && c.h.till.payments(amount) > before {
				c.wrong("paid, though it was asked to do the opposite before the yes")
			}
		},
	}
}

// askingOnce asks outside of the conversation for what needs a yes.
func askingOnce(c *crossing) part {
	amount := c.amount(5)
	agreed := false
	return part{
		begin: func() {
			c.said++
			c.tells(fmt.Sprintf(`/ask tok-%d-%d. please call bank__pay {"amount":%d}`, c.n, c.said, amount))
		},
		end: func() {
			found, waits := c.waits(amount)
			if !waits {
				return
			}
			agreed = !c.did["spent"] && !c.did["clerk"] && !c.lapses()
			for range 2 { // a yes in words is for what was said last, and this may be asked again first
				if c.answers(found, "yes") == "" {
					c.wrong("the yes was not answered")
				}
				if found, waits = c.waits(amount); !waits {
					break
				}
			}
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

// blocking has the person block the bot for a while.
func blocking(c *crossing) part {
	s, _ := c.seat.(*onTG)
	told := func(was, is string) {
		c.h.tg.Push(blocks(s.chat, was, is))
		waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 })
	}
	return part{
		end: func() {
			c.h.tg.Block(s.chat, "Forbidden: bot was blocked by the user")
			told("member", "kicked")
			c.h.tg.Block(s.chat, "")
			told("kicked", "member")
			c.talk(0, "hello again")
		},
	}
}

// unsaying deletes a message while its answer grows.
func unsaying(c *crossing) part {
	word := fmt.Sprintf("zu%dold", c.n)
	return part{
		end: func() {
			if c.quiet() {
				return
			}
			c.mood(mood{chunks: 40})
			asked := len(c.h.llm.Requests())
			c.said++
			id := c.seat.says(0, fmt.Sprintf("tok-%d-%d. tell me of %s", c.n, c.said, word), "")
			waittest.Within(patience, func() bool { return len(c.h.llm.Requests()) > asked })
			c.seat.deletes(id)
			c.mood(mood{})
			c.unread(word)
		},
	}
}

// unlearning deletes the message that a fact was made of.
func unlearning(c *crossing) part {
	word := fmt.Sprintf("zf%dq", c.n)
	id := ""
	return part{
		begin: func() {
			c.did["changed"] = true
			tok := c.token()
			delete(c.tokens, tok)
			id = c.seat.says(0, tok+` please call save_fact {"content":"Plays `+word+`"}`, "")
			c.settle(word, id)
		},
		end: func() {
			if c.holds(word) == 0 {
				return
			}
			before := c.seat.sees()
			c.seat.deletes(id)
			c.tells("/status")
			if told := strings.Join(since(before, c.seat.sees()), "\n"); c.holds(word) > 0 && !strings.Contains(told, word) {
				c.wrong("the message is deleted, and the fact made of it is as it was")
			}
		},
	}
}

// restoring puts a backup back that was made before the others' ends.
func restoring(c *crossing) part {
	file := ""
	return part{
		begin: func() {
			file = filepath.Join(c.h.t.TempDir(), "copy.db")
			waittest.Within(patience, func() bool {
				out, code := c.h.call(c.h.t, "backup", "--force", file)
				return code != 0 || strings.Contains(out, "under way: 0")
			})
			c.eras.saved++
		},
		end: func() {
			switch wrong := c.h.ends(); {
			case wrong != "" && c.between == "point": // it came by there meanwhile
				c.torn++
			case wrong != "":
				c.wrong("%s", wrong)
			}
			c.h.restored(c.h.t, file, c.r.IntN(2) == 0)
			c.did["restored"], c.did["spent"] = true, false
			c.eras.restored++
			c.h.begin()
			c.h.ready()
		},
	}
}
