package console

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// How news are spread.
const (
	maxReaders = 32
	newsPace   = 250 * time.Millisecond // at most one line in this time
	newsBeat   = 20 * time.Second       // a line that says nothing, to notice who is gone
)

// news tells open pages that they are out of date. What changed they fetch as
// any page is fetched, so nothing is shown here that is not shown there.
type news struct {
	mu      sync.Mutex // guards readers
	readers map[*reader]bool
}

// reader is one open page; each channel holds a token while there is news.
type reader struct{ chat, other chan struct{} }

// tell never blocks: a reader that is behind reads once for all it missed.
func (n *news) tell(chat bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for r := range n.readers {
		c := r.other
		if chat {
			c = r.chat
		}
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (n *news) join() *reader {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.readers) >= maxReaders {
		return nil
	}
	r := &reader{make(chan struct{}, 1), make(chan struct{}, 1)}
	n.readers[r] = true
	return r
}

func (n *news) leave(r *reader) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.readers, r)
}

// events streams a word for every change until the page is closed or its login
// ends.
func (p *Page) events(w http.ResponseWriter, r *http.Request, _ *login) {
	me := p.news.join()
	if me == nil {
		p.refuse(w, r, http.StatusServiceUnavailable, "Too many of these pages are open. Close one.")
		return
	}
	defer p.news.leave(me)
	token, out := p.token(r), http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the server's is for requests, this one stays
	w.Header().Set("Content-Type", "text/event-stream")
	beat := time.NewTicker(newsBeat)
	defer beat.Stop()
	line := ": hello\n\n"
	for p.logins.live(token) {
		_ = out.SetWriteDeadline(time.Now().Add(newsBeat))
		if _, err := io.WriteString(w, line); err != nil || out.Flush() != nil {
			return
		}
		pace := time.NewTimer(newsPace)
		select {
		case <-pace.C:
		case <-r.Context().Done():
			pace.Stop()
			return
		}
		select {
		case <-me.chat:
			line = "event: chat\ndata: 1\n\n"
		case <-me.other:
			line = "event: news\ndata: 1\n\n"
		case <-beat.C:
			line = ": still here\n\n"
		case <-r.Context().Done():
			return
		}
	}
}
