package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/access"
	"parley/internal/text"
)

// Limits of what a member sends in one message, and of files that wait.
const (
	maxMemberFiles = 4
	maxUpload      = 10 << 20 // bytes of a message with files
	maxStored      = 20 << 20 // bytes of one person's files
	maxUploads     = 4        // read at once
	uploadPatience = 2 * time.Minute
	maxHistory     = 60 // messages of the transcript on a page
	maxWaiting     = 20
	memberLook     = time.Second // how often a page looks for what other processes did
)

// memberScene is a direct chat as shown.
type memberScene struct {
	Who, Where string
	ID         string // of the next message
	Log        []line
	Growing    string
	Waiting    bool
	Asked      string // the question that the buttons answer, if it is not shown above
	Buttons    []chat.Button
	Earlier    string // address of the page before; "" at the beginning
	Past       bool   // this is not the latest page
}

func (ms *Members) talk(w http.ResponseWriter, r *http.Request, v *visit) {
	ms.use(r.Context(), v)
	f := ms.frame(r, v, "chat")
	s, err := ms.scene(r, v)
	if err != nil {
		ms.p.fail(w, r, f, err)
		return
	}
	f.Body = s
	ms.p.write(w, r, "member", f)
}

// use notes that a login is used.
func (ms *Members) use(ctx context.Context, v *visit) {
	if ms.p.o.Now().Sub(v.Used) < memberNoted {
		return
	}
	if err := ms.p.o.Store.Access.UseWebLogin(ctx, v.ID); err != nil {
		ms.p.o.Log.Warn("use of a browser", "err", err)
	}
}

// scene puts together what the transcript has, what waits and what the feed has.
func (ms *Members) scene(r *http.Request, v *visit) (s memberScene, err error) {
	ctx, before := r.Context(), rowOf(r.URL.Query().Get("before"))
	s = memberScene{ID: rand.Text(), Where: v.Place.Platform, Past: before > 0}
	if s.Who, err = ms.p.o.Store.Browse.Person(ctx, v.User); err != nil {
		return s, err
	}
	s.Who = clip(s.Who, maxName)
	entries, err := ms.p.o.Store.Messages(ctx, memory.MessageQuery{Key: v.Place, Before: before, Limit: maxHistory})
	if err != nil {
		return s, err
	}
	first := int64(0)
	for _, e := range entries {
		if (e.Role == llm.RoleUser || e.Role == llm.RoleAssistant) && e.Content != "" {
			s.Log = append(s.Log, line{ID: "m" + fmt.Sprint(e.ID), Mine: e.Role == llm.RoleUser, Text: e.Content, At: e.At})
		}
	}
	if len(entries) == maxHistory {
		first = entries[0].ID
	}
	if !s.Past {
		err = ms.now(ctx, v, &s)
	}
	if cut := s.fit(); cut > 0 {
		first = cut
	}
	if first > 0 {
		s.Earlier = "me/?before=" + fmt.Sprint(first)
	}
	return s, err
}

// now adds what happens now.
func (ms *Members) now(ctx context.Context, v *visit, s *memberScene) error {
	g := ms.Feeds.follow(v.Place).glimpse()
	s.Growing, s.Buttons = clip(g.growing, maxText), g.buttons
	said := s.Log
	if n := len(said); n > 0 && !said[n-1].Mine && strings.TrimSpace(said[n-1].Text) == strings.TrimSpace(g.growing) {
		s.Growing = "" // it is stored by now, and stands above
	}
	for _, l := range g.lines {
		if l.left && len(l.Files) == 0 && slices.ContainsFunc(said, func(e line) bool {
			return !e.Mine && (strings.Contains(l.Text, e.Text) || strings.Contains(e.Text, l.Text))
		}) {
			continue
		}
		s.Log = append(s.Log, l)
	}
	slices.SortStableFunc(s.Log, func(a, b line) int { return a.At.Compare(b.At) })
	waiting, err := ms.p.o.Store.Unanswered(ctx, v.Place, maxWaiting)
	if err != nil {
		return err
	}
	for _, m := range waiting {
		known := slices.ContainsFunc(s.Log, func(l line) bool { return l.ID == m.ID })
		if known || m.From.ID != v.User || m.Kind != chat.KindText && m.Kind != chat.KindCommand || m.Unasked {
			continue
		}
		l := line{ID: m.ID, Mine: true, Text: m.Text, Waiting: true, At: m.At}
		for _, f := range m.Files {
			l.Files = append(l.Files, fileLink{"", f.Name})
		}
		s.Log = append(s.Log, l)
	}
	s.Waiting = len(waiting) > 0
	if len(s.Buttons) > 0 || s.Waiting {
		return nil
	}
	asked, rows, err := ms.o.Open(ctx, v.message())
	s.Asked, s.Buttons = clip(asked, maxText), slices.Concat(rows...)
	return err
}

