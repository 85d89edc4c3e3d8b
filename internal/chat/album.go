package chat

import (
	"slices"
	"time"
)

// albumGap is how long to wait for the next picture of an album: pictures sent together
// arrive as single messages within a moment.
const albumGap = 700 * time.Millisecond

// gather joins an album into one message: the first, with the words and files of all. The
// lane waits meanwhile. What arrives later than albumGap becomes a message of its own.
func (h *Hub) gather(l *lane, first Message, disk *onDisk) Message {
	if first.Album == "" {
		return first
	}
	show := startLive(h.ctx, h, job{m: first, disk: disk})
	defer show.stop()
	parts := []Message{first}
	for waited := false; ; {
		next, ok := h.takeNext(l, first)
		if ok {
			parts, waited = append(parts, next), false
			continue
		}
		if waited || !Sleep(h.ctx, albumGap) {
			return h.joined(l, parts)
		}
		waited = true
	}
}

// joined makes one message of several, edits included; a deleted one adds nothing.
func (h *Hub) joined(l *lane, parts []Message) Message {
	all := parts[0]
	for i, next := range parts {
		next, kept := h.revise(l, next)
		if i == 0 {
			if kept {
				all = next
			} else {
				all.Text, all.Files, all.With = "", nil, next.With
			}
			continue
		}
		all.With = append(append(all.With, next.Row), next.With...)
		if kept {
			all = all.plus(next)
		}
	}
	return all
}

// plus adds the words, files and marks of another message of the same album.
func (m Message) plus(next Message) Message {
	if m.Text == "" {
		m.Text = next.Text
	} else if next.Text != "" {
		m.Text += "\n" + next.Text
	}
	m.Files = append(slices.Clip(m.Files), next.Files...)
	m.Addressed = m.Addressed || next.Addressed
	m.Named = m.Named || next.Named
	m.Forwarded = m.Forwarded || next.Forwarded
	m.Relayed = m.Relayed || next.Relayed
	m.Shared = m.Shared || next.Shared
	m.Attempt = max(m.Attempt, next.Attempt)
	return m
}

func sameAlbum(m, next Message) bool {
	return m.Album != "" && next.Album == m.Album && next.Kind == KindText && next.From.ID == m.From.ID
}

// takeNext takes the lane's next message if it belongs to m's album.
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
