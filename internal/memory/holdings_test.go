package memory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/memory/sessions"
	"parley/internal/text/ranking"
)

// wordless are the columns of text that hold no words of people: names of
// things, ids, states, times, what the owner alone sets, and single letters of
// the messages beside them in the index.
var wordless = []string{
	"bulk_work.*", "spent.*", "attempts.user_id", "attempts.until", "codes.purpose", "codes.user_id", "codes.hash",
	"codes.expires_at", "cursors.*",
	"dead_letters.platform", "dead_letters.event_id", "dead_letters.reason", "dead_letters.state", "dead_letters.at",
	"decisions.id", "decisions.session_id", "decisions.platform", "decisions.channel", "decisions.thread", "decisions.user_id",
	"decisions.outcome", "decisions.reason", "decisions.command", "decisions.message_id", "decisions.model",
	"decisions.answered_by", "decisions.at", "decisions.people", "decisions.agent",
	"fact_history.author", "fact_history.session_id", "fact_history.message_id", "fact_history.since", "fact_history.until",
	"fact_history.people", "fact_history.ends", "fact_history.updated", "fact_changes.*",
	"proposed.user_id", "proposed.digest", "proposed.at", "fact_vectors.*", "message_vectors.*",
	"message_sketches.*", "embedders.*", "ends.*", "sessions.told_end", "forgotten.*", "grants.*", "heartbeat.*", "imports.*",
	"guard_calls.session_id", "guard_calls.user_id", "guard_calls.name", "guard_calls.people", "guard_calls.at",
	"handoffs.user_id", "handoffs.platform", "handoffs.channel", "handoffs.thread", "handoffs.opened_by", "handoffs.state",
	"handoffs.taker_id", "handoffs.desk_platform", "handoffs.desk_channel", "handoffs.desk_thread",
	"hooks.*", "hook_pauses.*", "hook_deliveries.*",
	"handoffs.last_id", "handoffs.opened_at", "handoffs.due_at", "handoffs.changed_at", "handoffs.agent", "handoff_posts.*",
	"handoff_answers.*", "handoffs.cut", "closed_places.*",
	"decided.session_id", "decided.line", "decided.user_id", "decided.message_id", "decided.at",
	"decided.replaced_at", "decided.people", "sessions.line",
	"inbox.platform", "inbox.channel", "inbox.thread", "inbox.message_id", "inbox.state", "inbox.preview", "inbox.at", "inbox.uid",
	"key_facts.scope", "key_facts.subject", "key_facts.owner", "key_facts.platform", "key_facts.channel", "key_facts.type",
	"key_facts.author", "key_facts.session_id", "key_facts.message_id",
	"key_facts.valid_from", "key_facts.valid_to", "key_facts.call_key", "key_facts.created_at", "key_facts.updated_at",
	"key_facts.people", "key_facts.agent", "key_facts.ends", "key_facts_fts.owner",
	"log_entries.user_id", "log_entries.platform", "log_entries.channel", "log_entries.author", "log_entries.type",
	"log_entries.call_key", "log_entries.at", "log_entries.people", "log_entries.agent",
	"membership.*", "numbers.*", "messages.session_id", "messages.platform", "messages.channel", "messages.thread", "messages.message_id",
	"messages.role", "messages.user_id", "messages.tool_call_id", "messages.at", "messages.people", "messages.agent",
	"places.platform", "places.channel", "places.thread",
	"note_authors.*", "outbox.kind", "outbox.platform", "outbox.channel", "outbox.thread", "outbox.nonce", "outbox.preview",
	"outbox.state", "outbox.platform_id", "outbox.not_before", "outbox.at", "outbox.waits_for",
	"overheard.*", "listening.*", "unasked.*", "participants.*", "questions.id", "questions.user_id", "questions.platform",
	"questions.channel",
	"questions.thread", "questions.behind", "questions.asked_at", "questions.expires_at", "questions.state", "questions.by_id", "allowances.*",
	"questions.session", "questions.agent", "questions.lapse",
	"people.user_id", "agent_people.user_id", "agent_people.agent", "people.learn_after", "people.digest", "people.digest_at",
	"people.erased_at",
	"policies.*", "quirks.*",
	"reminders.seen", "reminders.lost", "reminders.lost_told", "reminders.away", "reminders.guild", "reminders.user_id",
	"reminders.platform", "reminders.channel", "reminders.thread", "reminders.due_at", "reminders.schedule", "reminders.zone",
	"reminders.state", "reminders.told_at", "reminders.call_key", "reminders.created_at", "reminders.people", "reminders.agent",
	"reminders.ended",
	"secrets.*", "session_texts.session_id", "sessions.id", "sessions.owed_at", "sessions.platform", "sessions.channel",
	"sessions.thread", "sessions.user_id", "sessions.status", "sessions.created_at", "sessions.last_activity",
	"sessions.expires_at", "sessions.ended_at", "sessions.last_model", "sessions.carried_from", "sessions.people", "sessions.agent",
	"settings.name", "steps.kind", "steps.key", "steps.state", "steps.people",
	"moves.*", "titles.*", "tasks.user_id", "tasks.platform", "tasks.channel", "tasks.call_key", "tasks.created_at",
	"tasks.updated_at", "tasks.done_at", "tasks.people", "tasks.agent",
	"tool_calls.decision_id", "tool_calls.call_id", "tool_calls.name", "tool_calls.status", "tool_calls.class", "tool_calls.at", "usage.*",
	"web_logins.*", "web_files.id", "web_files.user_id", "web_files.at",
	"api_tokens.id", "api_tokens.hash", "api_tokens.user_id", "api_tokens.created_at", "api_tokens.used_at",
	"api_requests.id", "api_requests.user_id", "api_requests.platform", "api_requests.channel", "api_requests.thread",
	"api_requests.twin", "api_requests.digest", "api_requests.state", "api_requests.at",
}

