package tools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"slices"
	"strings"

	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

//go:embed decision.md
var decisionText string

//go:embed list_decisions.md
var listDecisionsText string

//go:embed change_decision.md
var changeDecisionText string

//go:embed forget_decision.md
var forgetDecisionText string

// layoutDate is how the day of a decision is written.
const layoutDate = "2 January 2006"

// Decided is the Data of a result that adds a decision to the session, in place of another
// one unless Replaces is "". The turn stores it with its answer.
type Decided struct{ Content, Replaces string }

// DecisionOperations are what can be done with what was decided in a place. mayAll reports
// whether who calls may change what others decided; nil forbids it.
func DecisionOperations(store *memory.Store, mayAll func(context.Context, Call) bool) []Operation {
	d := decisions{store, mayAll}
	return []Operation{d.list(), d.change(), d.forget()}
}

type decisions struct {
	store  *memory.Store
	mayAll func(context.Context, Call) bool
}

// SaveDecision returns the tool save_decision. The turn that runs it stores the decision with
// its session.
func SaveDecision(store *memory.Store) Tool {
	type args struct {
		Content  string `json:"content" jsonschema:"the decision, one short sentence"`
		Replaces string `json:"replaces,omitempty" jsonschema:"number or words of the earlier decision"`
	}
	meta := Meta{Name: "save_decision", Words: "keeps a decision of this conversation",
		Description: strings.TrimSpace(decisionText), Category: Thread, Idempotent: true,
		SideEffect: true, Rows: true, Core: true}
	meta.Ask = about("Note this as decided here: \"%s\"?", func(a args) []string { return []string{a.Content} })
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		said, err := sessions.DecisionText(a.Content)
		if err != nil {
			return Result{}, invalid("content", err)
		}
		data := Decided{said, strings.TrimSpace(a.Replaces)}
		r := Result{Content: "Decision recorded: " + said, Data: data}
		if data.Replaces == "" {
			return r, nil
		}
		list, err := store.Past.Decisions(ctx, viewer(c), false)
		if old, ok := sessions.Meant(list, data.Replaces); ok {
			r.Content += ". It takes the place of " + old.Line()
			r.found(c.Who.ID, old.Origin.Of(old.User))
		} else {
			r.Content += ". No earlier decision here is clearly the one you named; list_decisions shows them all, and change_decision changes one."
		}
		return r, err
	})
}

// decisionFace is what people see of an operation on decisions.
func decisionFace(command, helpLine string, args ...Arg) Face {
	return Face{Command: command, Help: helpLine, Args: args, Private: true, Text: "content", Absent: func(err error) error {
		return text.Instead(err, sessions.ErrNoDecision, "There is no such decision here. /decisions list shows them.")
	}}
}

// which is the number of a decision that holds.
func (d decisions) which() Arg {
	return Arg{Name: "number", Of: "id", Help: "number of the decision", Required: true, Offer: Offered(
		func(ctx context.Context, v provenance.Viewer) ([]sessions.Decision, error) {
			list, err := d.store.Past.Decisions(ctx, v, false)
			slices.Reverse(list)
			return list[:min(len(list), mostOffered)], err
		}, func(one sessions.Decision) (int64, int64, string) { return one.RowKey(), one.Number, one.Text })}
}

// of returns the decision that is meant. In company only who said it, and who may change all,
// can change it.
func (d decisions) of(ctx context.Context, c Call, n named) (one sessions.Decision, err error) {
	list, err := d.store.Past.Decisions(ctx, viewer(c), false)
	if err != nil {
		return one, err
	}
	id, err := n.key(c, func(number int64) (int64, error) {
		for _, k := range slices.Backward(list) {
			if k.Number == provenance.Numbered(number) && provenance.Fits(number, k.RowKey()) {
				return k.ID, nil
			}
		}
		return 0, sessions.ErrNoDecision
	}, func() (items []namedItem, err error) {
		for _, k := range list {
			items = append(items, namedItem{k.ID, k.Number, k.Text, k.Origin.Of(k.User)})
		}
		return items, nil
	})
	at := slices.IndexFunc(list, func(k sessions.Decision) bool { return k.ID == id })
	switch {
	case err != nil:
		return one, err
	case at < 0:
		return one, sessions.ErrNoDecision
	case !c.Direct && !c.Operator && list[at].User != c.Who.ID && (d.mayAll == nil || !d.mayAll(ctx, c)):
		return one, text.Tell("Only who decided it, and administrators, can change that decision.")
	}
	return list[at], nil
}