// fit keeps the newest lines that fit on a page. It returns the row of the first one that is
// left of the transcript if some were cut, else 0.
func (s *memberScene) fit() (first int64) {
	room, kept := maxBody, []line(nil)
	for _, l := range slices.Backward(s.Log) {
		l.Text = clip(l.Text, maxText)
		if room -= markup + len(prose(l.Text)); room < 0 && len(kept) > 0 {
			break
		}
		kept = append(kept, l)
	}
	cut := len(kept) < len(s.Log)
	slices.Reverse(kept)
	s.Log = kept
	for _, l := range kept {
		if row, ok := strings.CutPrefix(l.ID, "m"); ok && cut {
			return rowOf(row)
		}
	}
	return 0
}

// rowOf reads the number of a row, 0 if it is none.
func rowOf(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // 0 is the end
	return max(0, n)
}

// events streams a line for every change until the page closes or its login ends. Each turn
// looks at the login again, and at what other processes did.
func (ms *Members) events(w http.ResponseWriter, r *http.Request, v *visit) {
	f := ms.Feeds.follow(v.Place)
	me := f.news.join()
	if me == nil {
		ms.p.refuse(w, r, http.StatusServiceUnavailable, "Too many of these pages are open. Close one.")
		return
	}
	defer f.news.leave(me)
	ctx, out := r.Context(), http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the server's deadline is for requests
	w.Header().Set("Content-Type", "text/event-stream")
	look := time.NewTicker(memberLook)
	defer look.Stop()
	const changed = "event: chat\ndata: 1\n\n"
	said, waits, _ := ms.p.o.Store.Tide(ctx, v.Place)
	for line, quiet := ": hello\n\n", time.Now(); ; {
		now, err := ms.find(ctx, v.token)
		over := err == nil && now == nil
		if over {
			line = changed // the page finds out by itself
		}
		if line != "" {
			quiet = time.Now()
			_ = out.SetWriteDeadline(quiet.Add(newsBeat))
			if _, err := io.WriteString(w, line); err != nil || out.Flush() != nil {
				return
			}
		}
		if over {
			ms.tidy(context.WithoutCancel(ctx))
			return
		}
		if !chat.Sleep(ctx, newsPace) {
			return
		}
		select {
		case <-me.chat:
			line = changed
		case <-look.C:
			line = ""
			if s, n, err := ms.p.o.Store.Tide(ctx, v.Place); err == nil && (s != said || n != waits) {
				said, waits, line = s, n, changed
			} else if time.Since(quiet) > newsBeat {
				line = ": still here\n\n"
			}
		case <-ctx.Done():
			return
		}
	}
}

// uploads reports whether a request brings files.
func uploads(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// parseForm reads a form, files in memory.
func parseForm(r *http.Request) error {
	if uploads(r) {
		return r.ParseMultipartForm(maxUpload)
	}
	return r.ParseForm()
}

// bodyLimit is how much of a member's request is read, in bytes.
func (ms *Members) bodyLimit(r *http.Request) int64 {
	if ms.serves(r) && r.URL.Path == memberRoot+"say" && uploads(r) {
		return maxUpload
	}
	return maxForm
}

// say takes a message, or a choice, from the form. Its id is from the form, so one submitted
// twice is one message.
func (ms *Members) say(w http.ResponseWriter, r *http.Request, v *visit) {
	m := v.message()
	m.ID, m.Text, m.At = r.PostFormValue("id"), strings.TrimSpace(r.PostFormValue("text")), ms.p.o.Now().UTC()
	if !idForm().MatchString(m.ID) {
		ms.p.refuse(w, r, http.StatusBadRequest, wordsEmpty)
		return
	}
	m.ID = webID + m.ID
	label := ""
	if choice := r.PostFormValue("choice"); choice != "" {
		m.Kind, m.Text, m.ReplyTo = chat.KindButton, choice, m.ID
		if label = ms.label(r.Context(), v, choice); label == "" {
			ms.p.refuse(w, r, http.StatusConflict, "This choice is not open any more. Nothing was done.")
			return
		}
	} else if chat.IsCommand(m.Text) {
		m.Kind = chat.KindCommand
	}
	files, ok := ms.files(w, r, &m)
	if !ok {
		return
	}
	if m.Text == "" && len(files) == 0 {
		ms.p.refuse(w, r, http.StatusBadRequest, wordsEmpty)
		return
	}
	ms.deliver(w, r, written{m, files, label})
}

// written is what somebody sent; label is that of the button they pressed.
type written struct {
	chat.Message
	files []access.WebFile
	label string
}

// deliver hands a message with its files to the hub.
func (ms *Members) deliver(w http.ResponseWriter, r *http.Request, m written) {
	ctx, in := r.Context(), ms.o.Intake()
	name, err := ms.p.o.Store.Browse.Person(ctx, m.From.ID)
	if name != m.From.ID { // it is known
		m.From.Name = name
	}
	if err == nil && len(m.files) > 0 {
		fits, e := ms.p.o.Store.Access.SaveWebFiles(ctx, m.files, maxStored)
		if err = e; e == nil && !fits {
			ms.p.refuse(w, r, http.StatusRequestEntityTooLarge, "Too many of your files still wait. Nothing was sent; try again later.")
			return
		}
	}
	if err == nil && in != nil {
		err = in.Deliver(ctx, chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m.Message}})
	}
	if err != nil || in == nil {
		ms.p.o.Log.Error("message from a member's browser", "err", err)
		ms.p.refuse(w, r, http.StatusServiceUnavailable, wordsDown)
		return
	}
	f := ms.Feeds.follow(m.Key)
	f.with(func() {
		if m.label != "" {
			f.add(line{ID: m.ID, Mine: true, Text: plainly(m.label), At: m.At})
		}
	})
	lead(w, r, memberRoot+"#end")
}