// textColumns returns the columns of the schema that can hold words.
func textColumns(t *testing.T, s *Store) (list []string) {
	t.Helper()
	rows, err := s.db.Query(
		s.db.Either(`SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
		AND m.name NOT LIKE '%_fts_%' AND upper(p.type) NOT IN ('INTEGER', 'REAL') ORDER BY 1`,
			"SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public' AND "+
				"table_name NOT LIKE 'parley%' AND data_type IN ('text', 'bytea') ORDER BY 1"))
	must(t, err)
	list, err = engine.Collect(rows, engine.Value[string])
	must(t, err)
	return list
}

// Every column of text is known to hold people's words, with what becomes of
// them, or to hold none: a new one cannot be overlooked.
func TestEveryColumnOfWordsIsHeld(t *testing.T) {
	s := open(t, Options{})
	for _, column := range textColumns(t, s) {
		table, _, _ := strings.Cut(column, ".")
		held := slices.ContainsFunc(holdings, func(h holding) bool { return h.column == column })
		none := slices.Contains(wordless, column) || slices.Contains(wordless, table+".*")
		if held == none {
			t.Errorf("%s: say in holdings what becomes of people's words there, or in wordless that there are none (held %v, wordless %v)",
				column, held, none)
		}
	}
	for _, h := range holdings {
		if (h.export == "") == (h.why == "") || h.kept == "" {
			t.Errorf("%s is not decided: %+v", h.column, h)
		}
	}
}

// marker returns what a person is known by in a column.
func marker(who, column string) string {
	return "zx" + who + strings.NewReplacer(".", "", "_", "").Replace(column)
}

