package facts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// paper is the facts file of x:a.
var paper = facts.Paper{User: "x:a", Path: "/facts.md"}

// filed is a store with a facts file.
type filed struct {
	*memory.Store
	t    *testing.T
	text string
}

func newFiled(t *testing.T, n int) *filed {
	t.Helper()
	f := &filed{Store: memorytest.Open(t, memory.Options{}), t: t}
	for i := range n {
		save(t, f.Store, direct("x:a"), fmt.Sprintf("number %d is %s", i, strings.Repeat(string(rune('a'+i%26)), 5+i/26)))
	}
	must(t, f.sync("", false))
	return f
}

// sync syncs a file that says text.
func (f *filed) sync(text string, exists bool) error {
	done, err := f.Facts.SyncFacts(bg, paper, text, exists)
	if err == nil {
		f.text = done.Text
		err = f.Facts.FactsAgreed(bg, paper, done)
	}
	return err
}

func (f *filed) facts() []string {
	list, err := f.Facts.Facts(bg, direct("x:a"), 10_000, 0)
	must(f.t, err)
	all := contents(list)
	slices.Sort(all)
	return all
}

// without returns the file without its first n facts.
func (f *filed) without(n int) string {
	lines := strings.SplitAfter(f.text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		if n > 0 && strings.HasPrefix(l, "- ") {
			n--
			return true
		}
		return false
	}), "")
}

// A file that lost many facts at once, or ends in the middle of a line, counts as an accident
// until somebody accepts it.
func TestFactsThatVanishTogether(t *testing.T) {
	cut := func(f *filed) string { // after the first fact
		i := strings.Index(f.text, "%%\n")
		return f.text[:i+3]
	}
	for _, tt := range []struct {
		name    string
		n       int
		file    func(f *filed) string
		refused bool
	}{
		{"cut after the first of 100", 100, cut, true},
		{"six of 100", 100, func(f *filed) string { return f.without(6) }, true},
		{"five of 100", 100, func(f *filed) string { return f.without(5) }, false},
		{"three of 10", 10, func(f *filed) string { return f.without(3) }, true},
		{"two of 10", 10, func(f *filed) string { return f.without(2) }, false},
		{"one of three", 3, func(f *filed) string { return f.without(1) }, false},
		{"two of three", 3, func(f *filed) string { return f.without(2) }, true},
		{"the last line cut in its comment", 50, func(f *filed) string { return f.text[:len(f.text)-9] }, true},
		{"the last line cut in its words", 50, func(f *filed) string {
			return f.text[:strings.LastIndex(f.text, " %%{")-3]
		}, true},
		{"the last line gone with the end of the one before", 50, func(f *filed) string {
			lines := strings.SplitAfter(f.text, "\n")
			return strings.TrimSuffix(strings.Join(lines[:len(lines)-2], ""), "\n")
		}, true},
		{"nothing but its headings", 50, func(f *filed) string { return f.without(50) }, true},
		{"empty", 50, func(f *filed) string { return "" }, true},
		{"zeros", 50, func(f *filed) string { return f.text[:200] + strings.Repeat("\x00", len(f.text)-200) }, true},
		{"saved as Latin-1", 50, func(f *filed) string { return f.text + "- lives in Z\xfcrich\n" }, true},
		{"somebody else's", 50, func(f *filed) string { return strings.Replace(f.text, "x:a", "x:b", 1) }, true},
		{"all say something else", 50, func(f *filed) string { return strings.ReplaceAll(f.text, "number", "item") }, true},
		{"no end of the last line, all there", 50, func(f *filed) string { return strings.TrimSuffix(f.text, "\n") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFiled(t, tt.n)
			before, text := f.facts(), tt.file(f)
			for range 3 { // syncs do not wear it down
				err := f.sync(text, true)
				if (err != nil) != tt.refused {
					t.Fatalf("refused: %v", err)
				}
				if tt.refused && !slices.Equal(f.facts(), before) {
					t.Fatalf("the rows changed: %d of %d", len(f.facts()), len(before))
				}
			}
		})
	}
}

// Everybody who asks learns why a file is refused. It is used when somebody accepts this very
// file.
func TestAcceptedFacts(t *testing.T) {
	f := newFiled(t, 30)
	if _, err := f.Facts.AcceptFacts(bg); !errors.Is(err, facts.ErrNothingRefused) {
		t.Errorf("nothing was refused: %v", err)
	}
	text, other := f.without(10), f.without(20)
	mass := (*facts.MassError)(nil)
	if err := f.sync(text, true); !errors.As(err, &mass) || mass.Gone != 10 || mass.Total != 30 {
		t.Fatal(err)
	}
	if got, err := f.Facts.FactsRefused(bg); err != nil || got == nil || *got != *mass {
		t.Errorf("%+v, %v", got, err)
	}
	must(t, second(f.Facts.AcceptFacts(bg)))
	if done, err := f.Facts.UndoFacts(bg); err != nil || !done.Withdrawn || done.Removed+done.Restored+done.Reverted > 0 {
		t.Errorf("taken back at once: %+v, %v", done, err)
	}
	if err := f.sync(text, true); err == nil {
		t.Error("used after the acceptance was withdrawn")
	}
	must(t, second(f.Facts.AcceptFacts(bg)))
	if err := f.sync(other, true); err == nil {
		t.Error("another file was used")
	}
	if err := f.sync(text, true); err != nil || len(f.facts()) != 20 {
		t.Errorf("%d facts, %v", len(f.facts()), err)
	}
	if got, err := f.Facts.FactsRefused(bg); err != nil || got != nil {
		t.Errorf("still refused: %+v, %v", got, err)
	}
	// A repaired file is not refused.
	whole := f.text
	if f.sync(f.without(9), true) == nil || f.sync(whole, true) != nil {
		t.Error("a file that is whole again")
	}
	if got, _ := f.Facts.FactsRefused(bg); got != nil || len(f.facts()) != 20 {
		t.Errorf("%+v, %d facts", got, len(f.facts()))
	}
}

