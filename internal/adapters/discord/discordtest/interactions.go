package discordtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"
)

// Response is what was said to an interaction first.
type Response struct {
	Type int `json:"type"`
	Data struct {
		Flags   int      `json:"flags"`
		Choices []choice `json:"choices"`
		Form
	} `json:"data"`
	At time.Time `json:"-"`
}

// Private reports whether only the user sees what follows.
func (r Response) Private() bool { return r.Data.Flags&(1<<6) != 0 }

// Names returns the choices that were offered.
func (r Response) Names() (list []string) {
	for _, c := range r.Data.Choices {
		list = append(list, c.Name)
	}
	return list
}

type choice struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a string, or a number for an option that is one
}

// callback takes the first answer to an interaction: one, and in form. mu is
// held.
func (s *Server) callback(id string, body []byte) (any, *problem) {
	var r Response
	if err := json.Unmarshal(body, &r); err != nil || r.Type == 0 {
		return nil, &problem{status: 400, code: 50035, message: "Invalid Form Body"}
	}
	if _, again := s.acks[id]; again {
		return nil, &problem{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	}
	if p := checkChoices(r.Data.Choices, s.focused[id]); p != nil {
		return nil, p
	}
	if why := s.refusesForm(id, r); why != "" {
		return nil, &problem{status: 400, code: 50035, message: why}
	}
	r.At = time.Now()
	s.acks[id] = r
	return map[string]any{}, nil
}

// Responded returns what was said first to an interaction.
func (s *Server) Responded(id string) (r Response, ok bool) {
	s.with(func() { r, ok = s.acks[id] })
	return r, ok
}

// Acknowledged says when an interaction was acknowledged.
func (s *Server) Acknowledged(id string) (at time.Time, ok bool) {
	r, ok := s.Responded(id)
	return r.At, ok
}

// Commands returns those that are registered.
func (s *Server) Commands() (list []CommandSpec) {
	s.with(func() { _ = json.Unmarshal(s.commands, &list) })
	return list
}

// optionKind returns the type of an option as it is registered, 3 where it is not.
func (s *Server) optionKind(command, verb, option string) int {
	list := s.Commands()
	for _, name := range []string{command, verb} {
		if i := slices.IndexFunc(list, func(c CommandSpec) bool { return c.Name == name }); i >= 0 {
			list = list[i].Options
		}
	}
	if i := slices.IndexFunc(list, func(c CommandSpec) bool { return c.Name == option }); i >= 0 {
		return list[i].Type
	}
	return 3
}

// withoutLocales returns commands as Discord does unless it is asked for more.
func withoutLocales(commands json.RawMessage) json.RawMessage {
	var list []map[string]any
	_ = json.Unmarshal(commands, &list) // it was taken
	for _, c := range list {
		bare(c)
	}
	b, _ := json.Marshal(list)
	return b
}

func bare(c map[string]any) {
	delete(c, "description_localizations")
	delete(c, "name_localizations")
	options, _ := c["options"].([]any)
	for _, o := range options {
		if o, ok := o.(map[string]any); ok {
			bare(o)
		}
	}
}

// localeForm are languages as Discord names them.
var localeForm = regexp.MustCompile(`^([a-z]{2}|es-ES|es-419|zh-CN|zh-TW|en-US|en-GB|pt-BR|sv-SE)$`)

// CommandSpec is a command, a verb or an option as it is registered.
type CommandSpec struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Localized   map[string]string `json:"description_localizations"`
	Type        int               `json:"type"`
	Required    bool              `json:"required"`
	Suggests    bool              `json:"autocomplete"`
	Choices     []choice          `json:"choices"`
	Options     []CommandSpec     `json:"options"`
}

var commandForm = regexp.MustCompile(`^[-_a-z0-9]{1,32}$`)

