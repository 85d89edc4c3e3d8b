package memory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/agenda"
)

// ofPlaces are the columns that name a channel, each with a row that names channel
// -4711 of telegram; they name the new one once it has moved.
var ofPlaces = map[string]string{
	"allowances.channel":    "INSERT INTO allowances (platform, channel, tool, by_id, at) VALUES ('telegram', '-4711', 'x', 'x', '')",
	"closed_places.channel": "INSERT INTO closed_places (platform, channel, state, since, told) VALUES ('telegram', '-4711', 'shut', '', '2026')",
	"decisions.channel": "INSERT INTO decisions (id, inbox_id, platform, channel, user_id, outcome, at) VALUES ('x', " +
		"1, 'telegram', '-4711', 'x', 'answered', '')",
	"grants.id": "INSERT INTO grants (id, role, by_id, at) VALUES ('telegram:chat:-4711', 'member', 'x', '')",
	"handoffs.channel": "INSERT INTO handoffs (user_id, platform, channel, opened_by, opened_at, changed_at) VALUES " +
		"('x', 'telegram', '-4711', 'x', '', '')",
	"handoffs.desk_channel": "INSERT INTO handoffs (user_id, platform, channel, opened_by, opened_at, changed_at, " +
		"desk_platform, desk_channel) VALUES ('x', 'telegram', '5', 'x', '', '', 'telegram', '-4711')",
	"inbox.channel": "INSERT INTO inbox (platform, channel, message_id, body, uid, at) VALUES ('telegram', " +
		"'-4711', 'g1', '{}', 'u', '')",
	"key_facts.channel": "INSERT INTO key_facts (scope, subject, owner, platform, channel, content, type, author, " +
		"confidence, valid_from, created_at, updated_at) VALUES ('person', 'x', 'x', 'telegram', '-4711', 'x', 'fact', 'user', 1, '', '', '')",
	"key_facts.subject": "INSERT INTO key_facts (scope, subject, owner, platform, channel, content, type, author, " +
		"confidence, valid_from, created_at, updated_at) VALUES ('channel', 'telegram:-4711', 'x', 'telegram', '-4711', " +
		"'x', 'fact', 'user', 1, '', '', '')",
	"log_entries.channel": "INSERT INTO log_entries (user_id, platform, channel, author, type, content, at) VALUES " +
		"('x', 'telegram', '-4711', 'user', 'thought', 'x', '')",
	"membership.channel": "INSERT INTO membership (user_id, platform, channel, state, checked_at) VALUES ('x', " +
		"'telegram', '-4711', 'in', '')",
	"sessions.channel": "INSERT INTO sessions (id, platform, channel, created_at, last_activity, expires_at) VALUES " +
		"('s', 'telegram', '-4711', '', '', '')",
	"messages.channel": "INSERT INTO messages (session_id, platform, channel, role, user_id, name, content, at) " +
		"VALUES ('s', 'telegram', '-4711', 'user', 'x', 'x', 'x', '')",
	"moves.became": "INSERT INTO moves (platform, channel, became) VALUES ('telegram', '-12', '-4711')",
	"numbers.book": "INSERT INTO numbers (kind, book, last) VALUES ('channel', 'telegram:-4711', 7)",
	"outbox.channel": "INSERT INTO outbox (part, kind, platform, channel, body, nonce, at) VALUES (0, 'notice', " +
		"'telegram', '-4711', '{}', 'x', '')",
	"overheard.channel":    "INSERT INTO overheard (day, platform, channel, n) VALUES ('x', 'telegram', '-4711', 1)",
	"listening.channel":    "INSERT INTO listening (user_id, platform, channel, state, at) VALUES ('x', 'telegram', '-4711', 'out', '')",
	"unasked.channel":      "INSERT INTO unasked (day, platform, channel, n) VALUES ('x', 'telegram', '-4711', 1)",
	"participants.channel": "INSERT INTO participants (user_id, platform, channel) VALUES ('x', 'telegram', '-4711')",
	"policies.channel":     "INSERT INTO policies (platform, channel, listen) VALUES ('telegram', '-4711', 'all')",
	"questions.channel": "INSERT INTO questions (id, user_id, platform, channel, body, asked_at, expires_at, state) " +
		"VALUES ('x', 'x', 'telegram', '-4711', '', '', '', 'open')",
	"reminders.channel": "INSERT INTO reminders (user_id, platform, channel, text, due_at, created_at) VALUES ('x', " +
		"'telegram', '-4711', 'x', '', '')",
	"settings.value": "INSERT INTO settings (name, value) VALUES ('agents.bound', '{\"telegram:chat:-4711\": " +
		"{\"agent\": \"a\"}, \"telegram:chat:-4711/3\": {\"agent\": \"b\"}}')",
	"spent.name": "INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, prompt_tokens) " +
		"VALUES ('2026-01-01', 'telegram', '-4711', 'x', 'p', 'm', 1, 5)",
	"tasks.channel": "INSERT INTO tasks (user_id, platform, channel, description, created_at, updated_at) VALUES " +
		"('x', 'telegram', '-4711', 'x', '', '')",
	"titles.id": "INSERT INTO titles (id, title) VALUES ('telegram:chat:-4711', 'x')",
	"web_logins.channel": "INSERT INTO web_logins (id, hash, state, user_id, platform, channel, created_at, used_at, until) " +
		"VALUES ('x', 'x', 'open', 'x', 'telegram', '-4711', '', '', '')",
	"usage.channel": "INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, prompt_tokens) " +
		"VALUES ('2026-01-02', 'telegram', '-4711', 'x', 'p', 'm', 1, 5)",
}

