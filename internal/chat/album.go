package chat

import "time"

// albumGap is how long the next picture of an album may be in coming: they are
// sent together and arrive as messages of their own, within a moment.
const albumGap = 700 * time.Millisecond

// gather makes one message of what was sent as one: the first of them, with
// the words and files of all. The rest of an album that comes later than
// albumGap is a message of its own, and so is nothing lost. The lane waits.
func (h *Hub) gather(l *lane, first Message) Message {
	if first.Album == "" {
		return first
	}
	show := startLive(h.ctx, h, first)
	defer show.stop()
	for waited := false; ; {
		next, ok := h.takeNext(l, first)
		if !ok {
			if waited || !sleep(h.ctx, albumGap) {
				return first
			}
			waited = true
			continue
		}
		waited = false
		next, kept := h.revise(l, next)
		first.With = append(append(first.With, next.Row), next.With...)
		if !kept {
			continue
		}
		if first.Text == "" {
			first.Text = next.Text
		} else if next.Text != "" {
			first.Text += "\n" + next.Text
		}
		first.Files = append(first.Files, next.Files...)
		first.Addressed = first.Addressed || next.Addressed
		first.Forwarded = first.Forwarded || next.Forwarded
		first.Relayed = first.Relayed || next.Relayed
		first.Shared = first.Shared || next.Shared
		first.Attempt = max(first.Attempt, next.Attempt)
	}
}

// sameAlbum says that next belongs to the album of m.
func sameAlbum(m, next Message) bool {
	return m.Album != "" && next.Album == m.Album && next.Kind == KindText && next.From.ID == m.From.ID
}

// takeNext takes the lane's next message if it belongs to the same album.
func (h *Hub) takeNext(l *lane, m Message) (Message, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(l.queue) == 0 || l.queue[0].do != nil || !sameAlbum(m, l.queue[0].m) {
		return Message{}, false
	}
	next := l.queue[0].m
	l.queue = l.queue[1:]
	h.waiting--
	h.makeRoom()
	return next, true
}
