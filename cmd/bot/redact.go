package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"parley/config"
	"parley/internal/chat"
	"parley/internal/llm"
)

// Secrets shorter than these are not looked for: in the log, where a word too
// much hidden does no harm, and in what people and models say, where the key
// of a local server may well be "ollama".
const (
	shortestLogged = 4
	shortestSaid   = 8
)

const hidden = "(hidden)"

// redactor hides the exact secrets of the settings, also as quoting and URLs
// write them (promises.md P10, C30). One that is cut up or encoded otherwise it
// does not know.
type redactor []string // longest first

func newRedactor(c config.Config, shortest int) (r redactor) {
	for _, s := range c.Secrets() {
		if len(s) < shortest {
			continue
		}
		quoted := strconv.Quote(s)
		escaped, _ := json.Marshal(s) // a string can be marshalled
		r = append(r, s, quoted[1:len(quoted)-1], string(escaped[1:len(escaped)-1]), url.PathEscape(s), url.QueryEscape(s))
	}
	slices.SortFunc(r, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	return slices.Compact(r)
}

// text is s with every secret hidden.
func (r redactor) text(s string) string {
	for _, secret := range r {
		if strings.Contains(s, secret) {
			s = strings.ReplaceAll(s, secret, hidden)
		}
	}
	return s
}

// raw is text for JSON; without a secret it is b itself.
func (r redactor) raw(b json.RawMessage) json.RawMessage {
	for _, secret := range r {
		if bytes.Contains(b, []byte(secret)) {
			return json.RawMessage(r.text(string(b)))
		}
	}
	return b
}

// open is how many bytes at the end of s may be the beginning of a secret.
func (r redactor) open(s string) (n int) {
	for _, secret := range r {
		for k := min(len(secret)-1, len(s)); k > n; k-- {
			if strings.HasSuffix(s, secret[:k]) {
				n = k
			}
		}
	}
	return n
}

// blotter is a writer that hides secrets once it knows them. Lines come whole,
// so none is cut in two.
type blotter struct {
	w    io.Writer
	hide atomic.Pointer[redactor]
}

// Write implements io.Writer.
func (b *blotter) Write(p []byte) (int, error) {
	hide := b.hide.Load()
	if hide == nil {
		return b.w.Write(p)
	}
	if _, err := io.WriteString(b.w, hide.text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// knows tells the blotter what to hide.
func (b *blotter) knows(c config.Config) {
	r := newRedactor(c, shortestLogged)
	b.hide.Store(&r)
}

// discreet keeps secrets from a model, whoever brought them up, and from
// everybody who reads what it says.
type discreet struct {
	llm.Model
	hide redactor
}

// Complete implements llm.Model.
func (d discreet) Complete(ctx context.Context, r llm.Request, onText func(string)) (llm.Response, error) {
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		r.Messages[i] = d.message(m)
	}
	r.Tools = slices.Clone(r.Tools)
	for i, t := range r.Tools {
		r.Tools[i].Description = d.hide.text(t.Description)
		r.Tools[i].Parameters = d.hide.raw(t.Parameters)
	}
	show, end := d.stream(onText)
	resp, err := d.Model.Complete(ctx, r, show)
	end()
	resp.Message = d.message(resp.Message)
	var e *llm.Error
	if errors.As(err, &e) {
		e.Detail, e.Partial = d.hide.text(e.Detail), d.hide.text(e.Partial)
	}
	return resp, err
}

func (d discreet) message(m llm.Message) llm.Message {
	m.Content = d.hide.text(m.Content)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i, c := range m.ToolCalls {
		m.ToolCalls[i].Args = d.hide.text(c.Args)
	}
	return m
}

// stream holds back what may be the beginning of a secret until it is known
// not to be, or until end.
func (d discreet) stream(onText func(string)) (show func(string), end func()) {
	if onText == nil {
		return nil, func() {}
	}
	held := ""
	show = func(delta string) {
		if delta == llm.RetryText {
			held = ""
			onText(delta)
			return
		}
		text := d.hide.text(held + delta)
		sure := len(text) - d.hide.open(text)
		held = text[sure:]
		if sure > 0 {
			onText(text[:sure])
		}
	}
	return show, func() {
		if held != "" {
			onText(held)
		}
	}
}

// discreetly hides secrets in what is answered without a model: commands that
// tell of an error, tools whose words are passed on.
func discreetly(hide redactor, next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		a, err := next.Handle(ctx, m, w)
		a.Text = hide.text(a.Text)
		return a, err
	})
}
