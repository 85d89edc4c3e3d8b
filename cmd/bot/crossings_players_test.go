package main

import (
	"fmt"
	"strings"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// player is one feature. It plays in direct chats and in company; alone and company say
// that it knows only one of them.
type player struct {
	alone, company bool
	front          string // "" is all
	solo           bool   // what it does is done to all
	plays          func(c *crossing) part
}

// players are the features that meet.
var players = map[string]player{
	"pay":      {plays: paying},
	"refuse":   {plays: refusing},
	"forget":   {plays: forgetting},
	"handover": {plays: handingOver},
	"remind":   {plays: reminding},
	"asks":     {alone: true, plays: asksItself},
	"fact":     {alone: true, plays: knowing},
	"learned":  {alone: true, plays: learning},
	"session":  {alone: true, plays: parting},
	"journey":  {plays: travelling},
	"agent":    {company: true, plays: changingAgents},
	"edit":     {plays: editing},
	"delete":   {front: "discord", plays: deleting},
	"draw":     {plays: drawing},
	"stream":   {plays: streaming},
	"stop":     {alone: true, plays: stopping},
	"quota":    {plays: spending},
	"private":  {company: true, plays: asideAsking},
	"outage":   {plays: failing},
	"slow":     {plays: slowing},
	"language": {plays: speaking},
	"two":      {company: true, plays: together},
	"opposite": {plays: takingBack},
	"once":     {plays: askingOnce},
	"blocked":  {alone: true, front: "telegram", plays: blocking},
	"unsaid":   {front: "discord", plays: unsaying},
	"errand":   {plays: sendingOut},
	"inquiry":  {plays: answering},
	"leave":    {alone: true, plays: leaving},
	"ponder":   {plays: pondering},
	"unlearn":  {front: "discord", plays: unlearning},
	"restore":  {alone: true, solo: true, plays: restoring},
	"undo":     {alone: true, plays: undoing},
	"move":     {alone: true, plays: moving},
	"wishes":   {alone: true, plays: wishing},
	"log":      {alone: true, plays: noting},
	"quick":    {alone: true, plays: quickly},
	"expire":   {alone: true, plays: expiring},
	"resume":   {alone: true, plays: resuming},
	"choose":   {plays: choosing},
	"slash":    {front: "discord", plays: slashing},
	"file":     {alone: true, plays: sending},
	"shop":     {plays: shopping},
	"digest":   {alone: true, plays: digesting},
	"shell":    {alone: true, plays: importing},
	"appoint":  {company: true, plays: appointing},
	"program":  {alone: true, plays: programming},
	"overhear": {company: true, plays: overhearing},
}

// question is what a player was asked, and what may come of it.
type question struct {
	bubble
	asked bool
	yes   bool // it was agreed to while nothing spoke against it
}

// asksFor has the model call a tool that needs a yes.
func (c *crossing) asksFor(call, words string) (q question) {
	c.token() // its answer comes after the yes
	tok := fmt.Sprintf("tok-%d-%d.", c.n, c.said)
	delete(c.tokens, tok)
	silent := c.did["spent"] || c.did["handed"]
	got := c.say(0, tok+" please call "+call)
	if got == "" && !silent {
		c.wrong("%q was not answered", call)
	}
	if strings.Contains(got, words) {
		q.bubble, q.asked = c.newest(words)
	}
	if !q.asked && !silent && !c.did["outage"] && !c.did["stopping"] {
		c.wrong("nobody was asked about %s: %q", call, got)
	}
	c.did["asking"] = q.asked
	return q
}

// waits reports whether a payment is still asked about here, and where.
func (c *crossing) waits(amount int) (found bubble, ok bool) {
	platform, channel := c.seat.place()
	if c.h.one(fmt.Sprintf("SELECT count(*) FROM questions WHERE state = 'open' AND platform = '%s' AND channel = '%s' AND text LIKE '%%%d%%'",
		platform, channel, amount)) < 1 {
		return found, false
	}
	for _, m := range c.seat.sees() { // what repeats a question has none of its buttons
		if strings.Contains(m.text, fmt.Sprint(amount)) && (strings.HasPrefix(m.yes, "yes:") || c.front == "terminal") {
			found, ok = m, true
		}
	}
	return found, ok
}

// amount of a crossing's payment: nobody else pays as much.
func (c *crossing) amount(i int) int { return 1000*c.n + i }

// recorded returns how a payment's call ended, "" where no row tells.
func (c *crossing) recorded(amount int) (status string) {
	_ = c.h.rows.QueryRow(fmt.Sprintf("SELECT status FROM tool_calls WHERE name = 'bank__pay' AND arguments LIKE '%%:%d}%%' ORDER BY id DESC LIMIT 1",
		amount)).Scan(&status)
	return status
}

// unclear reports whether it was recorded of a payment, now or when this was asked before, that
// nobody can tell whether it was made: a backup that is put back later takes that record.
func (c *crossing) unclear(amount int) bool {
	key := fmt.Sprint("unclear ", amount)
	c.did[key] = c.did[key] || c.recorded(amount) == "unknown"
	return c.did[key]
}

// books compares what the bot says of a payment with what the server did.
func (c *crossing) books(amount int) {
	paid, status := c.h.till.payments(amount), c.recorded(amount)
	switch {
	case paid > 1:
		c.wrong("paid %d times", paid)
	case status == "pending" && !c.open(), status == "running":
		c.wrong("the call is still %s, paid %d times", status, paid)
	case paid == 1 && status != "success" && status != "unknown" && status != "":
		c.wrong("paid, and the record says %q", status)
	case paid == 0 && status == "success":
		c.wrong("not paid, and the record says %q", status)
	}
}

// open reports whether somebody may still answer a question here.
func (c *crossing) open() bool {
	platform, channel := c.seat.place()
	return c.h.one(fmt.Sprintf("SELECT count(*) FROM questions WHERE state = 'open' AND platform = '%s' AND channel = '%s'", platform, channel)) > 0
}

// lapses reports whether something happened that takes what was asked back.
func (c *crossing) lapses() bool { return c.did["forgot"] || c.did["parted"] || c.did["forbidden"] }

func paying(c *crossing) part {
	return paysBy(c, c.amount(1), fmt.Sprintf(`bank__pay {"amount":%d}`, c.amount(1)))
}

// sendingOut has a helper pay.
func sendingOut(c *crossing) part {
	return paysBy(c, c.amount(6), fmt.Sprintf(`errand_runner {"task":"errand of %d"}`, c.amount(6)))
}

func paysBy(c *crossing, amount int, call string) part {
	var q question
	lapsed, step, steps := false, false, 0 // step: it was asked within a journey, and lapses when that goes on
	return part{
		begin: func() {
			step, steps = c.did["journey"] || c.did["parcel"], c.steps
			q = c.asksFor(call, fmt.Sprint(amount))
		},
		end: func() {
			lapsed = c.lapses() && !c.did["shared"] // what was asked about together may have been agreed to before
			found, waits := c.waits(amount)
			if !q.asked || !waits {
				return
			}
			q.bubble, q.yes = found, !c.lapses() && !c.did["spent"] && !c.did["clerk"] && (!step || steps == c.steps)
			for range 2 { // a helper's job, and what it does, may be asked about one after the other
				if found, waits := c.waits(amount); waits && c.answers(found, "yes") == "" {
					c.wrong("the yes was not answered")
				}
			}
			if c.front == "terminal" { // typed words answer what was asked last, and that may be something else
				_, waits = c.waits(amount)
				q.yes = q.yes && !waits
			}
			c.unclear(amount)
		},
		again: func() {
			if q.asked && !c.did["handed"] {
				c.sayTo(0, "yes", q.id)
			}
		},
		check: func() {
			c.books(amount)
			paid := c.h.till.payments(amount)
			cut := c.torn > 0 && strings.HasPrefix(call, "errand") // a helper's job that was cut short is not begun again
			if q.yes && paid == 0 && !c.unclear(amount) && !cut {
				c.wrong("agreed to, and not paid: %q", c.recorded(amount))
			}
			if _, later := c.newest(fmt.Sprint(amount)); paid > 0 && (lapsed || !q.asked && !later) { // once the model was back
				c.wrong("paid, though nobody could agree to it any more")
			}
		},
	}
}

func refusing(c *crossing) part {
	amount := c.amount(2)
	var q question
	refused := false
	return part{
		begin: func() { q = c.asksFor(fmt.Sprintf(`bank__pay {"amount":%d}`, amount), fmt.Sprint(amount)) },
		end: func() {
			if found, waits := c.waits(amount); q.asked && waits {
				refused = true
				if c.answers(found, "no") == "" {
					c.wrong("the no was not answered")
				}
			}
		},
		again: func() {
			if q.asked && !c.did["handed"] {
				c.sayTo(0, "yes", q.id)
			}
		},
		check: func() {
			c.books(amount)
			if refused && c.h.till.payments(amount) > 0 {
				c.wrong("paid what was refused")
			}
		},
	}
}

func drawing(c *crossing) part {
	amount := c.amount(3)
	var q question
	before := 0
	files := func() (n int) {
		for _, m := range c.seat.sees() {
			n += m.files
		}
		return n
	}
	return part{
		begin: func() {
			before = files()
			q = c.asksFor(fmt.Sprintf(`bank__draw {} and bank__pay {"amount":%d}`, amount), fmt.Sprint(amount))
		},
		end: func() {
			found, waits := c.waits(amount)
			if !q.asked || !waits {
				return
			}
			c.did["shared"] = c.did["shared"] || !c.lapses()
			if c.answers(found, "yes") == "" {
				c.wrong("the yes was not answered")
			}
		},
		check: func() {
			c.books(amount)
			if n := files() - before; n > 1+c.twice() {
				c.wrong("the picture came %d times", n)
			}
		},
	}
}

func forgetting(c *crossing) part {
	word := fmt.Sprintf("zxcanary%dq", c.n)
	return part{
		begin: func() { c.talk(0, "my parrot is called "+word) },
		end: func() {
			c.tells("/forget-me")
			q, ok := c.newest("delete everything")
			if german, found := c.newest("alles über dich"); found {
				q, ok = german, found
			}
			if !ok {
				c.wrong("/forget-me did not ask")
				return
			}
			c.did["forgetting"] = true
			c.sayTo(0, "yes", q.id)
			c.did["forgetting"] = false
			c.did["forgot"], c.did["spent"], c.did["handed"] = true, false, false
			c.eras.forgotten++
			c.h.gone = append(c.h.gone, word)
		},
		check: func() {
			if c.did["forgot"] {
				c.forgets(word)
			}
		},
	}
}

// forgets looks for a word of somebody who was forgotten in the rows.
func (c *crossing) forgets(word string) {
	for _, column := range []string{"messages.content", "decisions.detail", "inbox.body", "outbox.body", "key_facts.content",
		"handoffs.reason", "sessions.summary", "sessions.closing", "questions.text", "steps.result"} {
		table, name, _ := strings.Cut(column, ".")
		if n := c.h.one("SELECT count(*) FROM " + table + " WHERE " + name + " LIKE '%" + word + "%'"); n != 0 {
			c.wrong("%s still has %s", column, word)
		}
	}
}

func handingOver(c *crossing) part {
	desk := int64(900_000 + c.n)
	help, reply := fmt.Sprintf("help-%d.", c.n), fmt.Sprintf("desk-%d.", c.n)
	var asked telegramtest.SentMessage
	taken := false
	press := func(data string) {
		c.h.tg.Push(telegramtest.Press(asked.Chat, desk, asked.ID, fmt.Sprint("d", desk, data), data))
		waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
	}
	atDesk := func(words string) (found telegramtest.SentMessage, n int) {
		for _, m := range append(c.h.in(theDesk), c.h.in(-1_000_000_000_000+theDesk)...) {
			if strings.Contains(m.Text, words) && !m.Deleted {
				found, n = m, n+1
			}
		}
		return found, n
	}
	return part{
		begin: func() {
			c.tells("/handoff " + help)
			n := 0
			if asked, n = atDesk(help); n == 0 || len(asked.Buttons) == 0 {
				c.wrong("the desk was not asked")
				return
			}
			press(asked.Buttons[0][0].Data)
			taken, c.did["handed"] = true, true
		},
		end: func() {
			if !taken {
				return
			}
			gone := c.did["forgot"]
			before := c.seat.sees()
			u := telegramtest.Text(c.h.desk, desk, reply)
			c.h.tg.Push(u)
			c.settleAt(fmt.Sprint(c.h.desk), reply, fmt.Sprint(u.Message.ID))
			if got := strings.Join(since(before, c.seat.sees()), "\n"); c.did["blocked"] {
				if last := c.h.in(c.h.desk); !strings.Contains(last[len(last)-1].Text, "block") {
					c.wrong("the desk wrote to who blocked the bot, and reads %q", last[len(last)-1].Text)
				}
				return
			} else if strings.Contains(got, reply) == gone {
				c.wrong("the desk wrote, forgotten before: %v, and the person read %q", gone, got)
			}
			if !gone {
				tok := fmt.Sprintf("word-%d.", c.n)
				c.say(0, tok)
				if _, n := atDesk(tok); n != 1 && n > 1+c.torn || n == 0 {
					c.wrong("the desk read %s %d times", tok, n)
				}
				press(strings.Replace(asked.Buttons[0][0].Data, "take", "back", 1))
			}
			c.did["handed"] = false
			c.talk(0, "and now?")
		},
		check: func() {
			n := 0
			for _, m := range c.seat.sees() {
				if strings.Contains(m.text, reply) {
					n++
				}
			}
			if n > 1+c.twice() {
				c.wrong("what the desk wrote was read %d times", n)
			}
		},
	}
}

func reminding(c *crossing) part {
	what := fmt.Sprintf("water-%d", c.n)
	set, still := false, c.keeps()
	told := func() (n int) {
		for _, m := range c.seat.sees() {
			if strings.Contains(m.text, what) && !strings.Contains(m.text, "remind you") {
				n++
			}
		}
		return n
	}
	known := 0
	return part{
		begin: func() {
			c.tells("/remind zone UTC")
			still = c.keeps()
			set = strings.Contains(c.tells("/remind in 1 minute "+what), what)
			known = told()
		},
		check: func() {
			if !set || !still() {
				return
			}
			known = told()
			c.h.due(c.h.t, what)
			waittest.Within(patience, func() bool { return told() > known })
			waittest.Within(patience, func() bool { return c.h.unfinished() == 0 })
			if n := told() - known; n != 1 {
				c.wrong("the reminder was said %d times", n)
			}
		},
	}
}

func asksItself(c *crossing) part {
	tok, set, still := "", false, c.keeps()
	return part{
		begin: func() {
			still = c.keeps()
			c.said++
			tok = fmt.Sprintf("tok-%d-%d.", c.n, c.said)
			c.tells("/remind zone UTC")
			set = strings.Contains(c.tells("/remind in 1 minute ask: "+tok+" what is up?"), "what is up")
		},
		check: func() {
			if !set || !still() {
				return
			}
			before := c.seat.sees()
			c.h.due(c.h.t, tok)
			waittest.Within(patience, func() bool { return len(since(before, c.seat.sees())) > 0 })
			waittest.Within(patience, func() bool { return c.h.unfinished() == 0 })
			if got := strings.Join(since(before, c.seat.sees()), "\n"); got == "" {
				c.wrong("a question that asks itself: nobody was told anything, and %d wait", c.h.one(
					"SELECT count(*) FROM reminders WHERE state = 'waiting' AND text LIKE '%"+tok+"%'"))
			} else if n := strings.Count(got, tok); n > 1 {
				c.wrong("a question that asks itself was answered %d times", n)
			}
		},
	}
}
