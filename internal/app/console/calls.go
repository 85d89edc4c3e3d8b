package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/text/catalog"
)

// callView is a model call as shown.
type callView struct {
	modellog.Call
	Said     []voice // messages of the request
	Tools    []namedText
	Rest     []namedText // other fields of the request
	Answer   []voice
	Finish   string
	Used     string // tokens, as the provider reports them
	Read     *voice // how the answer was understood, if that differs
	Short    bool   // some of it is left out
	Asked    int    // bytes of the request
	Answered int    // and of the answer
}

// voice is one message of a request or an answer.
type voice struct{ Role, Text string }

type namedText struct{ Name, Text string }

// call shows what a model was asked and what it answered.
func (p *Page) call(r *http.Request) (any, error) {
	c, err := p.oneCall(r)
	if err != nil {
		return nil, err
	}
	v := callView{Call: c, Asked: len(c.Request), Answered: len(c.Answer)}
	v.request(catalog.Of(r.Context()), c.Request)
	v.answer(catalog.Of(r.Context()), c)
	v.fit()
	return v, nil
}

func (p *Page) oneCall(r *http.Request) (modellog.Call, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || p.o.Calls == nil {
		return modellog.Call{}, errNone
	}
	c, err := p.o.Calls.Read(r.Context(), id)
	if errors.Is(err, modellog.ErrNone) {
		err = errNone
	}
	return c, err
}

// body sends a request or an answer unchanged.
func (p *Page) body(w http.ResponseWriter, r *http.Request, _ *login) {
	c, err := p.oneCall(r)
	if err != nil {
		p.fail(w, r, frame{}, err)
		return
	}
	text, which := c.Request, "request"
	if r.PathValue("which") == "answer" {
		text, which = c.Answer, "answer"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="call-`+strconv.FormatInt(c.ID, 10)+"-"+which+`.json"`)
	_, _ = w.Write([]byte(text)) // the reader is gone
}

// wireMessage is a message in the endpoints' form, or in ours.
type wireMessage struct {
	Role     string          `json:"role"`
	Name     string          `json:"name"`
	Content  json.RawMessage `json:"content"`
	Thoughts string          `json:"reasoning_content"`
	Calls    []struct {
		Name     string `json:"name"`
		Args     string `json:"args"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// voices returns a message as people read it.
func (m wireMessage) voices(p catalog.Printer) (list []voice) {
	add := func(role, text string) {
		if text != "" {
			list = append(list, voice{role, text})
		}
	}
	add(p.Say("%s (thinking)", m.Role), m.Thoughts)
	add(strings.TrimSpace(m.Role+" "+m.Name), plain(m.Content))
	for _, c := range m.Calls {
		add(p.Say("%s calls %s", m.Role, cmp.Or(c.Name, c.Function.Name)), cmp.Or(c.Args, plain(c.Function.Arguments)))
	}
	if len(list) == 0 {
		list = []voice{{m.Role, p.Text("(nothing)")}}
	}
	return list
}

// plain returns a JSON string's text, the text parts of a list, or any other JSON as it
// is.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(raw, &parts) != nil || slices.ContainsFunc(parts, func(p struct{ Type, Text string }) bool { return p.Type == "" }) {
		return string(raw)
	}
	for _, one := range parts {
		if one.Type != "text" {
			one.Text = "(" + one.Type + ")"
		}
		s += one.Text
	}
	return s
}

// request takes a request apart. A body that is not JSON is shown whole.
func (v *callView) request(p catalog.Printer, body string) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		v.Said = []voice{{p.Text("as it was sent"), body}}
		return
	}
	var messages []wireMessage
	_ = json.Unmarshal(all["messages"], &messages) // without messages it stays empty
	for _, m := range messages {
		v.Said = append(v.Said, m.voices(p)...)
	}
	var tools []struct{ Function json.RawMessage }
	_ = json.Unmarshal(all["tools"], &tools)
	for _, t := range tools {
		var named struct{ Name string }
		_ = json.Unmarshal(t.Function, &named)
		v.Tools = append(v.Tools, namedText{named.Name, indented(t.Function)})
	}
	delete(all, "messages")
	delete(all, "tools")
	for name, raw := range all {
		v.Rest = append(v.Rest, namedText{name, string(raw)})
	}
	slices.SortFunc(v.Rest, func(a, b namedText) int { return cmp.Compare(a.Name, b.Name) })
}