// life lets somebody use everything: each column of people's words then has a
// word of theirs. In the room others read along, and made use of it.
func life(t *testing.T, s *Store, who string) {
	t.Helper()
	user, w := "x:"+who, func(column string) string { return marker(who, column) }
	room, alone := chat.Key{Platform: "x", Channel: "room"}, chat.Key{Platform: "x", Channel: "alone-" + who}
	v := Viewer{User: user, Key: alone, Direct: true}
	f := save(t, s, v, w("fact_history.content")+" is here #"+w("fact_history.tags"))
	_, err := s.Facts.UpdateFact(bg, v, f.ID, facts.NewFact{Content: w("key_facts.content") + " " + w("key_facts_fts.content") + " came",
		Tags: []string{w("key_facts.tags"), w("key_facts_fts.tags")}, Quote: w("key_facts.quote")})
	must(t, err)
	must(t, second(s.Facts.SaveFact(bg, Viewer{User: user, Key: room}, facts.NewFact{Scope: facts.ScopeChannel,
		Content: w("key_facts.content") + " for the room"})))
	must(t, second(s.Agenda.AddTask(bg, v, w("tasks.description"), "", Origin{})))
	must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: w("log_entries.content")}, "")))
	must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: user, Name: w("reminders.name")}, Key: alone,
		Text: w("reminders.text"), Due: time.Now().Add(time.Hour)}, "")))
	must(t, s.People.SetTimeZone(bg, user, "Europe/"+w("people.time_zone")))
	must(t, s.People.SavePersonPlaybook(bg, user, "desk", PersonNote{To: `{"word": "` + w("agent_people.playbook") + `"}`}))
	must(t, s.People.SetLanguage(bg, user, w("people.language")))
	must(t, s.People.SetHeard(bg, user, w("people.heard")))
	must(t, s.People.SetVoice(bg, user, w("people.voice")))
	for _, k := range []chat.Key{alone, room} {
		m := chat.Message{ID: who + k.Channel, Key: k, From: chat.User{ID: user, Name: w("messages.name")}, Text: "x",
			Addressed: true, At: time.Now()}
		in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
		must(t, err)
		se := Session{ID: "s-" + k.Channel, Key: k, Status: Active, Direct: k == alone, Created: time.Now(), LastActivity: time.Now(),
			Expires: time.Now().Add(time.Hour),
			Summary: w("sessions.summary"), Title: w("sessions.title"), Decisions: []sessions.Decision{{Text: w("decided.content") + " " +
				w("session_texts.content") + " " + w("session_texts_fts.content"), User: user, Name: w("decided.name")}},
			Page: []sessions.Line{{Text: w("sessions.page"), People: []string{user}}}, Owed: &sessions.Debt{Summary: w("sessions.debt"),
				Due: time.Now()}, Mentions: sessions.Mentions{Files: []string{w("sessions.mentions")}}, Playbook: w("sessions.playbook"),
			SummarizedAt: 1,
			Origin:       Origin{People: []string{user}}}
		parts := []chat.Part{{Key: k, To: m.From, Text: w("outbox.body")}}
		must(t, s.Finish(bg, in[0], parts, &Turn{Session: &se, Person: PersonNote{To: w("people.playbook")}, Entries: []Entry{
			{Role: "user", User: user, Name: m.From.Name, Content: w("messages.content") + " " + w("messages_fts.words"),
				Attached: w("messages.attached"), MessageID: m.ID, At: time.Now(), Origin: Origin{Via: provenance.ViaTyped}},
			{Role: "assistant", User: user, Content: "you said " + w("messages.content"), Insight: w("messages.key_insight"), At: time.Now()}},
			Decision: Decision{End: chat.End{Outcome: chat.Answered}, Detail: Detail{Reason: w("decisions.detail")}},
			Calls: []CallRecord{{CallID: "1", Name: "t", Arguments: w("tool_calls.arguments"), Result: w("tool_calls.result"),
				Status: "success"}},
			Precedents: []Precedent{{Tool: "t", Args: w("guard_calls.arguments"), Result: w("guard_calls.result")}}}))
	}
	plant(t, s, who)
}

