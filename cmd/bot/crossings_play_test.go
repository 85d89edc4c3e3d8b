package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

// Who speaks: the first person of a crossing, others, and the owner.
const owner = -1

// crossing is some features that meet, and something that happens between.
type crossing struct {
	script
	h     *theatre
	seat  seat
	r     *rand.Rand
	n     int
	said  int
	steps int // changes of journeys
	group bool
	// What happened so far, which changes what may be promised.
	did    map[string]bool
	shaken func(channel, id string) // what happens next, under way, once a message was written
	torn   int                      // processes that ended in the middle of something
	eras   eras
	tokens map[string]bool // that have to be answered once
	broken []string
	log    []string // what was said
}

// script names a crossing, so that it can be played again.
type script struct {
	front, engine, between string
	seed                   int
	players                []string
}

func (s script) String() string {
	return strings.Join(append([]string{s.front, s.engine, s.between, fmt.Sprint(s.seed)}, s.players...), " ")
}

// part is one player of one crossing. Any of its acts may be nil.
type part struct {
	begin, end, again, check func()
}

// wrong notes a promise that was broken.
func (c *crossing) wrong(format string, args ...any) {
	c.broken = append(c.broken, fmt.Sprintf(format, args...))
}

// say has somebody write, waits until that is over, and returns what was said since.
func (c *crossing) say(who int, text string) string { return c.sayTo(who, text, "") }

func (c *crossing) sayTo(who int, text, to string) string {
	before := c.seat.sees()
	c.log = append(c.log, fmt.Sprintf("%d: %s", who, text))
	defer func() {
		for _, line := range since(before, c.seat.sees()) {
			c.log = append(c.log, "    "+strings.ReplaceAll(line, "\n", " | "))
		}
	}()
	c.settle(text, c.seat.says(who, text, to))
	return strings.Join(since(before, c.seat.sees()), "\n")
}

// settle waits until a message is dealt with and all that it led to is out.
func (c *crossing) settle(what, id string) {
	_, channel := c.seat.place()
	c.settleAt(channel, what, id)
}

func (c *crossing) settleAt(channel, what, id string) {
	if shake := c.shaken; shake != nil {
		c.shaken = nil
		shake(channel, id)
	}
	if !waittest.Within(patience, func() bool { return c.over(channel, id) }) {
		c.wrong("%q came to no end: %s", what, c.h.underWay(id))
		panic(stuck{}) // what follows would wait in vain, too
	}
}

// stuck ends a crossing in which somebody waits in vain.
type stuck struct{}

// over reports whether a message was taken, and nothing of the crossing is under way.
func (c *crossing) over(channel, id string) bool {
	if c.did["forgetting"] { // the message that agrees is deleted with all else
		_, told := c.newest("I have deleted everything about you")
		_, german := c.newest("Erledigt: Ich habe alles über dich")
		return (told || german) && c.h.unfinished() == 0
	}
	if strings.HasPrefix(id, ">") {
		return c.h.one("SELECT count(*) FROM inbox WHERE id "+id+" AND state <> 'new'") > 0 && c.h.unfinished() == 0
	}
	if strings.HasPrefix(channel, "-") && !strings.HasPrefix(channel, "-100000") {
		id = "g" + id // a supergroup counts anew
	}
	taken := c.h.one("SELECT count(*) FROM inbox WHERE message_id = '"+id+"' AND channel = '"+channel+"' AND state <> 'new'") > 0
	return taken && c.h.unfinished() == 0
}

// new returns a token that is answered exactly once.
func (c *crossing) token() string {
	c.said++
	tok := fmt.Sprintf("tok-%d-%d.", c.n, c.said)
	c.tokens[tok] = true
	return tok
}

// talk has somebody say something that is answered once, and returns the answer.
func (c *crossing) talk(who int, words string) string {
	tok := c.token()
	silent := c.did["spent"] && !strings.Contains(words, "spend all") || c.did["handed"]
	if c.did["outage"] || c.did["stopping"] || silent {
		delete(c.tokens, tok) // an answer, or silence that was announced, but not this one
	}
	got := c.say(who, tok+" "+words)
	if strings.Contains(got, "allowance is used up") {
		c.did["spent"] = true
		delete(c.tokens, tok)
	}
	asks := strings.Contains(got, "I need your yes for these") || strings.Contains(got, "Please answer yes or no")
	if asks && !strings.Contains(got, tok) { // its answer comes after that
		delete(c.tokens, tok)
	}
	if got == "" && !silent {
		c.wrong("%q was not answered", tok+" "+words)
	}
	return got
}

// tells has the first person use a command, which is always answered.
func (c *crossing) tells(text string) string {
	got := c.say(0, text)
	if got == "" {
		c.wrong("%q was not answered", text)
	}
	return got
}

