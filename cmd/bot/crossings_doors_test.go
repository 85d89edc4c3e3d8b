package main

import (
	"fmt"
	"strings"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/text/waittest"
)

// seatless is a program with the token of a crossing's first person.
type seatless struct {
	c   *crossing
	ask *asker
	era eras // when it got its token
}

// says has the program ask as the official clients do, and returns what it is answered;
// ended reports whether its token had to be refused.
func (p *seatless) says(words string) (r completion, ended bool) {
	c := p.c
	c.log = append(c.log, "program: "+words)
	last := c.h.one("SELECT coalesce(max(id), 0) FROM inbox")
	p.ask.base = c.h.door
	answered := p.ask.persists(words)
	if shake := c.shaken; shake != nil {
		c.shaken = nil
		shake("", fmt.Sprint("> ", last))
		p.ask.base = c.h.door
	}
	if !waittest.Within(patience, func() bool {
		select {
		case r = <-answered:
			return true
		default:
			return false
		}
	}) {
		c.wrong("a program was not answered: %q", words)
		panic(stuck{})
	}
	waittest.Within(patience, func() bool { return c.h.unfinished() == 0 })
	c.log = append(c.log, fmt.Sprint("    ", r.status, " ", r.text()))
	ended = c.eras.forgotten != p.era.forgotten || c.eras.restored != p.era.restored
	if ended != (r.status == 401) {
		c.wrong("a program whose token ended (%v) is answered %d: %s", ended, r.status, r.raw)
	}
	return r, ended
}

// programming has a program talk as the person: what it asks for waits for a yes there, and
// whoever is forgotten is forgotten with what was said through it.
func programming(c *crossing) part {
	word, amount, p := fmt.Sprintf("zxferret%dq", c.n), c.amount(14), &seatless{c: c}
	asked, agreed, still := false, false, c.keeps()
	silent := func() bool { return c.did["spent"] || c.did["outage"] || c.did["forbidden"] }
	told := "nothing yet"
	return part{
		begin: func() {
			token := tokenForm.FindString(c.tells("/token new crossing"))
			if token == "" {
				c.wrong("no token is made")
				return
			}
			p.ask, p.era, still = &asker{t: c.h.t, base: c.h.door, token: token}, c.eras, c.keeps()
			if silent() {
				return
			}
			c.said++
			tok := fmt.Sprintf("tok-%d-%d.", c.n, c.said)
			if r, _ := p.says(tok + " my ferret is called " + word); !strings.Contains(r.text(), tok) {
				c.wrong("a program reads %d %s", r.status, r.raw)
			}
			told = tok
			c.said++
			r, _ := p.says(fmt.Sprintf(`tok-%d-%d. please call bank__pay {"amount":%d}`, c.n, c.said, amount))
			if asked = strings.Contains(r.text(), fmt.Sprint(amount)); !asked {
				c.wrong("a program is not asked about what needs a yes: %d %s", r.status, r.raw)
			}
		},
		end: func() {
			if p.ask == nil || c.did["outage"] {
				return
			}
			quiet := silent()
			r, ended := p.says("yes")
			agreed = asked && !quiet && !ended && r.status == 200
			c.unclear(amount)
		},
		check: func() {
			paid := c.h.till.payments(amount)
			if paid > 1 || agreed && paid == 0 && !c.unclear(amount) || !asked && paid > 0 {
				c.wrong("a program's payment, asked %v, agreed to %v: paid %d times, %q", asked, agreed, paid, c.recorded(amount))
			}
			for _, m := range c.seat.sees() {
				if strings.Contains(m.text, told) && !titled(m.text) {
					c.wrong("what a program was answered is said here, too: %q", m.text)
				}
			}
			if !still() && c.did["forgot"] && c.eras.forgotten != p.era.forgotten {
				c.h.gone = append(c.h.gone, word)
				c.forgets(word)
			}
		},
	}
}

// hums has somebody say what is meant for nobody, in company.
func (c *crossing) hums(who int, text string) string {
	c.log = append(c.log, fmt.Sprintf("%d hums: %s", who, text))
	id := ""
	switch s := c.seat.(type) {
	case *onTG:
		u := telegramtest.Text(s.chat, s.user(who), text)
		s.h.tg.Push(u)
		id = fmt.Sprint(u.Message.ID)
	case *onDC:
		id = s.h.dc.Message(s.guild, s.channel, s.user(who), text)
	}
	c.settle(text, id)
	return id
}

// alters has somebody change what they hummed.
func (c *crossing) alters(who int, id, text string) {
	switch s := c.seat.(type) {
	case *onTG:
		n := 0
		_, _ = fmt.Sscan(id, &n)
		s.h.tg.Push(telegramtest.Edit(s.chat, s.user(who), n, text))
	case *onDC:
		s.h.dc.Dispatch("MESSAGE_DELETE", map[string]any{"id": id, "channel_id": s.channel, "guild_id": s.guild})
	}
	waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
}

// hum is what was said in company, meant for nobody.
type hum struct {
	c                 *crossing
	mine, theirs, old string
	id                string // of what its author changes
	still             func() bool
}

// overhearing has the bot read along: it knows what was said, and says nothing to it.
func overhearing(c *crossing) part {
	h := &hum{c: c, still: c.keeps()}
	h.mine, h.theirs, h.old = fmt.Sprintf("zxhum%dq", c.n), fmt.Sprintf("zxhumb%dq", c.n), fmt.Sprintf("zxhumc%dq", c.n)
	return part{begin: h.said, end: h.asked, check: h.kept}
}

func (h *hum) said() {
	c := h.c
	if got := c.say(owner, "/config channel ambient"); !strings.Contains(got, "/listen off") {
		c.wrong("/config channel says %q", got)
	}
	for who := range 2 {
		c.hums(who, "hello everybody") // each is told first that the bot reads along
	}
	h.still = c.keeps()
	c.hums(0, "the code is "+h.mine)
	c.hums(1, "the other is "+h.theirs)
	h.id = c.hums(1, "and one more, "+h.old)
}

func (h *hum) asked() {
	c := h.c
	if s, ok := c.seat.(*onTG); !ok || s.old == 0 { // what stands in the old group nobody can edit
		c.alters(1, h.id, "and nothing more")
		c.unread(h.old)
	}
	if c.quiet() {
		return
	}
	c.talk(1, "what is the other?")
	all := c.prompt(fmt.Sprintf("tok-%d-%d.", c.n, c.said))
	if h.still() && !c.did["spent"] && !c.did["clerk"] && !strings.Contains(all, h.theirs) { // another agent has a memory of its own
		c.log = append(c.log, all)
		c.wrong("what was overheard is not known")
	}
	if c.did["forgot"] && strings.Contains(all, h.mine) {
		c.wrong("what was overheard of somebody who is forgotten is still known")
	}
}

func (h *hum) kept() {
	c := h.c
	if c.did["forgot"] {
		c.h.gone = append(c.h.gone, h.mine)
		c.forgets(h.mine)
	}
	if n := c.h.one("SELECT count(*) FROM messages WHERE content LIKE '%" + h.theirs + "%'"); n > 1 || n == 0 && h.still() {
		c.wrong("what was overheard is there %d times", n)
	}
	for _, m := range c.seat.sees() {
		if strings.Contains(m.text, h.mine) || strings.Contains(m.text, h.theirs) {
			c.wrong("the bot repeats what was overheard: %q", m.text)
		}
	}
}