// plant puts words where only a moment of a turn would.
func plant(t *testing.T, s *Store, who string) {
	t.Helper()
	user := "x:" + who
	m := chat.Message{ID: who + "-open", Key: chat.Key{Platform: "x", Channel: "alone-" + who}, From: chat.User{ID: user},
		Text: marker(who, "inbox.body"), Addressed: true, At: time.Now()}
	in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
	must(t, err)
	must(t, s.SaveSteps(bg, in[0].Row, []Step{{N: 1, Kind: "model", Done: true, Result: marker(who, "steps.result")}})())
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		for _, q := range []string{
			"INSERT INTO codes (purpose, user_id, name, hash, expires_at) VALUES ('pair', '" + user + "', '" + marker(who,
				"codes.name") + "', '', '9')",
			"INSERT INTO web_files VALUES ('" + who + "file', '" + user + "', '" + marker(who, "web_files.name") + "', '" + marker(who,
				"web_files.data") + "', '8')",
			"INSERT INTO api_tokens VALUES ('" + who + "', '" + who + "', '" + user + "', '" + marker(who, "api_tokens.name") + "', '8', '')",
			"INSERT INTO api_requests VALUES ('" + who + "', '" + user + "', 'api', 'x." + who + "', '', '', '', 'open', '" + marker(who,
				"api_requests.answer") + "', '0')",
			"INSERT INTO questions (user_id, platform, channel, id, body, text, came, name, by_name, asked_at, expires_at, state) VALUES ('" +
				user + "', 'x', 'room', '" + who + "', '" + marker(who, "questions.body") + "', '" + marker(who, "questions.text") +
				"', '" + marker(who, "questions.came") + "', '" + marker(who, "questions.name") + "', '" + marker(who,
				"questions.by_name") + "', '8', '9', 'open')",
			"INSERT INTO proposed (user_id, digest, content, source, at) VALUES ('" + user + "', 'x', '" + marker(who, "proposed.content") + "', '" +
				marker(who, "proposed.source") + "', '')",
			"INSERT INTO handoffs (user_id, name, platform, channel, state, opened_by, reason, taker_id, taker_name, " +
				"opened_at, changed_at) VALUES ('" + user + "', '" + marker(who, "handoffs.name") + "', 'x', 'room', 'over', 'a rule', '" +
				marker(who, "handoffs.reason") + "', '" + user + "', '" + marker(who, "handoffs.taker_name") + "', '0', '0')",
			"INSERT INTO settings VALUES ('" + Passing + who + "', '" + marker(who, "settings.value") + "')",
			"INSERT INTO dead_letters (platform, raw, reason, at) VALUES ('x', '{\"from\":{\"id\":\"" + who + "\"},\"text\":\"" +
				marker(who, "dead_letters.raw") + "\"}', 'odd', '')",
			"INSERT INTO dead_letters (platform, raw, reason, at) VALUES ('x', '{cut \"" + who + "\" " + marker(who,
				"dead_letters.raw") + "', 'odd', '')",
			"UPDATE sessions SET closing = '" + marker(who, "sessions.closing") + "', title = '" + marker(who, "sessions.title") +
				"' WHERE id = 's-alone-" + who + "'",
			"UPDATE messages SET tool_calls = '[{\"ID\":\"1\",\"Name\":\"t\",\"Args\":\"" + marker(who, "messages.tool_calls") +
				"\"}]' WHERE user_id = '" + user + "' AND role = 'assistant'",
			"UPDATE fact_history SET quote = '" + marker(who, "fact_history.quote") + "', previous = '" + marker(who,
				"fact_history.previous") + "' WHERE fact_id IN (SELECT id FROM key_facts WHERE subject = '" + user + "')",
			"UPDATE key_facts SET previous = '" + marker(who, "key_facts.previous") + "' WHERE subject = '" + user + "'",
		} {
			if _, err := tx.Exec(q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	}))
}

