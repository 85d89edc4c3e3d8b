package command

import (
	"context"
	"strings"

	"parley/internal/admin"
	"parley/internal/agenda"
	"parley/internal/chat"
	"parley/internal/provenance"
	"parley/internal/text"
	"parley/internal/tongue"
	"parley/internal/tools"
)

// Tasks is /tasks.
type Tasks struct{ Rows TaskRows }

// TaskRows is the tasks that are stored; memory.Store.
type TaskRows interface {
	TaskReader
	TaskWriter
}

// TaskReader finds tasks that somebody can see; agenda.ErrNoTask is none.
type TaskReader interface {
	Task(ctx context.Context, v provenance.Viewer, id int64) (agenda.Task, error)
	Tasks(ctx context.Context, v provenance.Viewer, limit, offset int) ([]agenda.Task, error)
}

// TaskWriter changes tasks that somebody can see; agenda.ErrNoTask is none.
type TaskWriter interface {
	AddTask(ctx context.Context, v provenance.Viewer, what, callKey string, from provenance.Origin) (agenda.Task, error)
	CompleteTask(ctx context.Context, v provenance.Viewer, id int64) (agenda.Task, error)
	UpdateTask(ctx context.Context, v provenance.Viewer, id int64, what string, from provenance.Origin) (agenda.Task, error)
	DeleteTask(ctx context.Context, v provenance.Viewer, id int64) (agenda.Task, error)
}

// typed is the origin of what a command stores.
var typed = provenance.Origin{Via: provenance.ViaTyped}

func (t Tasks) command() admin.Command {
	what := admin.Option{Name: "text", Help: helpTaskText, Required: true}
	return admin.Command{Name: "tasks", Help: helpTasks, First: 4, Effect: admin.Reads, Private: true, Run: t.list, Verbs: []admin.Command{
		{Name: "list", Help: helpTasksList, Effect: admin.Reads, Run: t.list, Options: []admin.Option{{Name: "page", Help: helpPageNumber, Kind: admin.Number}}},
		{Name: "add", Help: helpTasksAdd, Options: []admin.Option{what}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return taskAnswer(ctx, wordsTaskAdded)(t.Rows.AddTask(ctx, provenance.ViewerOf(r.Message), r.Args["text"], "", typed))
		}},
		{Name: "done", Help: helpTasksDone, Options: []admin.Option{t.which(true)}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return taskAnswer(ctx, wordsTaskDone)(t.Rows.CompleteTask(ctx, provenance.ViewerOf(r.Message), row(r)))
		}},
		{Name: "edit", Help: helpTasksEdit, Options: []admin.Option{t.which(false), what}, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return taskAnswer(ctx, wordsTaskChanged)(t.Rows.UpdateTask(ctx, provenance.ViewerOf(r.Message), row(r), r.Args["text"], typed))
		}},
		{Name: "delete", Help: helpTasksDelete, Options: []admin.Option{t.which(false)}, Confirm: t.askDelete, Run: func(ctx context.Context, r admin.Request) (chat.Answer, error) {
			return taskAnswer(ctx, wordsTaskDeleted)(t.Rows.DeleteTask(ctx, provenance.ViewerOf(r.Message), row(r)))
		}},
	}}
}

// noTask says where to find those there are.
func noTask(err error) error { return text.Instead(err, agenda.ErrNoTask, wordsNoTask) }

// taskAnswer says what became of a task.
func taskAnswer(ctx context.Context, words string) func(agenda.Task, error) (chat.Answer, error) {
	return func(t agenda.Task, err error) (chat.Answer, error) {
		return chat.Answer{Text: tongue.Say(ctx, words, t.ID, t.Description)}, noTask(err)
	}
}

func (t Tasks) askDelete(ctx context.Context, r admin.Request) (string, error) {
	found, err := t.Rows.Task(ctx, provenance.ViewerOf(r.Message), row(r))
	return tongue.Say(ctx, wordsDeleteTask, text.Literal(found.Description)), noTask(err)
}

func (t Tasks) list(ctx context.Context, r admin.Request) (chat.Answer, error) {
	const most = 1000
	list, err := t.Rows.Tasks(ctx, provenance.ViewerOf(r.Message), most, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, wordsNoTasks)
	}
	return admin.Page(ctx, strings.Split(tools.TaskLines(ctx, list), "\n"), r.Number("page", 1), listPage, "/tasks list"), nil
}
