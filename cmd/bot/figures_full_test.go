package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/memory"
)

// stored is how many messages BenchmarkStored stores: PARLEY_STORED, such as 1000000.
// None leaves it out, because building them takes minutes.
func stored() int {
	n, _ := strconv.Atoi(os.Getenv("PARLEY_STORED"))
	return n
}

// BenchmarkStored is messages that wait for each other with many stored ones, beside an
// empty folder, in turns.
func BenchmarkStored(b *testing.B) {
	n := stored()
	if n == 0 {
		b.Skip("PARLEY_STORED says how many")
	}
	f := &figures{b: b, years: filepath.Join(b.TempDir(), "data")}
	f.build()
	f.fill(n)
	one := figure{name: fmt.Sprintf("one message with %d stored, p50", n), unit: "ms", ratio: 1.1}
	each := figure{name: "CPU for each of them", unit: "ms", ratio: 1.1}
	empty, full := f.contender(f.bot), f.contender(f.bot)
	full.env = append(full.env, "BOT_DATA_DIR="+f.years)
	for range b.N * rounds {
		for _, c := range []*contender{empty, full} {
			took, used := c.waiting(200)
			kill(c.child)
			noted := *c
			if c == empty {
				noted.program = f.floor // an empty folder is these figures' floor
			}
			noted.note(one, took)
			noted.note(each, used)
		}
	}
	empty.end()
	full.end()
	f.print()
}

// waiting sends n messages about something old that wait for each other, and returns the
// median time and the processor time for each, in milliseconds.
func (c *contender) waiting(n int) (p50, used float64) {
	c.begin()
	rest(10 * time.Second) // the file is checked beside the messages once, after the start
	return c.inTurn(n, "what did we say about topic %d?")
}

// writers is how many chats the stored messages are of, the asker's among them.
const writers = 1000

// fill stores n messages: the first of each chat through the store's own door, and the
// others in one transaction each hundred thousand as copies of it with words and times
// of their own, with the schema's triggers, so all indexes are as the bot makes them.
func (f *figures) fill(n int) {
	store, err := memory.Open(f.b.Context(), f.years, memory.Options{})
	must(f.b, err)
	var firsts strings.Builder
	for i := range writers {
		b, _ := json.Marshal(map[string]string{ // texts
			"platform": "telegram", "channel": fmt.Sprint(7 + i), "user": fmt.Sprint(7 + i), "name": "Ada", "id": fmt.Sprint("old", i),
			"at": stamp(i), "text": words(i),
		})
		firsts.Write(append(b, '\n'))
	}
	_, err = store.Import(f.b.Context(), strings.NewReader(firsts.String()))
	must(f.b, err)
	path := store.File.Path()
	must(f.b, store.Close())
	db := sqlite.Raw(path, "_synchronous=OFF&_cache_size=-200000")
	defer func() { must(f.b, db.Close()) }()
	const chunk = 100_000
	for from := writers; from < n; from += chunk {
		tx, err := db.Begin()
		must(f.b, err)
		for i := from; i < min(from+chunk, n); i++ {
			_, err := tx.Exec(`INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name, content, tokens, at, via, people, attached, agent)
				SELECT session_id, platform, channel, thread, ?, role, user_id, name, ?, tokens, ?, via, people, attached, agent FROM messages WHERE id = ?`,
				fmt.Sprint("old", i), words(i), stamp(i), 1+i%writers)
			must(f.b, err)
		}
		must(f.b, tx.Commit())
	}
	var stored int
	must(f.b, db.QueryRow("SELECT count(*) FROM messages").Scan(&stored))
	if stored != n {
		f.b.Fatalf("%d messages are stored", stored)
	}
}

// stamp is when the i-th message was written.
func stamp(i int) string {
	return engine.Stamp(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 100 * time.Second))
}

// words are those of the i-th message.
func words(i int) string {
	var list []string
	for k := range 12 {
		list = append(list, fmt.Sprint("word", (i*31+k*k*17)%(50+i%5000)))
	}
	return fmt.Sprintf("about topic %d: ", i%10_000) + strings.Join(list, " ")
}
