package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsFixModel is said in more than one place.
const wordsFixModel = "run bot doctor: it tries the model and says what stands in the way."

// Logs explains the error numbers that people are given.
type Logs struct {
	ID    string `arg:"" optional:"" help:"The number that was in the answer; with none, the newest errors are listed."`
	Limit int    `help:"How many." default:"20"`
}

// Run explains one error, or lists the newest. The bot may be running.
func (c Logs) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	hide := setup.NewRedactor(cfg, setup.ShortestLogged)
	return inStore(ctx, cfg, func(store *memory.Store) error {
		list, err := store.Decisions.Errors(ctx, strings.ToUpper(strings.TrimSpace(c.ID)), time.Now().Add(-oldestError), c.Limit)
		if err != nil {
			return err
		}
		if len(list) == 0 && c.ID != "" {
			return text.Tell("no error %s is known here: it may be of another data folder (--data), older than the retention, or "+
				"forgotten with the person it happened to; bot logs lists the newest", c.ID)
		}
		if c.ID == "" && len(list) == 0 {
			_, err = fmt.Fprintln(s.Out, Speaks().Text("Nothing has gone wrong."))
			return err
		}
		for _, d := range list {
			if c.ID == "" {
				_, err = fmt.Fprintf(seen{s.Out}, "%s  %s  %s  %s\n", d.End.ErrorID, d.At.Local().Format(time.DateTime),
					cmp.Or(string(d.End.Reason), string(d.End.Outcome)), d.Key)
			} else {
				err = explain(seen{s.Out}, d.Decision, hide)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// oldestError is the age of the oldest error that is searched.
const oldestError = 365 * 24 * time.Hour

// maxBroken is how much of the cause is shown, in runes.
const maxBroken = 2000

// explain prints what is known about an error, and what to do.
func explain(w io.Writer, d memory.Decision, hide text.Redactor) error {
	p := Speaks()
	about := p.Text("a message")
	if d.End.Command != "" {
		about = "/" + d.End.Command
	}
	broken := text.Shorten(hide.Hide(cmp.Or(d.Detail.Error, p.Text("(no longer known)"))), maxBroken)
	todo := fixes[d.End.Reason]
	_, err := io.WriteString(w, p.Say("Error %s, %s: %s of %s in %s failed (%s) after %s.\n  What broke: %s\n  What to do: %s\n  More: /trace %s\n", d.End.ErrorID, d.At.Local().Format(time.DateTime), about, d.User, d.Key,
		cmp.Or(string(d.End.Reason), string(d.End.Outcome)), d.Took.Round(time.Millisecond), broken,
		catalog.Words(cmp.Or(todo, "try it again; if it fails again, report what broke, it is a mistake in Parley.")), d.ID[:8]))
	return err
}

// fixes maps the reason of an error to what to do.
var fixes = map[chat.Reason]string{
	chat.Unavailable: wordsFixModel, chat.Misset: wordsFixModel, chat.Unreadable: wordsFixModel,
	chat.Busy: "the model's provider turned the request away for now; a second model in models and routes would have answered.", chat.NoQuota: "nothing is left of the account at the model's provider: add credit there, or route to another model.", chat.TimedOut: "the answer took longer than agent.turn_timeout or model.timeout; a local model may need more time, or a smaller one.", chat.TooLong: "the conversation is too long for the model: set model.context_size, or choose a model that takes more.",
	chat.ToolFailed: "a tool failed; bot doctor tries tool servers and services.",
}
