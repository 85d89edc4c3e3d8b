package chat

// Aborted reports whether draining has given up on what runs.
func (h *Hub) Aborted() bool { return h.ctx.Err() != nil }
