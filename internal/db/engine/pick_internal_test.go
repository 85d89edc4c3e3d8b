package engine

import (
	"context"
	"database/sql"
	"strings"
	"testing"
)

// On a server those that are held go first and by themselves, for a while; what rests goes
// alone. In a file all that waits goes at once.
func TestPick(t *testing.T) {
	kinds := map[rune]write{'h': {held: true}, 'u': {}, 'b': {bare: true}, 'r': {held: true, put: resting}}
	for _, c := range []struct {
		server       bool
		waits, picks string
	}{
		{false, "huhrhu", "huhrhu"}, {false, "hubhu", "hub hu"}, {true, "huhuh", "hhh uu"},
		{true, "uub", "uub"}, {true, "buh", "h b u"}, {true, "urhu", "h uu r"}, {true, "rh", "h r"},
	} {
		d := &DB{}
		if c.server {
			d.p.Server = away{}
		}
		said := map[*write]rune{}
		for _, kind := range c.waits {
			w := kinds[kind]
			d.waiting = append(d.waiting, &w)
			said[&w] = kind
		}
		var got []string
		for len(d.waiting) > 0 {
			var batch strings.Builder
			for _, w := range d.pick(nil) {
				batch.WriteRune(said[w])
			}
			got = append(got, batch.String())
		}
		if got := strings.Join(got, " "); got != c.picks {
			t.Errorf("server %v, %s: %s, want %s", c.server, c.waits, got, c.picks)
		}
	}
	d := &DB{waiting: []*write{{}}, p: Parts{Server: away{}}}
	for n := 0; ; n++ {
		d.waiting = append(d.waiting, &write{held: true})
		if batch := d.pick(nil); !batch[0].held {
			if n != mostPassed {
				t.Errorf("%d batches passed it", n)
			}
			return
		}
	}
}

// away is a server that nobody asks.
type away struct{}

func (away) Commit(*Tx, Ending) (Sealed, error)         { panic("asked") }
func (away) Connect(context.Context) (*sql.Conn, error) { panic("asked") }
func (away) Committed(context.Context, *sql.Conn, string) (bool, error) {
	panic("asked")
}
