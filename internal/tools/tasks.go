package tools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"slices"

	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/text"
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

// TaskOperations are what can be done with a person's tasks.
func TaskOperations(store *memory.Store) []Operation {
	return []Operation{listTasks(store), addTask(store), completeTask(store), updateTask(store), deleteTask(store)}
}

// taskFace is what people see of an operation on tasks.
func taskFace(command, helpLine string, args ...Arg) Face {
	return Face{Command: command, Help: helpLine, Args: args, Private: true, Text: "description", Absent: func(err error) error {
		return text.Instead(err, agenda.ErrNoTask, "There is no such task. /tasks list shows yours.")
	}}
}

// taskText is the argument with what a task says.
var taskText = Arg{Name: "text", Of: "description", Help: "what is to be done"}

// whichTask is the number of a task, of those that are open or of any.
func whichTask(store *memory.Store, open bool) Arg {
	return Arg{Name: "number", Of: "id", Help: "number of the task", Required: true, Offer: Offered(
		func(ctx context.Context, v provenance.Viewer) ([]agenda.Task, error) {
			rows, err := store.Agenda.Tasks(ctx, v, mostOffered, 0)
			return slices.DeleteFunc(rows, func(row agenda.Task) bool { return row.Done && open }), err
		}, func(row agenda.Task) (int64, int64, string) { return row.RowKey(), row.Number, row.Description })}
}

func addTask(store *memory.Store) Operation {
	type args struct {
		Description string `json:"description"`
	}
	meta := core("add_task", addTaskText, Task).adds(false).keyed().rows().says("adds a task to your list")
	meta.Ask = about("Add the task \"%s\"?", func(a args) []string { return []string{a.Description} })
	meta.Own = owning(func(a args) string { return a.Description })
	return Declare(meta, taskFace("tasks add", "Add a task", taskText), func(ctx context.Context, c Call, a args) (Result, error) {
		t, err := store.Agenda.AddTask(ctx, viewer(c), a.Description, c.Key, c.Origin)
		return worded(ctx, deed{t.Origin, err}, "Task #%d added: %s", t.Number, t.Description)
	})
}

// Bounds of a list of tasks: how many the model is shown, and how many people may turn
// the pages of.
const (
	tasksShown = 50
	tasksPaged = 1000
)

func listTasks(store *memory.Store) Operation {
	type args struct {
		Status string `json:"status,omitempty" jsonschema:"open, done, or all if left out"`
	}
	meta := core("list_tasks", listTasksText, Task).reads().says("lists your tasks")
	meta.Refine = oneOf(map[string][]string{"status": {"open", "done", "all"}})
	face := taskFace("tasks list", "Your tasks, newest first")
	face.Listed = true
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		list, err := store.Agenda.Tasks(ctx, viewer(c), maxTasks, 0)
		if err != nil {
			return Result{}, err
		}
		none := catalog.Text(ctx, "You have no tasks here.")
		if a.Status == "open" || a.Status == "done" {
			none = catalog.Say(ctx, "You have no tasks here that are %s.", a.Status)
			list = slices.DeleteFunc(list, func(t agenda.Task) bool { return t.Done != (a.Status == "done") })
		}
		most := tasksShown
		if c.ByHand {
			most = tasksPaged
		}
		r, rows := Result{Content: none}, Rows{Head: catalog.Text(ctx, "Your tasks:"),
			None: catalog.Text(ctx, "You have no tasks here. /tasks add TEXT makes one.")}
		for _, t := range list[:min(len(list), most)] {
			rows.Lines = append(rows.Lines, taskLine(ctx, t))
			r.found(c.Who.ID, t.Origin)
		}
		r.Data = rows
		return r, nil
	})
}

// maxTasks is how many tasks are searched at most.
const maxTasks = 10_000

// taskLine is a task as people read it.
func taskLine(ctx context.Context, t agenda.Task) string {
	if t.Done {
		return fmt.Sprintf("- #%d ~~%s~~ %s", t.Number, t.Description, catalog.Text(ctx, "(done)"))
	}
	return fmt.Sprintf("- #%d %s", t.Number, t.Description)
}

func completeTask(store *memory.Store) Operation {
	meta := core("complete_task", completeTaskText, Task).sets().rows().says("ticks a task off")
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, true)
		return sentence(ctx, "Mark the task \"%s\" as done?", t.Description), err
	})
	meta.Own = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, true)
		return t.Description, err
	})
	face := taskFace("tasks done", "Tick a task off", whichTask(store, true))
	return Declare(meta, face, func(ctx context.Context, c Call, a named) (Result, error) {
		t, err := taskOf(ctx, store, c, a, true)
		if err == nil {
			t, err = store.Agenda.CompleteTask(ctx, viewer(c), t.ID)
		}
		return worded(ctx, deed{t.Origin, err}, "Done: #%d %s", t.Number, t.Description)
	})
}

func updateTask(store *memory.Store) Operation {
	type args struct {
		keyed
		ID          int64  `json:"id"`
		Description string `json:"description" jsonschema:"what is to be done now"`
	}
	task := func(ctx context.Context, c Call, a args) (agenda.Task, error) {
		return taskOf(ctx, store, c, named{keyed: a.keyed, ID: a.ID}, false)
	}
	meta := core("update_task", updateTaskText, Task).writes().rows().onDemand().says("changes a task")
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		t, err := task(ctx, c, a)
		return sentence(ctx, "Change the task \"%s\" to \"%s\"?", t.Description, a.Description), err
	})
	meta.Own = asking(func(ctx context.Context, c Call, a args) (string, error) {
		t, err := task(ctx, c, a)
		return t.Description + " " + a.Description, err
	})
	face := taskFace("tasks edit", "Change what it says", whichTask(store, false), taskText)
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		t, err := task(ctx, c, a)
		if err == nil {
			t, err = store.Agenda.UpdateTask(ctx, viewer(c), t.ID, a.Description, c.Origin)
		}
		return worded(ctx, deed{t.Origin, err}, "Changed: #%d %s", t.Number, t.Description)
	})
}

func deleteTask(store *memory.Store) Operation {
	meta := core("delete_task", deleteTaskText, Task).writes().rows().onDemand().says("deletes a task")
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		t, err := taskOf(ctx, store, c, a, false)
		return sentence(ctx, "Delete the task \"%s\"?", t.Description), err
	})
	face := taskFace("tasks delete", "Delete a task", whichTask(store, false))
	return Declare(meta, face, func(ctx context.Context, c Call, a named) (Result, error) {
		t, err := taskOf(ctx, store, c, a, false)
		if err == nil {
			t, err = store.Agenda.DeleteTask(ctx, viewer(c), t.ID)
		}
		return worded(ctx, deed{t.Origin, err}, "Deleted: #%d %s", t.Number, t.Description)
	})
}
