package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
	"parley/internal/text/catalog"
)

// Limits of what a page lists.
const (
	maxMessages = 40
	maxAudits   = 60
	perPage     = 25
)

// conversation is a whole conversation, or one of its sessions, with what was decided
// about each message.
type conversation struct {
	Key     chat.Key
	Name    string          // of the place
	Session *memory.Session // nil for a whole place
	Turns   []turn
	Earlier string          // address of the previous page; "" at the beginning
	Later   string          // address of the newest page; "" there
	Tests   bool            // answers can become rehearsals
	Script  bool            // answers can be shown as scripts
	Beside  []modellog.Call // model calls for no message, such as summaries
}

func (p *Page) conversation(r *http.Request) (any, error) {
	k, ok := chat.ParseKey(r.URL.Query().Get("place"))
	if !ok {
		return nil, errNone
	}
	return p.read(r, conversation{Key: k}, "conversation?place="+url.QueryEscape(k.String())+"&")
}

func (p *Page) session(r *http.Request) (any, error) {
	se, err := p.o.Store.Sessions.SessionByID(r.Context(), r.PathValue("id"))
	if errors.Is(err, memory.ErrNotFound) {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	se.Decisions = se.Decisions[max(0, len(se.Decisions)-maxWhy):]
	return p.read(r, conversation{Key: se.Key, Session: &se}, "sessions/"+se.ID+"?")
}

func (t conversation) title() string {
	if t.Session != nil && t.Session.Title != "" {
		return t.Session.Title
	}
	return t.Name
}

// read fills in the messages before a given one, or the latest.
func (p *Page) read(r *http.Request, t conversation, self string) (any, error) {
	ctx := r.Context()
	name, err := p.o.Store.Browse.Called(ctx, t.Key)
	if err != nil {
		return nil, err
	}
	t.Name = clip(name, maxName)
	t.Tests, t.Script = p.o.Views.Capture != nil, p.o.Views.Script != nil
	q := memory.MessageQuery{Key: t.Key, Limit: maxMessages}
	if t.Session != nil {
		q.Session = t.Session.ID
	}
	q.Before, _ = strconv.ParseInt(r.URL.Query().Get("before"), 10, 64) // 0, the end, if it is no number
	entries, err := p.o.Store.Messages(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.Before > 0 {
		t.Later = strings.TrimRight(self, "?&")
	}
	if len(entries) == 0 {
		return t, nil
	}
	from, to := entries[0].At.Add(-time.Second), p.o.Now()
	if q.Before > 0 {
		to = entries[len(entries)-1].At.Add(10 * time.Second)
	}
	audits, err := p.o.Store.Decisions.Audits(ctx, t.Key, from, to, maxAudits)
	if err != nil {
		return nil, err
	}
	if t.Session != nil {
		audits = slices.DeleteFunc(audits, func(a memory.Audit) bool { return a.Session != t.Session.ID })
	}
	t.Turns = fitting(turns(entries, audits))
	if err := p.addCalls(ctx, &t, from, to); err != nil {
		return nil, err
	}
	first := firstID(t.Turns)
	older, err := p.o.Store.Messages(ctx, memory.MessageQuery{Key: q.Key, Session: q.Session, Before: first, Limit: 1})
	if len(older) > 0 {
		t.Earlier = self + "before=" + strconv.FormatInt(first, 10)
	}
	return t, err
}

// maxBeside is the number of model calls without a message that are listed.
const maxBeside = 20

// addCalls adds the model calls of each message, and those without one.
func (p *Page) addCalls(ctx context.Context, t *conversation, from, to time.Time) (err error) {
	for _, one := range t.Turns {
		if one.Audit != nil {
			one.Audit.Heard = clip(p.named(catalog.Of(ctx), one.Audit.Agent), maxName)
		}
	}
	if p.o.Calls == nil {
		return nil
	}
	for i := range t.Turns {
		if a := t.Turns[i].Audit; a != nil && a.Audit.Calls > 0 {
			list, err := p.o.Calls.For(ctx, a.InboxID, a.Key, a.At)
			if err != nil {
				return err
			}
			a.Asked = list[:min(len(list), maxLaps)]
		}
	}
	t.Beside, err = p.o.Calls.List(ctx, modellog.Query{Key: t.Key, From: from, To: to})
	t.Beside = t.Beside[max(0, len(t.Beside)-maxBeside):]
	return err
}

// firstID returns the row of the first message shown; turns without messages lie in
// between.
func firstID(list []turn) int64 {
	for _, t := range list {
		if len(t.Said) > 0 {
			return t.Said[0].ID
		}
	}
	return 1
}

// fitting keeps the newest turns that fit on a page, at least one with words.
func fitting(list []turn) (kept []turn) {
	room, words := maxBody, false
	for _, t := range slices.Backward(list) {
		n := t.weight()
		if n > room && words {
			break
		}
		if n > room && len(t.Said) == 0 {
			continue
		}
		kept, room, words = append(kept, t), room-n, words || len(t.Said) > 0
	}
	slices.Reverse(kept)
	return kept
}

// turn is a message and what came of it. Either may be missing: a command stores no words,
// and old audits may be deleted.
type turn struct {
	Said  []memory.Entry
	Audit *account
}

func (t turn) weight() (n int) {
	for _, e := range t.Said {
		n += weight(e.Name, e.Content)
		if e.Role != "tool" {
			n += max(0, len(prose(e.Content))-weight(e.Content))
		}
	}
	if t.Audit == nil {
		return n
	}
	d := t.Audit.Detail
	n += 4*markup + weight(d.Why...) + weight(d.Facts...) + weight(d.Read...) + weight(d.Error, d.Spoken.Said, d.Spoken.Told)
	for _, l := range t.Audit.Laps {
		n += weight(l.Name, l.Args, l.Result)
	}
	return n
}

// turns joins messages with the decisions about them, both in order. A decision comes
// after the last word of its turn and before the last word of the next.
func turns(entries []memory.Entry, audits []memory.Audit) (list []turn) {
	alone := func(before time.Time) {
		for len(audits) > 0 && audits[0].At.Before(before) {
			list = append(list, turn{Audit: accountOf(audits[0])})
			audits = audits[1:]
		}
	}
	said := exchanges(entries)
	for i, e := range said {
		alone(e[len(e)-1].At)
		t := turn{Said: e}
		mine := len(audits) > 0 && audits[0].Session != ""
		if mine && i+1 < len(said) {
			next := said[i+1]
			mine = audits[0].At.Before(next[len(next)-1].At) // at the same moment it belongs to the next
		}
		if mine {
			t.Audit = accountOf(audits[0])
			audits = audits[1:]
		}
		list = append(list, t)
	}
	for _, a := range audits {
		list = append(list, turn{Audit: accountOf(a)})
	}
	return list
}

// exchanges splits entries at each message of a person, and clips them.
func exchanges(entries []memory.Entry) (list [][]memory.Entry) {
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].Role != "user" {
			n++
		}
		for i := range entries[:n] {
			e := &entries[i]
			limit := maxText
			if e.Role == "tool" {
				limit = maxTool
			}
			e.Content, e.Name = clip(e.Content, limit), clip(e.Name, maxName)
		}
		list, entries = append(list, entries[:n]), entries[n:]
	}
	return list
}