func (d decisions) list() Operation {
	type args struct {
		Status string `json:"status,omitempty" jsonschema:"holds for those that hold, also if left out; all for those that were replaced, too"`
	}
	meta := core("list_decisions", listDecisionsText, Thread).reads().onDemand().says("lists what was decided here")
	meta.Refine = oneOf(map[string][]string{"status": {"holds", "all"}})
	face := decisionFace("decisions list", "What was decided here, newest first",
		Arg{Name: "status", Help: "holds, or all with what was replaced"})
	face.Listed = true
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		list, err := d.store.Past.Decisions(ctx, viewer(c), a.Status == "all")
		if err != nil {
			return Result{}, err
		}
		none := catalog.Text(ctx, "Nothing is noted as decided here.")
		r, rows := Result{Content: none}, Rows{Head: catalog.Text(ctx, "Decided here:"), None: none}
		for _, one := range slices.Backward(list) {
			rows.Lines = append(rows.Lines, decisionLine(ctx, one))
			r.found(c.Who.ID, one.Origin.Of(one.User))
		}
		r.Data = rows
		return r, nil
	})
}

// decisionLine is a decision as people read it.
func decisionLine(ctx context.Context, d sessions.Decision) string {
	when := catalog.Time(ctx, d.At.UTC(), layoutDate)
	if d.Name != "" {
		when += ", " + provenance.Label(d.Name)
	}
	line := fmt.Sprintf("- #%d %s (%s)", d.Number, d.Text, when)
	switch {
	case d.Instead != 0:
		line += " " + catalog.Say(ctx, "– until %s, then #%d", catalog.Time(ctx, d.Until.UTC(), layoutDate), d.Instead)
	case !d.Until.IsZero():
		line += " " + catalog.Say(ctx, "– until %s", catalog.Time(ctx, d.Until.UTC(), layoutDate))
	}
	return line
}

func (d decisions) change() Operation {
	type args struct {
		named
		Content string `json:"content" jsonschema:"what is decided now"`
	}
	meta := core("change_decision", changeDecisionText, Thread).writes().rows().onDemand().says("changes a decision")
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		one, err := d.of(ctx, c, a.named)
		return sentence(ctx, "Change the decision \"%s\" to \"%s\"?", one.Text, a.Content), err
	})
	face := decisionFace("decisions edit", "Decide something else instead", d.which(),
		Arg{Name: "text", Of: "content", Help: "what is decided now"})
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		one, err := d.of(ctx, c, a.named)
		if err == nil {
			one, err = d.store.Past.ChangeDecision(ctx, viewer(c), one.ID, sessions.Decision{Text: a.Content, User: c.Who.ID, Name: c.Who.Name,
				Message: c.Message, Origin: c.Origin.But(c.Who.ID)})
		}
		return worded(ctx, deed{one.Origin, err}, "Decided now: #%d %s", one.Number, one.Text)
	})
}

func (d decisions) forget() Operation {
	meta := core("forget_decision", forgetDecisionText, Thread).writes().onDemand().says("forgets a decision")
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		one, err := d.of(ctx, c, a)
		return sentence(ctx, "Forget the decision \"%s\"?", one.Text), err
	})
	face := decisionFace("decisions forget", "Forget a decision for good", d.which())
	return Declare(meta, face, func(ctx context.Context, c Call, a named) (Result, error) {
		one, err := d.of(ctx, c, a)
		if err == nil {
			one, err = d.store.Past.ForgetDecision(ctx, viewer(c), one.ID)
		}
		return worded(ctx, deed{one.Origin, err}, "Forgotten: #%d %s", one.Number, one.Text)
	})
}