// label returns the label of a button that is open, "" if there is none.
func (ms *Members) label(ctx context.Context, v *visit, data string) string {
	list := ms.Feeds.follow(v.Place).glimpse().buttons
	_, rows, err := ms.o.Open(ctx, v.message())
	if err != nil {
		ms.p.o.Log.Warn("buttons that are open", "err", err)
	}
	for _, b := range append(list, slices.Concat(rows...)...) {
		if b.Data == data {
			return cmp.Or(b.Label, b.Data)
		}
	}
	return ""
}

// files reads the files of a form and names them in m; false if they were refused.
func (ms *Members) files(w http.ResponseWriter, r *http.Request, m *chat.Message) (list []access.WebFile, ok bool) {
	if r.MultipartForm == nil || m.Kind == chat.KindButton {
		return nil, true
	}
	for i, h := range r.MultipartForm.File["files"] {
		if h.Size == 0 && h.Filename == "" {
			continue
		}
		if i >= maxMemberFiles {
			ms.p.refuse(w, r, http.StatusRequestEntityTooLarge, "That is too much for one message. Nothing was sent.")
			return nil, false
		}
		f, err := h.Open()
		if err != nil {
			ms.p.fail(w, r, frame{}, err)
			return nil, false
		}
		data, err := io.ReadAll(f)
		_ = f.Close()
		if err != nil {
			ms.p.fail(w, r, frame{}, err)
			return nil, false
		}
		name := text.Clip(text.Clean(path.Base(strings.ReplaceAll(h.Filename, `\`, "/"))), maxName)
		id := m.ID + "-" + fmt.Sprint(int64(i))
		list = append(list, access.WebFile{ID: id, User: m.From.ID, Name: name, Data: data})
		kind, _, _ := mime.ParseMediaType(h.Header.Get("Content-Type"))
		m.Files = append(m.Files, chat.File{Name: name, MIME: cmp.Or(kind, http.DetectContentType(data)), Size: h.Size, Ref: id})
	}
	return list, true
}

// Fetch reads a file that came with m from a browser; ours is false if f is none.
func (ms *Members) Fetch(ctx context.Context, m chat.Message, f chat.File) (data []byte, ours bool, err error) {
	if ms == nil || !strings.HasPrefix(m.ID, webID) || !strings.HasPrefix(f.Ref, webID) {
		return nil, false, nil
	}
	data, ok, err := ms.p.o.Store.Access.WebFile(ctx, m.From.ID, f.Ref)
	if err == nil && !ok {
		err = chat.ErrFileGone
	}
	return data, true, err
}

// file hands out a file of an answer.
func (ms *Members) file(w http.ResponseWriter, r *http.Request, v *visit) {
	f, ok := ms.Feeds.follow(v.Place).file(r.PathValue("id"))
	if !ok {
		ms.p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream") // it is saved, never shown as a page of ours
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": text.Clean(f.Name)}))
	_, _ = w.Write(f.Data) // the reader is gone
}