// others is what somebody else has of a person's words: asked for alone, and
// answered with in the room.
func others(t *testing.T, s *Store, whose, who string) {
	t.Helper()
	made := Origin{Via: provenance.ViaPerson, People: []string{"x:" + whose}}
	w := "zx" + whose + "derived"
	for _, k := range []chat.Key{{Platform: "x", Channel: "alone-" + who}, {Platform: "x", Channel: "room"}} {
		m := chat.Message{ID: who + "asks" + k.Channel, Key: k, From: chat.User{ID: "x:" + who, Name: who}, Text: "x",
			Addressed: true, At: time.Now()}
		in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
		must(t, err)
		must(t, s.SaveSteps(bg, in[0].Row+1000, []Step{{N: 1, Kind: "tool", Key: "c", Done: true, Result: w, People: made.People}})())
		se := Session{ID: "s-" + k.Channel, Key: k, Status: Active, Direct: k.Channel != "room", Created: time.Now(),
			LastActivity: time.Now(), Expires: time.Now().Add(time.Hour), Summary: w, SummarizedAt: 1, Playbook: "zx" + who + "own", Origin: made}
		must(t, s.Finish(bg, in[0], []chat.Part{{Key: k, To: m.From, Text: w}}, &Turn{Session: &se, Entries: []Entry{
			{Role: "user", User: "x:" + who, Name: who, Content: "zx" + who + "own question about it", MessageID: m.ID,
				At: time.Now(), Origin: Origin{Via: provenance.ViaTyped}},
			{Role: "assistant", User: "x:" + who, Content: "", ToolCalls: calls("c"), At: time.Now()},
			{Role: "tool", User: "x:" + who, Name: "recall_conversation", ToolCallID: "c", Content: w, At: time.Now(), Origin: made},
			{Role: "assistant", User: "x:" + who, Content: w, Insight: w, At: time.Now(), Origin: made}},
			Decision:   Decision{End: chat.End{Outcome: chat.Answered}, Detail: Detail{Tools: []string{w}}, Origin: made},
			Calls:      []CallRecord{{CallID: "c", Name: "recall_conversation", Arguments: w, Result: w, Status: "success"}},
			Precedents: []Precedent{{Tool: "recall_conversation", Args: w, Result: w, People: made.People}}}))
	}
	v := Viewer{User: "x:" + who, Key: chat.Key{Platform: "x", Channel: "room"}}
	must(t, second(s.Facts.SaveFact(bg, v, facts.NewFact{Content: w + " was told", Origin: made})))
	must(t, second(s.Agenda.AddTask(bg, v, w, "", made)))
	must(t, second(s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: w, Origin: made}, "")))
	must(t, second(s.Agenda.AddReminder(bg, agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: w, Due: time.Now().Add(time.Hour),
		Origin: made}, "")))
}

// After forgetting, no byte of the data folder has a word of the person, in no
// column, in nobody's recall and nothing made of their words; others keep theirs,
// and their summaries are owed. What would go is what the person was handed.
func TestForgettingReachesAllThatWasMadeOfIt(t *testing.T) {
	postgrestest.AboutFiles(t) // it looks into columns that indexes have there alone
	s := open(t, Options{})
	life(t, s, "ada")
	life(t, s, "bob")
	others(t, s, "ada", "bob")
	for _, h := range holdings {
		if n := rowsWith(t, s, h.column, marker("ada", h.column)); n == 0 {
			t.Errorf("the test puts nothing into %s", h.column)
		}
	}
	e, err := s.ExportPerson(bg, "x:ada")
	must(t, err)
	whole, err := json.Marshal(e)
	must(t, err)
	for _, h := range holdings {
		if has := strings.Contains(string(whole), marker("ada", h.column)); has != (h.export != "") && h.why != whyIndex {
			t.Errorf("%s is handed out: %v, want %q", h.column, has, h.export)
		}
	}
	if strings.Contains(string(whole), "zxbob") {
		t.Error("somebody else's words are handed out")
	}
	must(t, s.ForgetPerson(bg, "x:ada", 0))
	if n := bytesWith(t, s, "zxada"); n != 0 {
		t.Errorf("%d traces are left", n)
		for _, c := range textColumns(t, s) {
			if n := rowsWith(t, s, c, "zxada"); n > 0 {
				t.Errorf("%d in %s", n, c)
			}
		}
	}
	for _, c := range []string{"messages.content", "key_facts.content", "tasks.description", "decisions.detail",
		"people.playbook", "sessions.playbook", "dead_letters.raw"} {
		if rowsWith(t, s, c, "zxbob") == 0 {
			t.Errorf("somebody else's words in %s were forgotten too", c)
		}
	}
	found, err := s.Recall(bg, Query{User: "x:bob", Text: "question derived zxadaderived"})
	must(t, err)
	for _, p := range found {
		if strings.Contains(p.Text, "zxada") {
			t.Errorf("recalled: %s", p.Text)
		}
	}
	se, err := s.Sessions.SessionByID(bg, "s-room")
	must(t, err)
	left, err := s.Transcript(bg, "s-room", se.SummarizedAt, 0)
	must(t, err)
	if se.Summary != "" || len(left) == 0 || slices.ContainsFunc(left, func(e Entry) bool {
		return e.Role == "tool" ||
			len(e.ToolCalls) > 0 && e.User != "x:bob"
	}) {
		t.Errorf("the room is to be summed up anew from %+v, summary %q", left, se.Summary)
	}
	must(t, s.File.Check(bg))
}

