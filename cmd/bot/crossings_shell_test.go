package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// lute is what a summary makes a fact of.
var lute = regexp.MustCompile(`my lute is called (zg(\d+)q)`)

// summed answers requests for summaries: a lute is a fact about its person.
func summed(r llmtest.Request) llmtest.Turn {
	facts, raw := "", string(r.Raw)
	if found := lute.FindStringSubmatch(raw); found != nil {
		for _, name := range []string{"User ", "user"} {
			var n int
			_, _ = fmt.Sscan(found[2], &n)
			if who := fmt.Sprint(name, 10_000+10*n); strings.Contains(raw, who) {
				facts = `{"person":"` + who + `","content":"Has a lute called ` + found[1] + `","quote":"` + found[0] + `","type":"fact"}`
			}
		}
	}
	return llmtest.Turn{Text: `{"summary":"They talked.","title":"Talk","decisions":[],"facts":[` + facts + `]}`}
}

// digesting has what was learned of a conversation told when it ends.
func digesting(c *crossing) part {
	word := fmt.Sprintf("zg%dq", c.n)
	still := c.keeps()
	told := func() (n int) {
		for _, m := range c.seat.sees() {
			if strings.Contains(m.text, word) && !titled(m.text) {
				n++
			}
		}
		return n
	}
	return part{
		begin: func() {
			c.tells("/facts digest session")
			still, c.did["changed"] = c.keeps(), true
			c.talk(0, "my lute is called "+word)
		},
		end: func() {
			c.tells("/session end")
			c.did["parted"], c.did["digested"] = true, true
		},
		check: func() {
			if c.did["blocked"] || !still() || !waittest.Within(patience/10, func() bool { return c.holds(word) > 0 }) {
				return // what is not learned is not told
			}
			waittest.Within(patience, func() bool { return told() > 0 && c.h.unfinished() == 0 })
			if n := told(); n == 0 || n > 1+c.twice() {
				c.wrong("what was learned is told %d times", n)
			}
		},
	}
}

// importing brings a fact in from a file, twice, beside the bot.
func importing(c *crossing) part {
	said := fmt.Sprintf("likes zi%dq", c.n)
	still, done := c.keeps(), false
	return part{
		end: func() {
			if c.h.url != "" { // the shell would need its address
				return
			}
			platform, channel := c.seat.place()
			who, file := platform+":"+channel, filepath.Join(c.h.t.TempDir(), "facts.md")
			out, code := c.h.call(c.h.t, "facts", "export", "--user", who, file)
			text, err := os.ReadFile(file)
			if code != 0 || err != nil {
				c.wrong("exported: %d, %v, %s", code, err, out)
				return
			}
			if err := os.WriteFile(file, append(text, "\n- "+said+"\n"...), 0o600); err != nil {
				c.wrong("%v", err)
			}
			still, c.did["changed"] = c.keeps(), true
			for range 2 {
				if out, code = c.h.call(c.h.t, "facts", "import", "--user", who, file); code != 0 {
					c.wrong("imported: %d, %s", code, out)
				}
			}
			done = true
		},
		again: func() {
			if list := c.tells("/facts search " + said); done && still() && !strings.Contains(list, said) {
				c.wrong("what was imported is not found: %q", list)
			}
		},
		check: func() {
			if n := c.holds(said); done && still() && n != 1 || n > 1 {
				c.wrong("what was imported is there %d times", n)
			}
		},
	}
}

// appointing has the settings say that another agent answers here.
func appointing(c *crossing) part {
	return part{
		begin: func() {
			platform, channel := c.seat.place()
			c.h.appointed = `"` + platform + ":chat:" + channel + `"`
			c.h.written("everyone")
			c.hangUp()
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
			c.h.appointed = ""
			c.h.written("everyone")
			c.hangUp()
		},
	}
}