// answer takes an answer apart.
func (v *callView) answer(p catalog.Printer, c modellog.Call) {
	var whole struct {
		Choices []struct {
			Message wireMessage `json:"message"`
			Finish  string      `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal([]byte(c.Answer), &whole); err != nil || len(whole.Choices) == 0 {
		if c.Answer != "" {
			v.Answer = []voice{{p.Text("as it came"), c.Answer}}
		}
		return
	}
	first := whole.Choices[0]
	first.Message.Role = cmp.Or(first.Message.Role, "assistant")
	v.Answer, v.Finish, v.Used = first.Message.voices(p), first.Finish, string(whole.Usage)
	if c.Reply != nil && c.Reply.Content != plain(first.Message.Content) {
		v.Read = &voice{Text: c.Reply.Content}
		for _, call := range c.Reply.ToolCalls {
			v.Read.Text += "\n" + call.Name + " " + call.Args
		}
	}
}

// fit cuts the texts to a page's size, giving the newest the most room.
func (v *callView) fit() {
	room := maxBody
	take := func(s *string, most int) {
		short := clip(*s, max(60, min(most, room)))
		v.Short = v.Short || short != *s
		*s, room = short, room-weight(short)
	}
	for i := range v.Answer {
		take(&v.Answer[i].Text, 2*maxText)
	}
	if v.Read != nil {
		take(&v.Read.Text, maxText)
	}
	for i := len(v.Said) - 1; i >= 0; i-- {
		take(&v.Said[i].Text, 2*maxText)
		if room < 0 && i > 0 {
			v.Said, v.Short = append([]voice{{"", "…"}}, v.Said[i:]...), true
			break
		}
	}
	for i := range v.Rest {
		take(&v.Rest[i].Text, maxText)
	}
	for i := range v.Tools {
		if take(&v.Tools[i].Text, 2000); room < 0 {
			v.Tools, v.Short = v.Tools[:i+1], true
			break
		}
	}
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// turnPage is one message, what came of it, and the model calls it took.
type turnPage struct {
	conversation // with one turn
	Said         string
}

// turnOf shows the account of one message, by the beginning of its id.
func (p *Page) turnOf(r *http.Request) (any, error) {
	ctx, id := r.Context(), r.PathValue("id")
	if len(id) < 8 {
		return nil, errNone
	}
	d, err := p.o.Store.Decisions.DecisionByID(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	done, err := p.o.Store.Decisions.Calls(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	asked, err := p.o.Store.Decisions.Asked(ctx, d)
	if err != nil {
		return nil, err
	}
	t := conversation{Key: d.Key, Tests: p.o.Views.Capture != nil, Script: p.o.Views.Script != nil,
		Turns: []turn{{Audit: accountOf(memory.Audit{Decision: d, Done: done})}}}
	err = p.addCalls(ctx, &t, d.At, d.At)
	return turnPage{t, clip(asked, maxText)}, err
}

// script shows a conversation as a rehearsal script.
func (p *Page) script(r *http.Request) (any, error) {
	return p.o.Views.Script(r.Context(), r.PathValue("id"))
}

// rehearse turns a wrong answer into a rehearsal.
func (p *Page) rehearse(w http.ResponseWriter, r *http.Request, l *login) {
	f := frame{Title: catalog.Text(r.Context(), "Not written"), CSRF: l.csrf, Nav: p.nav(r, "")}
	path, err := p.o.Views.Capture(r.Context(), r.PostFormValue("id"), r.PostFormValue("should"))
	if err != nil {
		p.fail(w, r, f, err)
		return
	}
	f.Title = catalog.Text(r.Context(), "Written")
	f.Body = catalog.Say(r.Context(), "It fails until the playbook is right: bot rehearse %s", path)
	p.write(w, r, "message", f)
}
