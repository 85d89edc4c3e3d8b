package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/text/waittest"
)

// serve opens the till to bots; while it is held it answers nobody.
func (b *till) serve() (url string, end func()) {
	pages := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return b.Server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		wait := time.Until(b.held)
		b.mu.Unlock()
		if wait > 0 {
			waittest.Take(r.Context(), wait)
		}
		pages.ServeHTTP(w, r)
	}))
	return web.URL, func() { web.CloseClientConnections(); go web.Close() } // a call may hang
}

// hold keeps everybody waiting for a while.
func (b *till) hold(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = time.Now().Add(d)
}

// order asks people for a size before it answers, and notes what it heard.
func (b *till) order() {
	b.reads("order", "Orders", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		var args struct{ Number int }
		_ = json.Unmarshal(r.Params.Arguments, &args)
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: fmt.Sprintf("Which size for order %d?", args.Number),
			RequestedSchema: json.RawMessage(`{"type":"object","required":["size"],` +
				`"properties":{"size":{"type":"string","enum":["small","large"]}}}`)})
		if err != nil {
			return "", err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.heard[args.Number] = append(b.heard[args.Number], fmt.Sprint(got.Action, " ", got.Content["size"]))
		return fmt.Sprint("heard ", got.Action), nil
	})
}

// restarts end the process, and with it what a tool server waits for.
var restarts = []string{"kill", "chance", "point", "restart", "late", "gone", "another"}

// pondering has a tool called that takes its time.
func pondering(c *crossing) part {
	return part{end: func() { c.talk(0, "please call bank__ponder {}") }}
}

// answering answers what a tool server asks.
func answering(c *crossing) part { return answersTo(c, "bank", c.h.till, c.amount(7)) }

// shopping answers what another tool server asks.
func shopping(c *crossing) part { return answersTo(c, "shop", c.h.shop, c.amount(13)) }

func answersTo(c *crossing, server string, at *till, number int) part {
	words := fmt.Sprintf("order %d", number)
	asked, answered := false, false
	return part{
		begin: func() {
			c.said++
			unclear := strings.Count(c.h.log.String(), "not clear whom")
			got := c.say(0, fmt.Sprintf(`tok-%d-%d. please call %s__order {"number":%d}`, c.n, c.said, server, number))
			asked = strings.Contains(got, words)
			// A server does not say for which of two calls it asks: while somebody owes it an answer, nobody else is asked.
			owed := strings.Count(c.h.log.String(), "not clear whom") > unclear
			if !asked && !c.quiet() && !owed {
				c.wrong("the tool server asks, and nobody was asked: %q", got)
			}
		},
		end: func() {
			platform, channel := c.seat.place()
			found, shown := c.newest(words)
			if !asked || !shown || c.h.one(fmt.Sprintf("SELECT count(*) FROM questions WHERE state = 'open' AND "+
				"platform = '%s' AND channel = '%s' AND text LIKE '%%%s%%'", platform, channel, words)) < 1 {
				return
			}
			quiet := c.did["handed"] // what is written goes to people
			_, typed := c.seat.(*onPipe)
			others := typed && c.h.one("SELECT count(*) FROM questions WHERE state = 'open'") > 1 // typed words are for what was said last
			answered = !others && !slices.Contains(restarts, c.between) && !c.did["restored"] && !quiet &&
				!c.did["spent"] && !c.did["clerk"] && !c.lapses()
			came := c.answers(found, "large")
			if came == "" && !quiet {
				c.wrong("the answer for the tool server was not answered")
			}
			answered = answered && !strings.Contains(came, "What this was a step of was left") // a journey went on, and they are told
		},
		check: func() {
			at.mu.Lock()
			heard := at.heard[number]
			at.mu.Unlock()
			n := 0
			for _, h := range heard {
				if s, tg := c.seat.(*onTG); h == "accept large" || h == "accept small" && tg && s.old != 0 { // by its first button
					n++
				} else if strings.HasPrefix(h, "accept") {
					c.wrong("the tool server heard %q, which nobody said", h)
				}
			}
			if n > 1 || n == 0 && answered {
				c.wrong("the tool server heard the answer %d times", n)
			}
		},
	}
}

// leaving leaves a journey in which something was asked: the yes that comes after it is one
// to nothing.
func leaving(c *crossing) part {
	amount := c.amount(8)
	began, left := false, false
	return part{
		begin: func() {
			c.say(0, "/journey start parcel")
			began = strings.Contains(c.say(0, "/journey status"), "Parcel")
			c.steps++
			c.did["parcel"] = began
			c.asksFor(fmt.Sprintf(`bank__pay {"amount":%d}`, amount), fmt.Sprint(amount))
		},
		end: func() {
			found, waits := c.waits(amount)
			if !began || !waits {
				return
			}
			c.say(0, "/journey stop parcel")
			c.steps++
			left, c.did["parcel"] = true, false
			c.sayTo(0, "yes", found.id)
		},
		check: func() {
			c.books(amount)
			if left && c.h.till.payments(amount) > 0 {
				c.wrong("paid, though the journey was left before the yes")
			}
		},
	}
}

// late ends the process; for the next one the tool server takes long to start.
func late(c *crossing) {
	c.h.kills()
	c.h.till.hold(time.Second)
	c.h.begin()
	c.h.ready()
}

// deskMoves makes the desk a supergroup, once for all crossings of its theatre.
func deskMoves(c *crossing) {
	if c.h.desk != theDesk || c.h.terminal {
		return
	}
	c.h.desk = -1_000_000_000_000 + theDesk
	c.h.tg.Migrate(theDesk, c.h.desk)
	waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
}

// putOut has the bot put out of the group while another process takes over, or the next one
// begins, and added again.
func putOut(c *crossing) {
	s, ok := c.seat.(*onTG)
	if !ok || s.chat > 0 {
		return
	}
	c.h.tg.Push(added(s.chat, "group", "member", "kicked"))
	waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 })
	if c.h.url != "" {
		takeOver(c)
	} else {
		c.h.kills()
		c.h.begin()
		c.h.ready()
	}
	c.h.tg.Push(added(s.chat, "group", "kicked", "member"))
	waittest.Within(patience, func() bool { return c.h.tg.Waiting() == 0 && c.h.unfinished() == 0 })
}
