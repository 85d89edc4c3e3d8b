package telegramtest

import (
	"cmp"
	"encoding/json"
)

// standing is what somebody is in a chat: one of Telegram's six statuses. Of the
// restricted it is told apart whether they are there.
type standing struct {
	status string
	inside bool
}

// SetAdmin makes somebody an administrator of a group.
func (s *Server) SetAdmin(chat, user int64) { s.SetMember(chat, user, "administrator", true) }

// SetMember makes somebody a creator, administrator, member, restricted, left or
// kicked; inside counts for the restricted alone. No update tells the bot of it, as
// in groups that it does not administer. Without it everybody is a member.
func (s *Server) SetMember(chat, user int64, status string, inside bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standings[[2]int64{chat, user}] = standing{status, inside}
}

func (s *Server) getChatMember(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, _, p := s.destination(q); p != nil {
		return nil, p
	}
	user := q.number("user_id")
	return s.standings[[2]int64{q.chat(), user}].entry(user), nil
}

// entry is Telegram's ChatMember, with the fields that its status has.
func (st standing) entry(user int64) map[string]any {
	e := map[string]any{"status": cmp.Or(st.status, "member"), "user": User{ID: user, FirstName: "Member"}}
	switch st.status {
	case "creator", "administrator":
		e["is_anonymous"] = false
	case "restricted":
		e["is_member"], e["can_send_messages"], e["until_date"] = st.inside, false, 0
	case "kicked":
		e["until_date"] = 0
	}
	return e
}

// Changes is SetMember in a group that the bot administers: an update tells it.
func (s *Server) Changes(chat, user int64, status string, inside bool) {
	s.mu.Lock()
	was := s.standings[[2]int64{chat, user}]
	s.mu.Unlock()
	s.SetMember(chat, user, status, inside)
	body, _ := json.Marshal(map[string]any{"update_id": 0, "chat_member": map[string]any{
		"chat": Chat{ID: chat, Type: chatType(Chat{ID: chat}, false)}, "from": User{ID: 1, FirstName: "Admin"}, "date": s.opts.Now().Unix(),
		"old_chat_member": was.entry(user), "new_chat_member": standing{status, inside}.entry(user),
	}})
	s.Push(Raw(string(body)))
}