// account is a decision as a timeline.
type account struct {
	memory.Audit
	Laps  []lap
	Rest  time.Duration   // time that no step took
	Asked []modellog.Call // recorded requests
	Heard string          // the agent's name, if there are several
}

// lap is one step, with its bar in a picture 100 units wide.
type lap struct {
	memory.Lap
	X, W    string
	Status  string // of a tool call
	Retries int
	Class   string // why it failed
	Args    string
	Result  string
}

// Limits of a turn: a tool's arguments and result, a name, a reason, the number of
// reasons, and of steps.
const (
	maxTool   = 400
	maxName   = 80
	maxReason = 300
	maxWhy    = 12
	maxLaps   = 20
)

func accountOf(a memory.Audit) *account {
	d := &a.Detail
	d.Why, d.Facts, d.Read = few(d.Why, maxWhy, maxReason), few(d.Facts, maxWhy, maxReason), few(d.Read, maxWhy, maxReason)
	d.Spoken.Said, d.Spoken.Told = clip(d.Spoken.Said, maxReason), clip(d.Spoken.Told, 3*maxReason)
	d.Error, d.Reason, a.Model = clip(d.Error, 2*maxReason), clip(d.Reason, maxReason), clip(a.Model, maxName)
	a.By = clip(a.By, maxName)
	acc := &account{Audit: a}
	whole := max(a.Took.Milliseconds(), 1)
	for _, l := range a.Detail.Steps {
		whole = max(whole, l.Start+l.Took)
	}
	steps, spent := a.Detail.Steps, int64(0)
	if len(steps) == 0 { // recorded before steps were timed
		for _, c := range a.Done {
			steps = append(steps, memory.Lap{Kind: "tool", Name: c.Name, Took: c.Took.Milliseconds()})
		}
	}
	done := a.Done
	for _, s := range steps[:min(len(steps), maxLaps)] {
		s.Name = clip(s.Name, maxName)
		l := lap{Lap: s, X: px(100 * float64(s.Start) / float64(whole)), W: px(max(0.8, 100*float64(s.Took)/float64(whole)))}
		spent += s.Took
		if s.Kind == "tool" && len(done) > 0 {
			l.Status, l.Retries, l.Class, l.Args, l.Result = done[0].Status, done[0].Retries, done[0].Class,
				clip(done[0].Arguments, maxTool), clip(done[0].Result, maxTool)
			done = done[1:]
		}
		acc.Laps = append(acc.Laps, l)
	}
	acc.Rest = max(0, a.Took-time.Duration(spent)*time.Millisecond)
	return acc
}

