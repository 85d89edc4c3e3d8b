package telegramtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"parley/internal/text"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (s *Server) getMe(*request) (any, *problem) {
	return User{ID: s.botID, IsBot: true, FirstName: "Parley", Username: s.opts.Username}, nil
}

func (s *Server) getWebhookInfo(*request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"url": s.hook.url, "has_custom_certificate": false, "pending_update_count": len(s.inbound.waiting)}, nil
}

func (s *Server) answerCallbackQuery(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := q.fields["callback_query_id"]
	if _, ok := s.queries[id]; !ok {
		return nil, bad("query is too old and response timeout expired or query ID is invalid")
	}
	s.queries[id]++
	if len(q.fields["text"]) > 0 {
		s.toasts[id] = q.fields["text"]
	}
	s.touch()
	return true, nil
}

// languageForm is a language of ISO 639-1.
var languageForm = regexp.MustCompile(`^[a-z]{2}$`)

var commandForm = text.Pattern(`^[a-z0-9_]{1,32}$`)

func (s *Server) setMyCommands(q *request) (any, *problem) {
	var list []Command
	if json.Unmarshal([]byte(q.fields["commands"]), &list) != nil {
		return nil, bad("can't parse commands list JSON object")
	}
	for _, c := range list {
		n := utf8.RuneCountInString(c.Description)
		if !commandForm().MatchString(c.Command) || n < 1 || n > 256 {
			return nil, bad("BOT_COMMAND_INVALID")
		}
	}
	if len(list) > 100 {
		return nil, bad("BOT_COMMANDS_TOO_MUCH")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, p := s.scope(q)
	if p == nil {
		s.menus[scope] = list
	}
	return true, p
}

func (s *Server) getMyCommands(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scope, p := s.scope(q)
	return append([]Command{}, s.menus[scope]...), p
}

// scope names the chats that commands are for: a type, or the id of a chat, and
// behind it a language.
// s.mu is held.
func (s *Server) scope(q *request) (string, *problem) {
	in := struct {
		Type string
		Chat int64 `json:"chat_id"`
	}{Type: "default"}
	if raw := q.fields["scope"]; raw != "" && json.Unmarshal([]byte(raw), &in) != nil {
		return "", bad("can't parse BotCommandScope")
	}
	language := q.fields["language_code"]
	if language != "" && !languageForm.MatchString(language) {
		return "", bad("language code is invalid")
	}
	if language != "" {
		language = "/" + language
	}
	switch in.Type {
	case "default", "all_private_chats", "all_group_chats", "all_chat_administrators":
		return in.Type + language, nil
	case "chat":
		if s.chats[in.Chat] == nil {
			return "", bad("chat not found")
		}
		return strconv.FormatInt(in.Chat, 10) + language, nil
	}
	return "", bad("unsupported type of BotCommandScope")
}

func (s *Server) getFile(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := q.fields["file_id"]
	f, ok := s.files[id]
	switch {
	case !ok:
		return nil, bad("wrong file_id or the file is temporarily unavailable")
	case len(f.Data) > 20<<20:
		return nil, bad("file is too big")
	}
	return map[string]any{"file_id": id, "file_unique_id": id, "file_size": len(f.Data), "file_path": "documents/" + id}, nil
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	id, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+s.opts.Token+"/documents/")
	s.mu.Lock()
	f, found := s.files[id]
	s.mu.Unlock()
	if !ok || !found || f.Data == nil {
		answer(w, nil, notFound)
		return
	}
	_, _ = w.Write(f.Data)
}

// Entity is a part of a text that looks or acts specially; offsets and lengths
// are in UTF-16 units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
	User     *struct {
		ID int64 `json:"id"`
	} `json:"user,omitempty"`
}

// parseEntities refuses what the real server refuses: unreadable JSON, unknown
// kinds, and positions outside the text or inside a character.
func parseEntities(text, raw string) ([]Entity, *problem) {
	if raw == "" {
		return nil, nil
	}
	var list []Entity
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		return nil, bad("can't parse entities JSON object")
	}
	if err := CheckEntities(text, list); err != nil {
		return nil, bad("%v", err)
	}
	return list, nil
}