// Undo takes back each sync that deleted, changed or added facts, the latest first.
func TestUndoneFacts(t *testing.T) {
	f := newFiled(t, 10)
	if _, err := f.Facts.UndoFacts(bg); !errors.Is(err, facts.ErrNothingUndone) {
		t.Errorf("nothing to undo: %v", err)
	}
	first := f.facts()
	must(t, f.sync(strings.Replace(f.without(2), "number 5 is", "NUMBER 5 was", 1)+"- rides a bike\n", true))
	after := f.facts()
	if len(after) != 9 || !slices.Contains(after, "rides a bike") || !strings.Contains(strings.Join(after, "|"), "NUMBER 5 was") {
		t.Fatal(after)
	}
	must(t, f.sync(strings.Replace(f.text, "NUMBER 5 was", "number 5 will be", 1), true))
	must(t, f.sync(strings.Replace(f.text, "rides a bike", "rides a bike #fun", 1), true))
	for _, want := range []facts.Undone{{Reverted: 1}, {Reverted: 1}} {
		got, err := f.Facts.UndoFacts(bg)
		if got.At = want.At; err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	if got := f.facts(); !slices.Equal(got, after) || strings.Contains(f.tags(), "fun") {
		t.Errorf("%q %s\nwant %q", got, f.tags(), after)
	}
	if got, err := f.Facts.UndoFacts(bg); err != nil || got.Restored != 2 || got.Reverted != 1 || got.Removed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := f.facts(); !slices.Equal(got, first) {
		t.Errorf("%q\nwant %q", got, first)
	}
	// The next sync writes the restored facts to the file.
	must(t, f.sync(f.text, true))
	if got := f.facts(); !slices.Equal(got, first) || strings.Count(f.text, "\n- ") != 10 {
		t.Errorf("%q\n%s", got, f.text)
	}
	// Undo does not restore what was forgotten in the chat since.
	must(t, f.sync(f.without(1), true))
	_, _, err := f.Facts.ClearFacts(bg, direct("x:a"), false)
	must(t, err)
	if _, err := f.Facts.UndoFacts(bg); !errors.Is(err, facts.ErrNothingUndone) || len(f.facts()) != 0 {
		t.Errorf("%v, %q", err, f.facts())
	}
}

func (f *filed) tags() (all string) {
	list, err := f.Facts.Facts(bg, direct("x:a"), 100, 0)
	must(f.t, err)
	for _, x := range list {
		all += strings.Join(x.Tags, " ")
	}
	return all
}

// A file that could not be written is merged again: facts saved meanwhile in the chat do not
// count as deleted.
func TestFactsAgreeOnlyOnceWritten(t *testing.T) {
	f := newFiled(t, 10)
	old := f.text
	save(t, f.Store, direct("x:a"), "plays the cello")
	if _, err := f.Facts.SyncFacts(bg, paper, old, true); err != nil { // and the disk is full
		t.Fatal(err)
	}
	must(t, f.sync(old+"- rides a bike\n", true))
	if got := f.facts(); len(got) != 12 || !strings.Contains(f.text, "plays the cello") {
		t.Errorf("%q", got)
	}
}

// The state of syncs that earlier versions stored still counts.
func TestFactsAgreedByEarlierVersions(t *testing.T) {
	f := newFiled(t, 3)
	list, err := f.Facts.Facts(bg, direct("x:a"), 10, 0)
	must(t, err)
	var parts []string
	for _, x := range list {
		parts = append(parts, fmt.Sprintf(`"%d":{"content":%q}`, x.ID, x.Content))
	}
	must(t, f.Settings.SetSetting(bg, facts.SyncedSetting, "{"+strings.Join(parts, ",")+"}"))
	must(t, f.sync(f.without(1), true))
	if got := f.facts(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	if v, err := f.Settings.Setting(bg, facts.SyncedSetting); err != nil || strings.Contains(v, "number") {
		t.Errorf("the setting still contains words: %s, %v", v, err)
	}
}

func TestRetiredFactsGo(t *testing.T) {
	f := newFiled(t, 10)
	must(t, f.sync(f.without(2), true))
	count := func() (n int) {
		must(t, f.Facts.DB().QueryRow("SELECT count(*) FROM key_facts").Scan(&n))
		return n
	}
	must(t, f.Facts.PruneUndo(bg))
	if count() != 10 {
		t.Errorf("gone too early: %d rows", count())
	}
	must(t, f.Facts.DropRetired(bg, "9999"))
	if count() != 8 {
		t.Errorf("%d rows", count())
	}
}
