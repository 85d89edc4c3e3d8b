package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/memory"
)

// stored is how many messages full stores: PARLEY_STORED, such as 1000000. None leaves
// it out, because building them takes minutes.
func stored() int {
	n, _ := strconv.Atoi(os.Getenv("PARLEY_STORED"))
	return n
}

// full is messages that wait for each other with many stored ones, beside an empty
// folder. It is measured once: a second platform would count its messages from the
// beginning, and the file knows those.
func (f *figures) full() {
	n := stored()
	if n == 0 || f.years != "" {
		return
	}
	f.years = filepath.Join(f.b.TempDir(), "data")
	f.fill(n)
	want := figure{name: fmt.Sprintf("one message with %d stored, p50", n), unit: "ms", ratio: 1.1}
	for _, dir := range []string{"", f.years} {
		c := f.contender(f.bot)
		if dir != "" {
			c.env = append(c.env, "BOT_DATA_DIR="+dir)
		}
		took := c.waiting(200)
		kill(c.child)
		c.cut()
		c.llm.Close()
		if dir == "" {
			c.program = c.figures.floor // an empty folder is this figure's floor
		}
		c.note(want, took)
	}
}

// waiting sends n messages that wait for each other, and returns the median time.
func (c *contender) waiting(n int) float64 {
	c.begin()
	c.tg.Push(telegramtest.Text(7, 7, "warm up"))
	c.sent(c.b, 1)
	var took []float64
	for i := range n {
		began := time.Now()
		c.tg.Push(telegramtest.Text(7, 7, fmt.Sprintf("what did we say about topic %d?", i)))
		c.sent(c.b, i+2)
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	return median(took)
}

// fill imports n messages of a thousand chats, the asker's among them.
func (f *figures) fill(n int) {
	store, err := memory.Open(f.b.Context(), f.years, memory.Options{})
	must(f.b, err)
	began := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	const chunk = 50_000
	for from := 0; from < n; from += chunk {
		r, w := io.Pipe()
		go func() {
			out := bufio.NewWriter(w)
			for i := from; i < min(from+chunk, n); i++ {
				who := 7 + i%1000
				b, _ := json.Marshal(map[string]string{ // texts
					"platform": "telegram", "channel": fmt.Sprint(who), "user": fmt.Sprint(who), "name": "Ada", "id": fmt.Sprint("old", i),
					"at": began.Add(time.Duration(i) * 100 * time.Second).Format(time.RFC3339), "text": words(i),
				})
				_, _ = out.Write(append(b, '\n'))
			}
			_ = w.CloseWithError(out.Flush())
		}()
		_, err := store.Import(f.b.Context(), r)
		must(f.b, err)
	}
	must(f.b, store.Close())
}

// words are those of the i-th message.
func words(i int) string {
	var list []string
	for k := range 12 {
		list = append(list, fmt.Sprint("word", (i*31+k*k*17)%(50+i%5000)))
	}
	return fmt.Sprintf("about topic %d: ", i%10_000) + strings.Join(list, " ")
}
