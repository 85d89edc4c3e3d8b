package chat

import (
	"context"
	"slices"
)

// replacing returns the parts of the answer to m, with one more that takes m's preview away
// if none of them goes where it stands: a preview becomes part of the answer, or nothing.
func replacing(m Message, parts []Part) []Part {
	if m.Preview == "" || slices.ContainsFunc(parts, func(p Part) bool { return p.Key == m.Key }) {
		return parts
	}
	return append(parts, Part{Key: m.Key, Index: len(parts), To: m.From, Origin: m.Origin})
}

// unstored reports whether an answer was finished without being stored: its author was
// forgotten meanwhile.
func unstored(parts []Part) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p Part) bool { return p.Row != 0 })
}

// lose removes the preview of an unfinished message of which whoever answers it next cannot
// learn.
func (h *Hub) lose(j job) {
	if j.loose {
		h.withdraw(h.ctx, j.m.Key, j.m.Preview)
	}
}

// withdraw removes a preview, "" for none, where the platform can. It makes one attempt,
// also while the process ends.
func (h *Hub) withdraw(ctx context.Context, k Key, id string) {
	w, ok := As[Withdrawer](h.adapter(k.Platform))
	if !ok || id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), firstDraw)
	defer cancel()
	w.Withdraw(ctx, k, id)
}