// checkCommands refuses what Discord refuses to register.
func checkCommands(body []byte) *problem {
	var list []CommandSpec
	if err := json.Unmarshal(body, &list); err != nil || len(list) > 100 {
		return &problem{status: 400, code: 50035, message: "commands"}
	}
	actions := 0
	for _, c := range list {
		if c.Type != 3 {
			continue
		}
		n := utf8.RuneCountInString(c.Name)
		if actions++; actions > 5 || n < 1 || n > 32 || c.Description != "" || len(c.Options) > 0 {
			return &problem{status: 400, code: 50035, message: "context menu commands: " + c.Name}
		}
	}
	return checkSpecs(slices.DeleteFunc(list, func(c CommandSpec) bool { return c.Type == 3 }), false)
}

func checkSpecs(list []CommandSpec, options bool) *problem {
	optional, seen := false, map[string]bool{}
	for _, c := range list {
		bad := func(why string) *problem {
			return &problem{status: http.StatusBadRequest, code: 50035, message: fmt.Sprintf("%s: %s", c.Name, why)}
		}
		n := utf8.RuneCountInString(c.Description)
		for locale, said := range c.Localized {
			if n := utf8.RuneCountInString(said); n < 1 || n > 100 || !localeForm.MatchString(locale) || locale == "es" || locale == "zh" {
				return bad("description_localizations " + locale)
			}
		}
		switch {
		case !commandForm.MatchString(c.Name) || seen[c.Name]:
			return bad("name")
		case n < 1 || n > 100:
			return bad("description")
		case len(c.Options) > 25:
			return bad("too many options")
		case options && c.Required && optional:
			return bad("required options come first")
		case c.Suggests && (len(c.Choices) > 0 || c.Type != 3 && c.Type != 4):
			return bad("autocomplete")
		}
		seen[c.Name] = true
		optional = optional || !c.Required
		if p := checkChoices(c.Choices, c.Type); p != nil {
			return p
		}
		if p := checkSpecs(c.Options, c.Type != 0 || len(c.Options) > 0 && c.Options[0].Type > 2); p != nil {
			return p
		}
	}
	return nil
}

// checkChoices refuses what Discord refuses for an option of a type, 4 for whole
// numbers.
func checkChoices(list []choice, kind int) *problem {
	if len(list) > 25 {
		return &problem{status: 400, code: 50035, message: "Must be 25 or fewer in length."}
	}
	for _, c := range list {
		if n := utf8.RuneCountInString(c.Name); n < 1 || n > 100 {
			return &problem{status: 400, code: 50035, message: "Must be between 1 and 100 in length."}
		}
		switch v := c.Value.(type) {
		case string:
			if n := utf8.RuneCountInString(v); kind == 4 || n < 1 || n > 100 {
				return &problem{status: 400, code: 50035, message: "Must be between 1 and 100 in length."}
			}
		case float64:
			if kind != 4 || v != math.Trunc(v) {
				return &problem{status: 400, code: 50035, message: "Could not interpret as string."}
			}
		default:
			return &problem{status: 400, code: 50035, message: "This field is required"}
		}
	}
	return nil
}

// option is a line of a menu.
type option struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// fits reports whether Discord would take the rows under a message.
func fits(in wireMessage) bool {
	seen := map[string]bool{}
	for _, row := range in.Components {
		for _, c := range row.Components {
			if c.URL != "" && c.CustomID == "" {
				continue
			}
			if len(c.CustomID) < 1 || len(c.CustomID) > 100 || seen[c.CustomID] || len(c.Options) > 25 {
				return false
			}
			seen[c.CustomID] = true
			for _, o := range c.Options {
				if len(o.Label) < 1 || len(o.Label) > 100 || len(o.Value) < 1 || len(o.Value) > 100 {
					return false
				}
			}
		}
		if len(row.Components) > 5 || len(row.Components) < 1 {
			return false
		}
	}
	return len(in.Components) <= 5
}

// Choose takes a line of the menu under a message.
func (s *Server) Choose(u Use, message, value string) (id string) {
	s.with(func() { id = s.id() })
	e := map[string]any{"id": id, "application_id": App, "type": 3, "token": "tok" + id, "channel_id": u.Channel, "version": 1,
		"message": s.event(u.Guild, u.Channel, App, "", message),
		"data":    map[string]any{"custom_id": "menu", "component_type": 3, "values": []string{value}}}
	s.by(e, u.Guild, u.User, u.Permissions)
	s.Dispatch("INTERACTION_CREATE", e)
	return id
}