// answers replies to the newest question, in one of the ways there are.
func (c *crossing) answers(question bubble, word string) string {
	for _, m := range c.seat.sees() { // its chat may have become another
		if m.yes == question.yes && m.text == question.text {
			question = m
		}
	}
	moved := strings.Contains(question.id, "@") // nobody can reply to it any more
	if moved && word == "no" {
		question.yes = question.no
	}
	if (moved || c.r.IntN(3) == 0 && word == "yes") && question.yes != "" {
		before := c.seat.sees()
		c.seat.press(0, question.id, question.yes)
		if shake := c.shaken; shake != nil {
			c.shaken = nil
			shake("", "")
		}
		waittest.Within(patience, func() bool {
			return (len(since(before, c.seat.sees())) > 0 || c.seat.toast() != "") && c.h.tg.Waiting() == 0 && c.h.unfinished() == 0
		})
		got := c.seat.toast() + strings.Join(since(before, c.seat.sees()), "\n")
		c.log = append(c.log, "0 presses: "+got)
		return got
	}
	return c.insists(word, question.id)
}

// insists answers a question in words. Where something else was said since, and nobody can
// reply, it is only repeated, and the same word answers that.
func (c *crossing) insists(word, to string) string {
	got := c.sayTo(0, word, to)
	if strings.Contains(got, "I am still waiting for your") || strings.Contains(got, "Ich warte noch") {
		got = c.sayTo(0, word, "")
	}
	return got
}

// mood sets how the model answers this crossing's people.
func (c *crossing) mood(m mood) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.h.moods[fmt.Sprint(c.n)] = m
}

// newest returns the newest message that holds some words.
func (c *crossing) newest(words string) (found bubble, ok bool) {
	for _, m := range c.seat.sees() {
		if strings.Contains(m.text, words) {
			found, ok = m, true
		}
	}
	return found, ok
}

// betweens are what may happen between what the players do.
var betweens = map[string]func(c *crossing){
	"nothing": func(*crossing) {},
	"kill": func(c *crossing) {
		c.h.kills()
		c.h.begin()
		c.h.ready()
	},
	"chance": func(c *crossing) { // killed at any moment of what follows
		c.shaken = func(string, string) {
			waittest.Take(c.h.t.Context(), time.Duration(c.r.IntN(30_000))*time.Microsecond)
			c.torn++
			c.h.kills()
			c.h.begin()
			c.h.ready()
		}
	},
	"point": func(c *crossing) { // killed at a named point of what follows
		points := []string{"after_inbox_commit", "after_model", "after_tool", "after_yes", "before_finish", "after_finish",
			"before_send", "after_send", "forgetting", "forgotten"}
		c.h.kills()
		c.h.begin("BOT_FAILPOINT=" + points[c.r.IntN(len(points))] + ":1")
		c.h.ready()
		c.shaken = func(channel, id string) {
			waittest.Within(patience, func() bool { return c.h.over() || id != "" && c.over(channel, id) })
			c.torn++
			c.h.kills()
			c.h.begin()
			c.h.ready()
		}
	},
	"restart": func(c *crossing) {
		if wrong := c.h.ends(); wrong != "" {
			c.wrong("%s", wrong)
		}
		c.h.begin()
		c.h.ready()
	},
	"reload": func(c *crossing) {
		c.h.levels++
		c.h.written("everyone")
		must(c.h.t, appendTo(c.h.file, fmt.Sprintf("session: {history_messages: %d}\n", 20+c.h.levels)))
		c.hangUp()
	},
	"migrate": func(c *crossing) {
		if s, ok := c.seat.(*onTG); ok && s.chat < 0 && s.chat > -1_000_000_000_000 {
			to := -1_000_000_000_000 + s.chat
			c.h.tg.Migrate(s.chat, to)
			s.old, s.chat = s.chat, to
			waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
		}
	},
	"away": func(c *crossing) {
		if s, ok := c.seat.(*onTG); ok && s.chat < 0 {
			c.h.tg.Push(added(s.chat, "group", "member", "kicked"))
			waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 })
			c.h.tg.Push(added(s.chat, "group", "kicked", "member"))
			waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
		}
	},
	"forbid": func(c *crossing) { // a tool becomes the owner's
		c.h.written("owner")
		c.hangUp()
		c.did["forbidden"] = true
	},
	"late":    late,
	"desk":    deskMoves,
	"gone":    putOut,
	"another": takeOver,
}

// takeOver has another process take over, where there may be several.
func takeOver(c *crossing) {
	if c.h.url == "" {
		return
	}
	old, dead := c.h.child, c.h.dead
	c.h.door = c.h.withPort(c.h.t)
	c.h.begin("BOT_DATA_DIR=" + c.h.t.TempDir())
	waittest.Within(patience, func() bool { return c.h.one("SELECT count(*) FROM node_leases WHERE until > clock_timestamp()") > 1 })
	_ = old.Process.Signal(syscall.SIGTERM)
	if !waittest.Within(time.Minute, func() bool {
		select {
		case <-dead:
			return true
		default:
			return false
		}
	}) || old.ProcessState.ExitCode() != 0 {
		c.wrong("a process whose work another took over did not end well")
	}
	c.h.ready()
}