// oldPlaces are the columns in which the old name of a channel stays, and why.
var oldPlaces = map[string]string{
	"moves.channel":           "it says what the channel was called",
	"places.channel":          "a number of the index, and no message is left there",
	"inbox.body":              "where a message is, its row says",
	"outbox.body":             "where a part goes, its row says",
	"questions.body":          "it waits for minutes, and ids in it are looked up",
	"dead_letters.raw":        "as the platform sent it; what comes of it is looked up",
	"reminders.call_key":      "a name of the call that is never looked for again",
	"tasks.call_key":          "as of reminders",
	"log_entries.call_key":    "as of reminders",
	"key_facts.call_key":      "as of reminders",
	"hooks.channel":           "what an owner said, as in the settings; it is looked up whenever something comes",
	"hook_deliveries.channel": "as of hooks",
	"api_requests.channel":    "named after its person, so it never moves",
	"cursors.name":            "channels of Discord, which keep their ids",
	"key_facts.owner":         "a hash of the subject, which goes with it",
	"key_facts_fts.owner":     "as of key_facts",
}

// placeless are the columns that name no channel, by table.
var placeless = map[string]string{
	"agent_people": "agent playbook user_id", "allowances": "at by_id platform tool", "attempts": "until user_id",
	"bulk_work":     "at kind user_id",
	"closed_places": "next_try platform since state thread told", "handoff_answers": "at message_id nonce",
	"codes": "expires_at hash name purpose user_id", "cursors": "platform value", "dead_letters": "at event_id platform reason state",
	"decisions": "agent answered_by at command detail id message_id model outcome people platform reason session_id thread user_id",
	"decided":   "at content line message_id name people replaced_at session_id user_id",
	"embedders": "name", "ends": "at due_at kind reader what", "fact_changes": "at kind source stamp told user_id",
	"fact_vectors": "model vector",
	"fact_history": "author content ends message_id people previous quote session_id since tags until updated",
	"forgotten":    "at mark",
	"grants":       "at by_id role", "guard_calls": "arguments at name people result session_id user_id", "handoff_posts": "nonce",
	"handoffs": "agent changed_at cut desk_platform desk_thread due_at last_id name opened_at opened_by platform reason " +
		"state taker_id taker_name thread user_id",
	"hooks": "at by_id does name platform secret template thread", "hook_pauses": "at name",
	"hook_deliveries": "at delivery digest hook platform thread",
	"heartbeat":       "at room schema", "imports": "at began digest", "inbox": "at message_id platform preview state thread uid",
	"key_facts": "agent author content created_at ends message_id people platform previous quote scope session_id " +
		"tags type updated_at valid_from valid_to",
	"key_facts_fts": "content tags", "log_entries": "agent at author content people platform type user_id",
	"membership":       "checked_at platform since state user_id",
	"message_sketches": "sketch", "message_vectors": "vector", "messages_fts": "words", "moves": "platform",
	"note_authors": "at hash path user_id", "numbers": "kind",
	"messages": "agent at attached content key_insight message_id name people platform role session_id thread " +
		"tool_call_id tool_calls user_id",
	"outbox":    "at kind nonce not_before platform platform_id preview state thread waits_for",
	"listening": "at platform state user_id", "unasked": "day platform",
	"overheard": "day platform thread", "participants": "platform thread user_id",
	"people": "digest digest_at erased_at heard language learn_after playbook time_zone user_id voice",
	"places": "platform thread", "policies": "listen platform tools who",
	"questions": "agent asked_at behind by_id by_name came expires_at id lapse name platform session state text thread user_id",
	"quirks":    "at endpoint model quirk", "secrets": "name value", "session_texts": "content session_id", "session_texts_fts": "content",
	"reminders": "agent created_at due_at ended guild lost lost_told away name people platform schedule seen state text " +
		"thread told_at user_id zone",
	"sessions": "line agent carried_from closing created_at debt ended_at expires_at id last_activity last_model " +
		"mentions owed_at page people platform playbook status summary thread title told_end user_id",
	"settings": "name", "spent": "day kind", "steps": "key kind people result state",
	"tasks":  "agent created_at description done_at people platform updated_at user_id",
	"titles": "title", "tool_calls": "arguments at call_id class decision_id name result status",
	"proposed":   "at content digest source user_id",
	"usage":      "day model platform purpose user_id",
	"web_logins": "browser created_at hash id platform state until used_at user_id", "web_files": "at data id name user_id",
	"api_tokens": "created_at hash id name used_at user_id", "api_requests": "answer at digest id platform state thread twin user_id",
}

