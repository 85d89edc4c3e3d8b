package chat

// Aborted says that draining has given up on what runs.
func (h *Hub) Aborted() bool { return h.ctx.Err() != nil }
