package postings

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// fake is an index in memory.
type fake struct {
	generation int
	entries    map[int64][]string
	last, open int64
	read       []string // words that were read
	reading    func()   // is called while they are
	asking     func()   // is called before an answer to what came arrives
}

func (f *fake) Since(generation string, id int64) (News, error) {
	n := News{Generation: fmt.Sprint("g", f.generation), Last: f.last, After: id, Open: f.open, Next: 2}
	if n.Generation != generation {
		n.After = f.last
	}
	for row := range f.entries {
		if row>>placeBits > n.After-10 {
			n.Rows = append(n.Rows, row)
		}
	}
	slices.Sort(n.Rows)
	if f.asking != nil {
		f.asking()
	}
	return n, nil
}

func (f *fake) Words(rows []int64) (map[int64][]string, error) {
	words := maps.Clone(f.entries)
	maps.DeleteFunc(words, func(row int64, _ []string) bool { return !slices.Contains(rows, row) })
	return words, nil
}

func (f *fake) Read(words []string) (found [][]int64, err error) {
	f.read = append(f.read, words...)
	for _, w := range words {
		found = append(found, f.with(w))
	}
	if f.reading != nil {
		f.reading()
	}
	return found, nil
}

// with are the entries that have a word.
func (f *fake) with(word string) (rows []int64) {
	for row, words := range f.entries {
		if slices.Contains(words, word) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

func (f *fake) say(id, place int64, words ...string) {
	f.entries[id<<placeBits|place], f.last = words, max(f.last, id)
}

// filled is an index in which "the" is frequent and "canoe" is not.
func filled() *fake {
	f := &fake{entries: map[int64][]string{}, open: 2}
	for id := range int64(2 * fewest) {
		f.say(20+id, id%3, "the")
	}
	f.say(21, 7, "the", "canoe")
	return f
}

// check gets words, compares them with the index, and returns which were read.
func check(t *testing.T, c *Cache, f *fake, words ...string) []string {
	t.Helper()
	f.read = nil
	found, err := c.Get(f, words)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		if want := f.with(w); !slices.Equal(found[i], want) {
			t.Fatalf("%s has %d entries instead of %d", w, len(found[i]), len(want))
		}
	}
	return f.read
}

// Frequent words are read once; what comes later is added, wherever it stands; and what is taken
// out of the index leaves no list.
func TestFrequentWordsAreReadOnce(t *testing.T) {
	f, c := filled(), &Cache{}
	expect := func(what string, want ...string) {
		t.Helper()
		if got := check(t, c, f, "the", "canoe"); !slices.Equal(got, want) {
			t.Errorf("%s: %q were read, not %q", what, got, want)
		}
	}
	expect("at first", "the", "canoe")
	expect("then", "canoe")
	f.say(f.last+5, 1, "the")
	expect("with a message", "canoe")
	f.say(f.last-2, 1, "the", "canoe")
	expect("with one that was committed later", "canoe")
	f.say(3, 1, "the")
	f.generation++
	expect("with words that came much later", "the", "canoe")
	delete(f.entries, 21<<placeBits|7)
	f.generation++
	expect("with one that was deleted", "the", "canoe")
	for range fresh + 1 {
		f.say(f.last+1, 1, "the")
	}
	expect("with very many", "the", "canoe")
	c.Forget()
	expect("after Forget", "the", "canoe")
	if c.Forget(); len(c.lists) > 0 || c.size > 0 || len(c.seen) > 0 {
		t.Error("something is left")
	}
}

// A list that was read while another question saw more come is not kept: it may lack that.
func TestListsReadMeanwhileAreNotKept(t *testing.T) {
	f, c := filled(), &Cache{}
	for id := range int64(fewest) {
		f.say(1000+id, 1, "a")
	}
	check(t, c, f, "a")
	f.reading = func() {
		f.reading = nil
		f.say(f.last+1, 1, "the", "a")
		check(t, c, f, "a")
	}
	if _, err := c.Get(f, []string{"the"}); err != nil {
		t.Fatal(err)
	}
	if got := check(t, c, f, "the", "a"); !slices.Equal(got, []string{"the"}) {
		t.Errorf("%q were read", got)
	}
}

// Nobody waits for another's answer of the index, whichever arrives first; and one that is from before
// something was deleted brings no list of then back.
func TestAnswersArriveInAnyOrder(t *testing.T) {
	gone := int64(21<<placeBits | 7)
	for _, c := range []struct {
		what   string
		change func(f *fake)
		want   []string // that are read next
	}{
		{"nothing", func(*fake) {}, []string{"canoe"}},
		{"a message", func(f *fake) { f.say(f.last+1, 1, "the", "canoe") }, []string{"canoe"}},
		{"one that was committed later", func(f *fake) { f.say(f.last-2, 1, "the", "canoe") }, []string{"canoe"}},
		{"a deletion", func(f *fake) { delete(f.entries, gone); f.generation++ }, []string{"canoe"}},
	} {
		f, cache := filled(), &Cache{}
		check(t, cache, f, "the", "canoe")
		f.asking = func() {
			f.asking = nil
			c.change(f)
			check(t, cache, f, "the", "canoe")
		}
		found, err := cache.Get(f, []string{"the"})
		if err != nil || !slices.Equal(found[0], f.with("the")) {
			t.Errorf("%s: %d entries instead of %d, %v", c.what, len(found[0]), len(f.with("the")), err)
		}
		if got := check(t, cache, f, "the", "canoe"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q were read, not %q", c.what, got, c.want)
		}
	}
}

// While a transaction is open that may bring entries of long ago, no list is kept.
func TestListsWaitForOpenTransactions(t *testing.T) {
	f, c := filled(), &Cache{}
	f.open = 1
	for range 2 {
		if got := check(t, c, f, "the"); len(got) != 1 {
			t.Errorf("%q were read", got)
		}
	}
	f.say(1, 1, "the")
	f.open = 2
	check(t, c, f, "the")
	if got := check(t, c, f, "the"); len(got) != 0 {
		t.Errorf("%q were read", got)
	}
}

// Lists take no more than they may, and those stay that were asked for last.
func TestListsAreBounded(t *testing.T) {
	f, c := &fake{entries: map[int64][]string{}}, &Cache{}
	row := make([]int64, most/10)
	for i := range row {
		row[i] = int64(i+1) << placeBits
	}
	if _, _, err := c.update(f, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		c.clock++
		c.keep(c.version, []string{fmt.Sprint("w", i)}, [][]int64{row})
		size := 0
		for w, l := range c.lists {
			size += len(w) + len(l.bytes) + beside
		}
		if c.size > most || c.size != size {
			t.Fatalf("%d bytes are counted, %d there", c.size, size)
		}
	}
	if len(c.lists) < 5 || c.lists["w29"] == nil || c.lists["w0"] != nil {
		t.Errorf("kept are %q", slices.Sorted(maps.Keys(c.lists)))
	}
}

// What is packed comes back, in any order in which it is added.
func TestPackedComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var p packed
		want := map[int64]bool{}
		for range r.IntN(60) {
			row := r.Int64N(1<<r.IntN(40)+1)<<placeBits | r.Int64N(1+r.Int64N(1<<placeBits))
			p, want[row] = p.with(row), true
		}
		if got := p.rows(); !slices.Equal(got, slices.Sorted(maps.Keys(want))) || p.n != len(want) {
			t.Fatalf("%v instead of %v", got, slices.Sorted(maps.Keys(want)))
		}
	}
}
