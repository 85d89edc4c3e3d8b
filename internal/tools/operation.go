package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// Operation is one thing that people have the bot do, declared once. It is the tool that
// the model calls; the slash command with its options and its line in /help, the shell
// command and the form of the control page are made from it, and do what the tool does.
type Operation struct {
	tool Tool
	Face
	properties map[string]Property // what the schema says, by the model's argument
}

// Face is what people see of an operation.
type Face struct {
	Command string // the slash command, as in "tasks add"; "" has none
	Form    Form   // the control page's; the zero Form is none
	Help    string // one line for people, without a period
	Args    []Arg  // in the order in which people type them
	Listed  bool   // it lists rows, of which a chat shows a page at a time
	Private bool   // its results are for the eyes of who calls alone
	// Text names the argument that is wrong when a text is too long or empty.
	Text string
	// Absent tells people in a chat where to find the rows there are; nil leaves errors as
	// they are.
	Absent func(error) error
}

// Form is a form of the control page. The owner, who alone gets there, does with it what
// is done to everybody's rows; the row stands above it, so that nothing is asked again.
type Form struct {
	Do   string // the value of its field "do"
	Page string // where it stands
	// Args are the names of the arguments that its fields "id" and "value" hold; id is the
	// key of a row.
	Args []string
}

// Arg is an argument as people give it. Its type, its choices and whether it may be left
// out are those of the model's argument.
type Arg struct {
	Name string // as people type it
	Of   string // the model's argument; "" has the same name
	// Help documents it, for the model too where the tag of its field says nothing.
	Help     string
	Required bool // even though the model may leave it out
	Optional bool // even though the model must give it
	Long     bool // a text of several lines
	Named    bool // typed only as name:value
	// Choices are the only values; nil has those of the model's argument.
	Choices []string
	// Offer lists the rows to choose from, with words for each; nil lists none.
	Offer func(ctx context.Context, v provenance.Viewer) []chat.Choice
	// Suggest completes what was typed so far; nil completes nothing.
	Suggest func(ctx context.Context, m chat.Message, typed string) []string
}

// Rows is the Data of a result that lists something: each face lays it out.
type Rows struct {
	Head  string // of all that are listed at once
	Lines []string
	// None tells people what to do when there are no Lines; "" says what Content does.
	None string
}

// Declare makes an operation from a function, as Func makes a tool.
func Declare[A any](meta Meta, face Face, do func(context.Context, Call, A) (Result, error)) Operation {
	refine := meta.Refine
	meta.Refine = func(s *jsonschema.Schema) {
		if refine != nil {
			refine(s)
		}
		delete(s.Properties, "row") // of keyed: people's numbers are all that models have
		for _, a := range face.Args {
			if p := s.Properties[a.Field()]; p != nil && p.Description == "" {
				p.Description = a.Help
			}
		}
	}
	if ask := meta.Ask; ask != nil && face.Absent != nil {
		meta.Ask = func(ctx context.Context, c Call) (string, error) {
			question, err := ask(ctx, c)
			return question, face.Absent(err)
		}
	}
	tool := Func(meta, do)
	return Operation{tool, face, properties(tool.Spec().Parameters)}
}

// properties reads what a schema says of its arguments.
func properties(parameters json.RawMessage) map[string]Property {
	var schema struct {
		Properties map[string]Property
		Required   []string
	}
	_ = json.Unmarshal(parameters, &schema) // Func has written it
	for name, p := range schema.Properties {
		p.Required = slices.Contains(schema.Required, name)
		schema.Properties[name] = p
	}
	return schema.Properties
}

// Field is the name of the model's argument.
func (a Arg) Field() string { return cmp.Or(a.Of, a.Name) }

// Spec implements Tool.
func (o Operation) Spec() Spec { return o.tool.Spec() }

// Call implements Tool.
func (o Operation) Call(ctx context.Context, c Call) (Result, error) {
	r, err := o.tool.Call(ctx, c)
	if err != nil && o.Absent != nil && !c.Operator {
		err = o.Absent(err)
	}
	if err != nil && !c.ByHand {
		return refused(err, o.Text)
	}
	r.Private = r.Private || o.Private && err == nil
	if rows, ok := r.Data.(Rows); ok && len(rows.Lines) > 0 {
		r.Content = strings.TrimSpace(rows.Head + "\n" + strings.Join(rows.Lines, "\n"))
	}
	return r, err
}

// Do does it for who calls, who gave the arguments themselves.
func (o Operation) Do(ctx context.Context, c Call, args map[string]any) (Result, error) {
	c, err := o.byHand(c, args)
	if err != nil {
		return Result{}, err
	}
	return o.Call(ctx, c)
}

// Question returns what is asked before Do; "" asks nothing.
func (o Operation) Question(ctx context.Context, c Call, args map[string]any) (string, error) {
	spec := o.Spec()
	c, err := o.byHand(c, args)
	if err != nil || !spec.Confirm || spec.Ask == nil {
		return "", err
	}
	return spec.Ask(ctx, c)
}

func (o Operation) byHand(c Call, args map[string]any) (Call, error) {
	raw, err := json.Marshal(args)
	c.Name, c.Args, c.ByHand = o.Spec().Name, raw, true
	return c, err
}

// Property is what the schema says of an argument.
type Property struct {
	Type        string   // a type of JSON Schema; "" if the model does not have the argument
	Description string   // for the model
	Enum        []string // the only values
	Required    bool     `json:"-"`
}

// Property returns what the schema says of an argument.
func (o Operation) Property(a Arg) Property {
	p := o.properties[a.Field()]
	p.Required = a.Required || p.Required && !a.Optional
	return p
}

// Given are arguments that people gave as words, by their names, as Do takes them.
func (o Operation) Given(words map[string]string) map[string]any {
	args := map[string]any{}
	for _, a := range o.Args {
		v, ok := words[a.Name]
		kind := o.Property(a).Type
		key, keyed := strings.CutPrefix(v, "=")
		switch n, err := strconv.ParseInt(key, 10, 64); {
		case !ok:
		case kind == "integer" && err == nil && keyed:
			args["row"] = n
		case kind == "integer" && err == nil:
			args[a.Field()] = n
		case kind == "boolean":
			args[a.Field()] = v == "on"
		default:
			args[a.Field()] = v
		}
	}
	return args
}

// Operated returns the operation that has this slash command. It panics if none has: the
// program must not start.
func Operated(all []Operation, command string) Operation {
	return all[slices.IndexFunc(all, func(o Operation) bool { return o.Command == command })]
}

// Tools are the operations as the model has them: each once, however many commands it has.
func Tools(all []Operation) (list []Tool) {
	has := map[string]bool{}
	for _, o := range all {
		if name := o.Spec().Name; !has[name] {
			has[name] = true
			list = append(list, o)
		}
	}
	return list
}