// hangUp has the process read its settings again.
func (c *crossing) hangUp() {
	before := strings.Count(c.h.log.String(), "settings were read again")
	_ = c.h.child.Process.Signal(syscall.SIGHUP)
	if !waittest.Within(patience, func() bool { return strings.Count(c.h.log.String(), "settings were read again") > before }) {
		c.wrong("the settings were not read again")
	}
}

// appendTo adds to a file.
func appendTo(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// play plays a crossing, and returns what was promised and did not hold.
func (h *theatre) play(s script) []string {
	h.t.Helper()
	h.n++
	c := &crossing{script: s, h: h, n: h.n, r: rand.New(rand.NewPCG(uint64(s.seed), 3)), did: map[string]bool{}, tokens: map[string]bool{}}
	company := c.r.IntN(2) == 0 && s.front != "terminal"
	parts := make([]part, len(s.players))
	for _, name := range s.players {
		p := players[name]
		company = company && !p.alone || p.company
	}
	if s.between == "migrate" || s.between == "away" {
		company = true
	}
	c.seated(company)
	h.warm()
	for i, name := range s.players {
		parts[i] = players[name].plays(c)
	}
	func() {
		defer func() {
			if v := recover(); v != nil && v != any(stuck{}) {
				panic(v)
			}
		}()
		c.acts(parts)
	}()
	if len(c.broken) > 0 && testing.Verbose() {
		h.t.Logf("%s\n%s", s, strings.Join(c.log, "\n"))
	}
	return c.broken
}

// acts has the players act, each in an order of its own.
func (c *crossing) acts(parts []part) {
	if c.group {
		c.say(owner, "/status") // the place is known
	}
	order := c.r.Perm(len(parts))
	act(parts, order, func(p part) func() { return p.begin })
	late := c.r.IntN(2) == 0 && len(parts) > 1
	c.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if late {
		act(parts, order[:1], func(p part) func() { return p.end })
		order = order[1:]
	}
	c.log = append(c.log, "-- "+c.between)
	betweens[c.between](c)
	act(parts, order, func(p part) func() { return p.end })
	if c.shaken != nil { // nothing was said that it could have met
		c.shaken = nil
		if c.between == "point" {
			c.h.kills()
			c.h.begin()
			c.h.ready()
		}
	}
	act(parts, order, func(p part) func() { return p.again })
	c.mood(mood{})
	if c.did["forbidden"] {
		c.h.written("everyone")
		c.hangUp()
	}
	if !waittest.Within(patience, func() bool { return c.h.unfinished() == 0 }) {
		c.wrong("something is still under way")
	}
	act(parts, order, func(p part) func() { return p.check })
	c.checkTokens()
}

// act does one act of some parts.
func act(parts []part, order []int, which func(part) func()) {
	for _, i := range order {
		if do := which(parts[i]); do != nil {
			do()
		}
	}
}

// seated gives the crossing its people and its place.
func (c *crossing) seated(company bool) {
	c.group = company
	first := 10_000 + 10*c.n
	switch {
	case c.front == "terminal":
		c.seat = &onPipe{h: c.h}
	case c.front == "discord" && company:
		c.seat = &onDC{h: c.h, guild: "77", channel: fmt.Sprint(500_000 + c.n), first: first}
	case c.front == "discord":
		c.seat = &onDC{h: c.h, channel: fmt.Sprint(first), first: first}
	case company:
		s := &onTG{h: c.h, chat: int64(-700_000 - c.n), first: first}
		c.h.tg.AddChat(s.chat)
		c.h.tg.AddChat(int64(first))
		c.seat = s
	default:
		c.seat = &onTG{h: c.h, chat: int64(first), first: first}
		c.h.tg.AddChat(int64(first))
	}
}

// eras count what takes away what people have kept: that they are forgotten, and that a
// backup is restored, which takes what came after it was made.
type eras struct{ forgotten, saved, restored int }

// keeps says that something is kept from now on. The function it returns reports whether
// it still has to be there.
func (c *crossing) keeps() (still func() bool) {
	then := c.eras
	return func() bool {
		return c.eras.forgotten == then.forgotten && (c.eras.restored == then.restored || then.saved == 0)
	}
}

// twice is how often more than once something may be there: what was on its way to Telegram,
// or being printed, when a process died may have arrived, and nobody can tell; only Discord
// knows a message again. See docs/promises.md.
func (c *crossing) twice() int {
	if c.front == "discord" {
		return 0
	}
	return c.torn
}

// titled reports whether a text says which session goes on, by its title: what was said first.
func titled(said string) bool {
	return strings.HasPrefix(said, "We go on with") || strings.HasPrefix(said, "Wir machen weiter")
}

// checkTokens looks for answers that were lost or came twice.
func (c *crossing) checkTokens() {
	all := c.seat.sees()
	for tok := range c.tokens {
		n := 0
		for _, m := range all {
			if strings.Contains(m.text, tok) && !titled(m.text) {
				n++
			}
		}
		if n == 0 || n > 1+c.twice() {
			c.wrong("%s was answered %d times", tok, n)
		}
	}
}
