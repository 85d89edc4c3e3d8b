package command

import (
	"context"
	"fmt"
	"testing"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
)

// In a button of an earlier version stands the id of its row, which is no number.
func TestOldButtonsMeanTheirRow(t *testing.T) {
	t.Parallel()
	s := memorytest.Open(t, memory.Options{})
	task := func(user string) (id int64) {
		for range 3 {
			made, err := s.Agenda.AddTask(t.Context(), provenance.Viewer{User: user, Direct: true}, "buy tea", "", provenance.Origin{})
			if id = made.ID; err != nil {
				t.Fatal(err)
			}
		}
		return id
	}
	task("x:ben")
	id := task("x:anna") // her number 3
	asked := func(number string) (int64, error) {
		return row(gate.Request{Args: map[string]string{"number": number}}, "number", func(n int64) (int64, error) {
			return s.Agenda.TaskID(t.Context(), provenance.Viewer{User: "x:anna", Direct: true}, n)
		})
	}
	made, err := s.Agenda.Task(t.Context(), provenance.Viewer{User: "x:anna", Direct: true}, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"3", fmt.Sprint("=", made.RowKey()), fmt.Sprint("=", id)} {
		if got, err := asked(number); err != nil || got != id {
			t.Errorf("%s is row %d, not %d: %v", number, got, id, err)
		}
	}
	if got, err := asked("=1"); err != nil || got != 1 {
		t.Errorf("=1 is row %d: %v", got, err)
	}
}

// Whose change a number means does not depend on how many others made.
func TestUndoCountsOnesOwnChanges(t *testing.T) {
	t.Parallel()
	s := memorytest.Open(t, memory.Options{})
	save := func(user, content string) {
		v := provenance.Viewer{User: user, Key: chat.Key{Platform: "x", Channel: "dm-" + user}, Direct: true}
		if _, err := s.Facts.SaveFact(context.Background(), v, facts.NewFact{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	save("x:ben", "Kettles are blue")
	save("x:ben", "Violins are small")
	save("x:anna", "Likes ladders")
	save("x:anna", "Plays the cello")
	f := Facts{Rows: s.Facts, Steps: s}
	for _, number := range []string{"2", "1"} { // an id, taken for a number, is one of ben's
		got, _, err := f.undoes(t.Context(), gate.Request{Args: map[string]string{"number": number},
			Message: chat.Message{Key: chat.Key{Platform: "x", Channel: "dm-x:anna"}, From: chat.User{ID: "x:anna"}, Direct: true}})
		if err != nil || fmt.Sprint(got) != number {
			t.Errorf("change %s is %d: %v", number, got, err)
		}
	}
}