// TestEveryPlaceMoves: each column of text names a channel, or is known to name none, and
// when a channel goes on under another name, all that named it name the new one. A move
// that is told twice changes nothing.
func TestEveryPlaceMoves(t *testing.T) {
	s := open(t, Options{})
	columns := textColumns(t, s)
	for _, column := range columns {
		table, name, _ := strings.Cut(column, ".")
		_, moves := ofPlaces[column]
		stays, none := oldPlaces[column] != "", slices.Contains(strings.Fields(placeless[table]), name)
		if (moves || stays) == none || moves && stays {
			t.Errorf("%s: say in ofPlaces that it moves with its channel, in oldPlaces why it does not, or in placeless that it names none", column)
		}
	}
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		for _, column := range slices.Backward(columns) { // sessions before their messages
			if q := ofPlaces[column]; q != "" {
				if _, err := tx.Exec(q); err != nil {
					t.Errorf("%s: %v", column, err)
				}
			}
		}
		return nil
	}))
	for column := range ofPlaces {
		if naming(t, s, column, "-4711") == 0 {
			t.Errorf("%s names no channel", column)
		}
	}
	mv := chat.Move{From: chat.Key{Platform: "telegram", Channel: "-4711"}, To: chat.Key{Platform: "telegram", Channel: "-100815"}}
	for range 2 {
		must(t, s.Move(t.Context(), mv))
		for column := range ofPlaces {
			if naming(t, s, column, "-4711") > 0 || naming(t, s, column, "-100815") == 0 && column != "titles.id" {
				t.Errorf("%s was left behind", column)
			}
		}
	}
	for _, old := range []string{"-4711", "-12"} {
		was := chat.Key{Platform: "telegram", Channel: old, Thread: "3"}
		if got := s.Access.Place(was).Key; got.Channel != mv.To.Channel || got.Thread != "3" {
			t.Errorf("%s is %v now", old, got)
		}
	}
	if got := s.Access.Place(mv.To); len(got.Former) != 2 || got.Key != mv.To || got.Closed() {
		t.Errorf("its address is %v", got)
	}
}

