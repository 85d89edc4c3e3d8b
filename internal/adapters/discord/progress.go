package discord

import (
	"encoding/json"
	"sync"
	"time"
)

// maxSilentResumes is how many RESUMEs in a row may stay without any answer
// before the session is given up.
const maxSilentResumes = 2

// resumable is what continues a session on a new connection, and in a new
// process: Discord replays what was missed since Seq.
type resumable struct {
	ID    string    `json:"id"`
	Seq   int64     `json:"seq"`
	Self  string    `json:"self"` // RESUMED does not say who we are
	App   string    `json:"app"`
	Name  string    `json:"name,omitempty"`
	Tries int       `json:"tries,omitempty"` // RESUMEs that nothing came of
	At    time.Time `json:"at"`              // when the session was last alive
}

// ticket stands for an event on its way to the inbox; with seq 0, for reading a gap, which
// no session replays.
type ticket struct {
	gen int
	seq int64
}

// progress tracks up to which event everything is stored. Channels are processed in
// parallel, so that is not simply the newest event.
type progress struct {
	mu      sync.Mutex // guards the rest
	session resumable  // Seq is the newest received
	gen     int        // counts sessions
	open    map[int64]bool
	owed    int       // under way, but not replayed by the present session
	since   time.Time // when the previous session was last alive
}

// clear forgets everything; tickets under way no longer count.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session, p.since, p.owed, p.open = resumable{}, time.Time{}, 0, map[int64]bool{}
	p.gen++
}

// restore continues from an earlier process's note. Nothing up to heard is missing.
func (p *progress) restore(note string, heard time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var r resumable
	if json.Unmarshal([]byte(note), &r) == nil { // an unreadable note identifies anew
		p.session = r
	}
	if p.session.Self == "" {
		p.session.ID = ""
	}
	if heard.After(p.session.At) {
		p.session.At = heard
	}
}

// fresh begins another session, and returns when the last one was alive. Until planned is
// called, an unknown number of gaps counts as outstanding.
func (p *progress) fresh(r resumable) (since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owed == 0 { // else the gap before is not read yet
		p.since = p.session.At
	}
	p.session = r
	p.gen++
	p.owed += len(p.open) + 1
	p.open = map[int64]bool{}
	return p.since
}

// planned notes that every gap has its ticket.
func (p *progress) planned() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed--
}

// alive notes a sign of life of the session, up to seq where that is not 0.
func (p *progress) alive(seq int64, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session.Seq, p.session.At = max(seq, p.session.Seq), now
}

// answered is called when a session was resumed or begun.
func (p *progress) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session.Tries = 0
}

// resume returns the session to continue, counting the try; "" identifies.
func (p *progress) resume() resumable {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session.Tries >= maxSilentResumes {
		p.session.ID, p.session.Seq, p.session.Tries = "", 0, 0
	}
	r := p.session
	if r.ID != "" {
		p.session.Tries++
	}
	return r
}

// unasked takes back the try of a RESUME that never reached Discord.
func (p *progress) unasked() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session.Tries = max(0, p.session.Tries-1)
}

// forget makes the next connection identify anew. It reports whether there was a session
// to continue.
func (p *progress) forget() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.session.ID != ""
	p.session.ID, p.session.Seq, p.session.Tries = "", 0, 0
	return was
}

// begin issues the ticket of an event or, with seq 0, of reading a gap.
func (p *progress) begin(seq int64) ticket {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq == 0 {
		p.owed++
	} else {
		p.open[seq] = true
	}
	return ticket{p.gen, seq}
}

// done notes that the event of a ticket is stored.
func (p *progress) done(t ticket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case t == ticket{}:
	case t.seq == 0 || t.gen != p.gen:
		p.owed--
	default:
		delete(p.open, t.seq)
	}
}

// id returns the present session's.
func (p *progress) id() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session.ID
}

// noteAfter returns the session that the next process can resume without loss once a batch
// is stored; none while anything is under way that RESUME would not replay.
func (p *progress) noteAfter(batch []arrival) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, owed := p.session, p.owed
	stored := map[int64]bool{}
	for _, item := range batch {
		switch t := item.ticket; {
		case t == ticket{}:
		case t.seq == 0 || t.gen != p.gen:
			owed--
		default:
			stored[t.seq] = true
		}
	}
	for seq := range p.open {
		if !stored[seq] {
			r.Seq = min(r.Seq, seq-1)
		}
	}
	if owed > 0 {
		r.ID, r.Seq, r.At = "", 0, p.since
	}
	b, _ := json.Marshal(r) // plain data
	return string(b)
}
