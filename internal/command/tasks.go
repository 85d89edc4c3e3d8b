package command

import (
	"context"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Tasks is /tasks.
type Tasks struct{ Rows TaskRows }

// TaskRows is the tasks that are stored; agenda.Agenda.
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

func (t Tasks) command() gate.Command {
	what := gate.Option{Name: "text", Help: "what is to be done", Required: true}
	return gate.Command{Name: "tasks", Help: "Your tasks", First: 4, Effect: gate.Reads, Private: true, Run: t.list, Verbs: []gate.Command{
		{Name: "list", Help: "Your tasks, newest first", Effect: gate.Reads, Run: t.list, Options: []gate.Option{{Name: "page",
			Help: helpPageNumber, Kind: gate.Number}}},
		{Name: "add", Help: "Add a task", Options: []gate.Option{what}, Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
			return taskAnswer(ctx, "Task #%d added: %s")(t.Rows.AddTask(ctx, provenance.ViewerOf(r.Message), r.Args["text"], "", typed))
		}},
		{Name: "done", Help: "Tick a task off", Options: []gate.Option{t.which(true)}, Run: func(ctx context.Context,
			r gate.Request) (chat.Answer, error) {
			return taskAnswer(ctx, "Done: #%d %s")(t.Rows.CompleteTask(ctx, provenance.ViewerOf(r.Message), row(r)))
		}},
		{Name: "edit", Help: "Change what it says", Options: []gate.Option{t.which(false), what}, Run: func(ctx context.Context,
			r gate.Request) (chat.Answer, error) {
			return taskAnswer(ctx, "Changed: #%d %s")(t.Rows.UpdateTask(ctx, provenance.ViewerOf(r.Message), row(r), r.Args["text"], typed))
		}},
		{Name: "delete", Help: "Delete a task", Options: []gate.Option{t.which(false)}, Confirm: t.askDelete,
			Run: func(ctx context.Context, r gate.Request) (chat.Answer, error) {
				return taskAnswer(ctx, "Deleted: #%d %s")(t.Rows.DeleteTask(ctx, provenance.ViewerOf(r.Message), row(r)))
			}},
	}}
}

// noTask says where to find those there are.
func noTask(err error) error {
	return text.Instead(err, agenda.ErrNoTask, "There is no such task. /tasks list shows yours.")
}

// taskAnswer says what became of a task.
func taskAnswer(ctx context.Context, words string) func(agenda.Task, error) (chat.Answer, error) {
	return func(t agenda.Task, err error) (chat.Answer, error) {
		return chat.Answer{Text: catalog.Say(ctx, words, t.ID, t.Description)}, noTask(err)
	}
}

func (t Tasks) askDelete(ctx context.Context, r gate.Request) (string, error) {
	found, err := t.Rows.Task(ctx, provenance.ViewerOf(r.Message), row(r))
	return catalog.Say(ctx, "Delete the task \"%s\"?", text.Literal(found.Description)), noTask(err)
}

func (t Tasks) list(ctx context.Context, r gate.Request) (chat.Answer, error) {
	const most = 1000
	list, err := t.Rows.Tasks(ctx, provenance.ViewerOf(r.Message), most, 0)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, "You have no tasks here. /tasks add TEXT makes one.")
	}
	return gate.Page(ctx, strings.Split(tools.TaskLines(ctx, list), "\n"), r.Number("page", 1), listPage, "/tasks list"), nil
}
