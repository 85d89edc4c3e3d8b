package tools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"slices"
	"strings"

	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/text/catalog"
)

//go:embed add_task.md
var addTaskText string

//go:embed list_tasks.md
var listTasksText string

//go:embed update_task.md
var updateTaskText string

//go:embed complete_task.md
var completeTaskText string

//go:embed delete_task.md
var deleteTaskText string

// TaskTools returns the tools on a person's tasks.
func TaskTools(store *memory.Store) []Tool {
	return []Tool{addTask(store), listTasks(store), completeTask(store), updateTask(store), deleteTask(store)}
}

func addTask(store *memory.Store) Tool {
	type args struct {
		Description string `json:"description" jsonschema:"what is to be done"`
	}
	meta := core("add_task", addTaskText, Task).adds(false)
	meta.Ask = about("Add the task \"%s\"?", func(a args) []string { return []string{a.Description} })
	meta.Own = owning(func(a args) string { return a.Description })
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		t, err := store.Agenda.AddTask(ctx, viewer(c), a.Description, c.Key, c.Origin)
		if err != nil {
			return refused(err, "description")
		}
		return Result{Content: catalog.Say(ctx, "Task #%d added: %s", t.ID, t.Description), Origin: t.Origin, Private: true}, nil
	})
}

func listTasks(store *memory.Store) Tool {
	type args struct {
		Status string `json:"status,omitempty" jsonschema:"open, done, or all if left out"`
	}
	meta := core("list_tasks", listTasksText, Task).reads()
	meta.Refine = oneOf(map[string][]string{"status": {"open", "done", "all"}})
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		list, err := store.Agenda.Tasks(ctx, viewer(c), maxTasks, 0)
		if err != nil {
			return Result{}, err
		}
		none := catalog.Text(ctx, "You have no tasks here.")
		if a.Status == "open" || a.Status == "done" {
			none = catalog.Say(ctx, "You have no tasks here that are %s.", a.Status)
			list = slices.DeleteFunc(list, func(t agenda.Task) bool { return t.Done != (a.Status == "done") })
		}
		if len(list) == 0 {
			return Result{Content: none}, nil
		}
		list = list[:min(len(list), 50)]
		r := Result{Content: catalog.Text(ctx, "Your tasks:") + "\n" + TaskLines(ctx, list), Private: true}
		for _, t := range list {
			r.found(c.Who.ID, t.Origin)
		}
		return r, nil
	})
}

// maxTasks is how many tasks are searched at most.
const maxTasks = 10_000

// TaskLines are tasks as people read them.
func TaskLines(ctx context.Context, list []agenda.Task) string {
	lines := make([]string, len(list))
	for i, t := range list {
		lines[i] = fmt.Sprintf("- #%d %s", t.ID, t.Description)
		if t.Done {
			lines[i] = fmt.Sprintf("- #%d ~~%s~~ %s", t.ID, t.Description, catalog.Text(ctx, "(done)"))
		}
	}
	return strings.Join(lines, "\n")
}

func completeTask(store *memory.Store) Tool {
	meta := core("complete_task", completeTaskText, Task).sets()
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, true)
		return sentence(ctx, "Mark the task \"%s\" as done?", t.Description), err
	})
	meta.Own = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, true)
		return t.Description, err
	})
	return Func(meta, func(ctx context.Context, c Call, a named) (Result, error) {
		t, err := taskOf(ctx, store, c, a, true)
		if err == nil {
			t, err = store.Agenda.CompleteTask(ctx, viewer(c), t.ID)
		}
		return worded(ctx, deed{t.Origin, err}, "Done: #%d %s", t.ID, t.Description)
	})
}

func updateTask(store *memory.Store) Tool {
	type args struct {
		ID          int64  `json:"id" jsonschema:"the task's number"`
		Description string `json:"description" jsonschema:"what is to be done now"`
	}
	meta := core("update_task", updateTaskText, Task).writes().onDemand()
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		t, err := store.Agenda.Task(ctx, viewer(c), a.ID)
		return sentence(ctx, "Change the task \"%s\" to \"%s\"?", t.Description, a.Description), err
	})
	meta.Own = asking(func(ctx context.Context, c Call, a args) (string, error) {
		t, err := store.Agenda.Task(ctx, viewer(c), a.ID)
		return t.Description + " " + a.Description, err
	})
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		t, err := store.Agenda.UpdateTask(ctx, viewer(c), a.ID, a.Description, c.Origin)
		if err != nil {
			return refused(err, "description")
		}
		return Result{Content: catalog.Say(ctx, "Changed: #%d %s", t.ID, t.Description), Origin: t.Origin}, nil
	})
}

func deleteTask(store *memory.Store) Tool {
	meta := core("delete_task", deleteTaskText, Task).writes().onDemand()
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, false)
		return sentence(ctx, "Delete the task \"%s\"?", t.Description), err
	})
	return Func(meta, func(ctx context.Context, c Call, a named) (Result, error) {
		t, err := taskOf(ctx, store, c, a, false)
		if err == nil {
			t, err = store.Agenda.DeleteTask(ctx, viewer(c), t.ID)
		}
		return worded(ctx, deed{t.Origin, err}, "Deleted: #%d %s", t.ID, t.Description)
	})
}