var kinds = map[string]bool{
	"bold": true, "italic": true, "underline": true, "strikethrough": true, "spoiler": true, "blockquote": true,
	"expandable_blockquote": true, "code": true, "pre": true, "text_link": true, "mention": true, "text_mention": true,
	"hashtag": true, "cashtag": true, "bot_command": true, "url": true, "email": true, "phone_number": true,
}

// CheckEntities says what is wrong with the entities of a text, nil if nothing.
func CheckEntities(text string, list []Entity) error {
	if len(list) == 0 {
		return nil
	}
	starts := map[int]bool{} // offsets at which a character starts or the text ends
	at := 0
	for _, r := range text {
		starts[at] = true
		if at++; r > 0xFFFF {
			at++
		}
	}
	starts[at] = true
	for _, e := range list {
		switch end := e.Offset + e.Length; {
		case !kinds[e.Type]:
			return fmt.Errorf("can't parse MessageEntity: wrong type %q", e.Type)
		case e.Offset < 0 || e.Length <= 0:
			return fmt.Errorf("receive an entity with incorrect offset or length")
		case end > at:
			return fmt.Errorf("entity beginning at UTF-16 offset %d ends after the end of the text at byte offset %d", e.Offset, len(text))
		case !starts[e.Offset]:
			return fmt.Errorf("entity begins in a middle of a UTF-16 symbol at offset %d", e.Offset)
		case !starts[end]:
			return fmt.Errorf("entity ends in a middle of a UTF-16 symbol at offset %d", end)
		case e.Type == "text_link" && e.URL == "":
			return fmt.Errorf("can't parse MessageEntity: no URL")
		case e.Type == "text_mention" && (e.User == nil || e.User.ID == 0):
			return fmt.Errorf("can't parse MessageEntity: no user")
		}
	}
	return nil
}

// describes gives or takes one of the bot's descriptions, of at most so many
// characters. A language without one of its own is told that for everybody.
func (s *Server) describes(q *request, field string, most int) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	language := q.fields["language_code"]
	if language != "" && !languageForm.MatchString(language) {
		return nil, bad("language code is invalid")
	}
	if strings.HasPrefix(strings.ToLower(q.method), "get") {
		return map[string]string{field: cmp.Or(s.about[field+language], s.about[field])}, nil
	}
	if utf8.RuneCountInString(q.fields[field]) > most {
		return nil, bad("%s is too long", field)
	}
	s.about[field+language] = q.fields[field]
	s.touch()
	return true, nil
}

func (s *Server) getMyDescription(q *request) (any, *problem) {
	return s.describes(q, "description", 512)
}
func (s *Server) setMyDescription(q *request) (any, *problem) {
	return s.describes(q, "description", 512)
}
func (s *Server) getMyShortDescription(q *request) (any, *problem) {
	return s.describes(q, "short_description", 120)
}
func (s *Server) setMyShortDescription(q *request) (any, *problem) {
	return s.describes(q, "short_description", 120)
}

// About returns the bot's descriptions in a language, "" for everybody without
// one of their own.
func (s *Server) About(language string) (short, long string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.about["short_description"+language], s.about["description"+language]
}

// Describe is what somebody told @BotFather: one of the descriptions in a language.
func (s *Server) Describe(field, language, words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about[field+language] = words
}

// reactable are some of the emoji that bots may react with; others are refused.
const reactable = "👍👎🔥🎉🤔👀👌🙏"

func (s *Server) setMessageReaction(q *request) (any, *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, _, p := s.destination(q); p != nil {
		return nil, p
	}
	var with []struct{ Type, Emoji string }
	if raw := q.fields["reaction"]; raw != "" && json.Unmarshal([]byte(raw), &with) != nil {
		return nil, bad("can't parse reaction types JSON object")
	}
	id, emoji := [2]int64{q.chat(), q.number("message_id")}, ""
	for _, r := range with {
		if len(with) > 1 || r.Type != "emoji" || !strings.Contains(reactable, r.Emoji) || s.stern[q.chat()] {
			return nil, bad("REACTION_INVALID")
		}
		emoji = r.Emoji
	}
	s.reactions[id] = append(s.reactions[id], emoji)
	s.touch()
	return true, nil
}

// Reactions returns the bot's reactions to a message, one after the other; "" is that
// it was taken back.
func (s *Server) Reactions(chat, message int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.reactions[[2]int64{chat, message}]...)
}

// Stern makes a chat allow no reactions.
func (s *Server) Stern(chat int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stern[chat] = true
}