// statuses of sessions, in the order of the filter.
var statuses = []memory.Status{memory.Active, memory.Idle, memory.Suspended, memory.Completed, memory.Expired, memory.Archived}

// sessionList is a list of sessions, or search results.
type sessionList struct {
	Query    string
	Statuses []link
	Hits     []hit
	Sessions []sessionLine
	Previous string
	Next     string
}

// sessionLine is a listed session with the name of its place.
type sessionLine struct {
	memory.Session
	Name string
}

type hit struct {
	memory.Hit
	Path string
}

func (p *Page) sessions(r *http.Request) (any, error) {
	q := r.URL.Query()
	page := max(1, number(q.Get("page")))
	s := sessionList{Query: clip(strings.TrimSpace(q.Get("q")), 200)}
	offset := (page - 1) * perPage
	keepOn := url.Values{"q": {s.Query}, "status": {q.Get("status")}}
	n := 0
	if s.Query != "" {
		hits, err := p.o.Store.Search(r.Context(), s.Query, perPage+1, offset)
		if err != nil {
			return nil, err
		}
		n = len(hits)
		for _, h := range hits[:min(n, perPage)] {
			// Show a little of what followed, too.
			s.Hits = append(s.Hits, hit{h, fmt.Sprintf("sessions/%s?before=%d#m%d", h.Session, h.ID+20, h.ID)})
		}
	} else {
		list, err := p.o.Store.Sessions.SessionsByAge(r.Context(), memory.Status(q.Get("status")), perPage+1, offset)
		if err != nil {
			return nil, err
		}
		n = len(list)
		for _, se := range list[:min(n, perPage)] {
			name, err := p.o.Store.Browse.Called(r.Context(), se.Key)
			if err != nil {
				return nil, err
			}
			s.Sessions = append(s.Sessions, sessionLine{se, clip(name, maxName)})
		}
	}
	for _, st := range append([]memory.Status{""}, statuses...) {
		name := catalog.Text(r.Context(), cmp.Or(string(st), "all"))
		s.Statuses = append(s.Statuses, link{"sessions?status=" + string(st), name, q.Get("status") == string(st)})
	}
	s.Previous, s.Next = pager("sessions", keepOn, page, n > perPage)
	return s, nil
}

// pager returns the links to the previous and the next page, "" for none.
func pager(path string, keepOn url.Values, page int, more bool) (previous, next string) {
	at := func(n int) string {
		keepOn.Set("page", strconv.Itoa(n))
		return path + "?" + keepOn.Encode()
	}
	if page > 1 {
		previous = at(page - 1)
	}
	if more {
		next = at(page + 1)
	}
	return previous, next
}

// number parses a page number, 0 if it is none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 1_000_000 {
		return 0
	}
	return n
}