// naming counts the rows of a column that have a name in them.
func naming(t *testing.T, s *Store, column, name string) (n int) {
	t.Helper()
	table, of, _ := strings.Cut(column, ".")
	must(t, s.db.QueryRow("SELECT count(*) FROM "+table+" WHERE "+of+" LIKE ?", "%"+name+"%").Scan(&n))
	return n
}

// TestMovedPlacesStayOne: an event of a place that moved is one of the place it became, in
// the batch that tells of the move and after it; that the bot is out of the old one means
// nothing.
func TestMovedPlacesStayOne(t *testing.T) {
	s := open(t, Options{})
	from, to := chat.Key{Platform: "telegram", Channel: "-5"}, chat.Key{Platform: "telegram", Channel: "-1005"}
	ann := chat.User{ID: "telegram:1", Name: "Ann"}
	message := func(id string) chat.Message {
		return chat.Message{ID: id, Key: from, From: ann, Text: "x", At: time.Now()}
	}
	for i, b := range []chat.Batch{{Moved: []chat.Move{{From: from, To: to}}}, {}} {
		b.Platform, b.Messages = "telegram", []chat.Message{message([]string{"g1", "g2"}[i])}
		b.Present = []chat.Presence{{Key: from, User: ann, State: chat.Present}, {Key: from, State: chat.Absent}}
		got, err := s.Accept(t.Context(), b)
		must(t, err)
		if len(got) != 1 || got[0].Key != to {
			t.Errorf("%d: it is in %v", i, got)
		}
		if n := naming(t, s, "membership.channel", "-1005"); n != 1 {
			t.Errorf("%d: %d people are there", i, n)
		}
	}
	got, err := s.Accept(t.Context(), chat.Batch{Platform: "telegram", Messages: []chat.Message{message("g1")}})
	if err != nil || len(got) != 0 {
		t.Errorf("what was there before is there again: %v, %v", got, err)
	}
}

// TestOutOfTheOldGroup: a bot that hears that it is out of a group before it hears that the
// group became a supergroup goes on with its reminders there, but not with those of who
// left.
func TestOutOfTheOldGroup(t *testing.T) {
	s := open(t, Options{})
	from, to := chat.Key{Platform: "telegram", Channel: "-5"}, chat.Key{Platform: "telegram", Channel: "-1005"}
	for _, user := range []string{"telegram:1", "telegram:2"} {
		must(t, second(s.Agenda.AddReminder(t.Context(), agenda.Reminder{User: chat.User{ID: user}, Key: from, Text: "plants",
			Due: time.Now().Add(-time.Hour)}, "")))
	}
	due := func(want int) {
		t.Helper()
		must(t, s.Agenda.Regain(t.Context()))
		list, err := s.Agenda.DueReminders(t.Context(), []string{"telegram"}, 9)
		if err != nil || len(list) != want {
			t.Errorf("%d are due, %v; want %d", len(list), err, want)
		}
	}
	due(2)
	must(t, s.Access.Attend(t.Context(), chat.Presence{Key: from, User: chat.User{ID: "telegram:2"}, State: chat.Absent}))
	due(1)
	must(t, s.Access.Attend(t.Context(), chat.Presence{Key: from, State: chat.Absent}))
	due(0)
	must(t, s.Move(t.Context(), chat.Move{From: from, To: to}))
	due(1)
}