// Retention keeps what holdings says: words of conversations go with their
// sessions and their audit, what people keep on purpose stays.
func TestRetentionKeepsWhatHoldingsSays(t *testing.T) {
	postgrestest.AboutFiles(t) // as above
	at := time.Now()
	s := open(t, Options{Now: func() time.Time { return at }})
	life(t, s, "ada")
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		for _, q := range []string{"UPDATE sessions SET status = 'archived', ended_at = last_activity", "UPDATE outbox SET state = 'unknown'"} {
			if _, err := tx.Exec(q); err != nil {
				return err
			}
		}
		return nil
	}))
	at = at.AddDate(1, 0, 0)
	_, err := s.Prune(bg, Retention{Days: 1})
	must(t, err)
	for _, h := range holdings {
		n := rowsWith(t, s, h.column, marker("ada", h.column))
		switch h.kept {
		case keptSession, keptAudited, keptForDays, keptAlive:
			if n != 0 {
				t.Errorf("%s is kept %q, and after a year has %d rows", h.column, h.kept, n)
			}
		case keptOpen:
			if n == 0 {
				t.Errorf("%s is kept %q, and went", h.column, h.kept)
			}
		}
	}
}

// calls returns a call of a tool by its id.
func calls(id string) (list []llm.ToolCall) {
	return []llm.ToolCall{{ID: id, Name: "recall_conversation", Args: "{}"}}
}

// rowsWith counts rows of a column that have a word.
func rowsWith(t *testing.T, s *Store, column, word string) (n int) {
	t.Helper()
	table, name, _ := strings.Cut(column, ".")
	if table == "messages_fts" { // it has no text, only what leads to it
		must(t, s.db.QueryRow("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?", ranking.Asking(word).Match(word)).Scan(&n))
		return n
	}
	must(t, s.db.QueryRow("SELECT count(*) FROM "+table+" WHERE instr(lower(CAST("+name+" AS TEXT)), ?) > 0", strings.ToLower(word)).Scan(&n))
	return n
}

// bytesWith counts a word in all files of the data folder.
func bytesWith(t *testing.T, s *Store, word string) (n int) {
	t.Helper()
	if postgrestest.Served() {
		return hits(t, s, word)
	}
	must(t, filepath.Walk(filepath.Dir(s.File.Path()), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		low := strings.ToLower(string(b))
		if at := strings.Index(low, word); at >= 0 {
			t.Logf("%s, at %d: %q", filepath.Base(path), at, low[max(0, at-80):min(len(low), at+80)])
		}
		n += strings.Count(low, word)
		return err
	}))
	return n
}
