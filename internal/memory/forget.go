package memory

import (
	"context"
	"errors"
	"strconv"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/importer"
	"parley/internal/memory/provenance"
	"parley/internal/memory/usage"
)

// ofPerson is the condition on rows that were, or may have been, made of the words of
// :user, as their column people says.
const ofPerson = "(people <> '' AND EXISTS (SELECT 1 FROM json_each(people) WHERE value IN (:user, '" + provenance.Anybody + "')))"

// saidBy is the same condition on a line of a page, as JSON.
const saidBy = "EXISTS (SELECT 1 FROM json_each(value, '$.people') WHERE value IN (:user, '" + provenance.Anybody + "'))"

// Sessions lose what was made of somebody's words, and what is left is summarized again:
// live ones at the next fold, ended ones as soon as they are looked at.
const (
	wiped = `summary = '', closing = '', title = '', mentions = '{}', page = '[]', debt = '', owed_at = '', folded_tokens = 0, via = 0, people = '', summarized_at = 0, summary_tries = 0,
		generation = generation + 1, status = iif(status = 'archived' AND ended_at <> '', 'completed', status)`
	// spokenIn lists the sessions in which somebody spoke or could have spoken.
	spokenIn = `SELECT session_id FROM messages WHERE user_id = :user
		UNION SELECT s.id FROM participants p CROSS JOIN sessions s ON s.platform = p.platform AND s.channel = p.channel AND s.thread = p.thread WHERE p.user_id = :user`
)

// exchange are what the bot did and said between two messages of people.
const exchange = `role <> 'user' AND session_id = (SELECT session_id FROM messages WHERE id = :key)
	AND id > coalesce((SELECT u.id FROM messages m CROSS JOIN messages u ON u.session_id = m.session_id WHERE m.id = :key AND u.id < m.id AND u.role = 'user' ORDER BY u.id DESC LIMIT 1), 0)
	AND id < coalesce((SELECT u.id FROM messages m CROSS JOIN messages u ON u.session_id = m.session_id WHERE m.id = :key AND u.id > m.id AND u.role = 'user' ORDER BY u.id LIMIT 1), 9223372036854775807)`

// Forgotten stands for an answer to somebody else that was made of a person's words: without
// it what they asked would look as if it still waited for one.
const Forgotten = "(this answer was deleted)"

// answerForgotten leaves nothing of an exchange but that others were answered. A call and its
// results go together, since a model rejects one without the other.
var answerForgotten = []string{
	"UPDATE messages SET content = '" + Forgotten + "', attached = '', key_insight = '', via = 0, people = '', tokens = " +
		strconv.Itoa(llm.EstimateTokens(llm.Message{Role: llm.RoleAssistant, Content: Forgotten})) +
		" WHERE role = 'assistant' AND tool_calls = '' AND user_id <> :user AND " + exchange,
	"DELETE FROM messages WHERE content <> '" + Forgotten + "' AND " + exchange,
}

// aloneHere are the direct chats of :user.
const aloneHere = `SELECT i.platform, i.channel FROM inbox i WHERE i.id = :but AND i.state = 'new' AND CAST(i.body ->> '$.direct' AS TEXT) IN ('1', 'true')
	UNION SELECT s.platform, s.channel FROM participants p CROSS JOIN sessions s ON s.platform = p.platform AND s.channel = p.channel WHERE p.user_id = :user AND s.direct`

// erasedAtOnce deletes or empties, in one transaction, the tables that have few rows of a
// person. :user is the person, :but the inbox row that asks for it.
var erasedAtOnce = []string{
	// That somebody talked with the bot alone, while it is known where. Of messages that came
	// before the one that asks for it a platform repeats none.
	"DELETE FROM inbox WHERE id IN (SELECT i.id FROM (" + aloneHere + ") here CROSS JOIN inbox i ON i.platform = here.platform AND i.channel = here.channel " +
		"WHERE i.state <> 'new' AND (:but = 0 OR i.id < :but))",
	"DELETE FROM outbox WHERE state NOT IN ('ready', 'started') AND (platform, channel) IN (" + aloneHere + ")",
	"DELETE FROM hook_deliveries WHERE (platform, channel) IN (" + aloneHere + ")",
	"DELETE FROM hooks WHERE by_id = :user OR direct <> 0 AND (platform, channel) IN (" + aloneHere + ")",
	"UPDATE inbox SET body = json_remove(body, '$.from.Name') WHERE id = :but AND state = 'new'",
	// One to somebody else may repeat them; it is emptied within minutes. That one stays until
	// its answer is stored to which it was the yes: with it a process that takes over knows
	// what was begun.
	"DELETE FROM questions WHERE user_id = :user AND (state <> 'taken' OR taken_by = 0 OR taken_by <> :but)",
	"UPDATE questions SET by_name = '' WHERE by_id = :user",
	"UPDATE questions SET name = '', by_name = '', text = '' WHERE state = 'taken' AND taken_by <> 0 AND taken_by = :but",
	"DELETE FROM handoffs WHERE user_id = :user",
	"UPDATE handoffs SET taker_id = '', taker_name = '', state = iif(state = 'taken', 'waiting', state) WHERE taker_id = :user",
	"DELETE FROM codes WHERE user_id = :user",
	"DELETE FROM attempts WHERE user_id = :user",
	"DELETE FROM web_logins WHERE user_id = :user",
	"DELETE FROM web_files WHERE user_id = :user",
	"DELETE FROM api_tokens WHERE user_id = :user",
	"DELETE FROM api_requests WHERE user_id = :user",
	"DELETE FROM people WHERE user_id = :user",
	"DELETE FROM agent_people WHERE user_id = :user",
	"DELETE FROM closed_places WHERE state = 'blocked' AND EXISTS (SELECT 1 FROM membership b WHERE b.user_id = :user AND " +
		"b.state = 'blocked' AND b.platform = closed_places.platform AND b.channel = closed_places.channel)",
	"DELETE FROM membership WHERE user_id = :user",
	"DELETE FROM note_authors WHERE user_id = :user",
	"DELETE FROM listening WHERE user_id = :user AND state <> 'out'", // a no stands, as whether they may talk does
	"DELETE FROM allowances WHERE by_id = :user",
	"DELETE FROM fact_changes WHERE user_id = :user",
	"DELETE FROM proposed WHERE user_id = :user",
	dropPassing,
	"DELETE FROM steps WHERE inbox_id IN (SELECT id FROM inbox WHERE state = 'new' AND json_extract(body, '$.from.ID') = :user)",
	"UPDATE steps SET result = '', people = '' WHERE " + ofPerson, // a model is asked again, a tool is not run again
	// Others' messages that are not answered yet may quote them.
	"UPDATE inbox SET body = json_remove(body, '$.quote') WHERE state = 'new' AND CAST(body ->> '$.relayed' AS TEXT) IN ('1', 'true')",
	// What else the person asked and has no answer yet.
	"UPDATE inbox SET body = '', preview = '', state = 'dead' WHERE state = 'new' AND id <> :but AND json_extract(body, '$.from.ID') = :user",
}

// erased runs after that, chunk by chunk and in this order; holdings lists the columns it
// clears. Conversations with the person alone go whole. Of those with others it takes their
// words, the answers to them, and whatever was made of their words: answers to others,
// results of tools, summaries. What others said stays.
var erased = []chunked.Sweep{
	{Table: "key_facts", Where: "scope = 'person' AND subject = :user OR " + ofPerson, Do: []string{"DELETE FROM key_facts WHERE id = :key"}},
	{Keys: `WITH theirs AS MATERIALIZED (SELECT platform, channel, message_id FROM messages WHERE user_id = :user AND message_id <> '')
		SELECT id FROM key_facts WHERE message_id <> '' AND (platform, channel, message_id) IN (SELECT platform, channel, message_id FROM theirs)`, Do: []string{"DELETE FROM key_facts WHERE id = :key"}},
	{Table: "tasks", Where: "user_id = :user OR " + ofPerson, Do: []string{"DELETE FROM tasks WHERE id = :key"}},
	{Table: "reminders", Where: "user_id = :user OR " + ofPerson, Do: []string{"DELETE FROM reminders WHERE id = :key"}},
	{Table: "decided", Where: "user_id = :user OR " + ofPerson, Do: []string{"DELETE FROM decided WHERE id = :key"}},
	{Table: "log_entries", Where: "user_id = :user OR " + ofPerson, Do: []string{"DELETE FROM log_entries WHERE id = :key"}},
	{Keys: "SELECT kind FROM numbers WHERE kind IN ('person', 'tasks', 'reminders', 'log_entries', 'fact_changes') AND book = :user",
		Do: []string{"DELETE FROM numbers WHERE kind = :key AND book = :user"}},
	{Keys: `SELECT id FROM outbox WHERE state IN ('ready', 'started') AND inbox_id IN (SELECT inbox_id FROM decisions WHERE inbox_id <> 0 AND ` + ofPerson + `)`,
		Do: []string{"UPDATE outbox SET body = '', state = 'dead' WHERE id = :key AND state IN ('ready', 'started')"}},
	{Table: "guard_calls", Where: "user_id = :user OR " + ofPerson, Do: []string{"DELETE FROM guard_calls WHERE id = :key"}},
	{Keys: "SELECT id FROM decisions WHERE user_id = :user", Do: []string{"DELETE FROM tool_calls WHERE decision_id = :key",
		"DELETE FROM decisions WHERE id = :key"}},
	{Table: "decisions", Key: "rowid", Where: ofPerson,
		Do: []string{"UPDATE tool_calls SET arguments = '{}', result = '' WHERE decision_id = (SELECT id FROM decisions WHERE rowid = :key)",
			"UPDATE decisions SET detail = '{}', people = '' WHERE rowid = :key"}},
	{Keys: spokenIn, Do: []string{"UPDATE sessions SET playbook = '', " + wiped + " WHERE id = :key"}},
	{Table: "sessions", Key: "rowid", Where: ofPerson, Do: []string{"UPDATE sessions SET " + wiped + " WHERE rowid = :key"}},
	// Of others' sessions that carry them on, their lines.
	{Table: "sessions", Key: "rowid", Where: "EXISTS (SELECT 1 FROM json_each(page) WHERE " + saidBy + ")",
		Do: []string{"UPDATE sessions SET generation = generation + 1, page = (SELECT json_group_array(json(value)) FROM " +
			"json_each(page) WHERE NOT " + saidBy + ") WHERE rowid = :key"}},
	chunked.Sweep{Table: "messages", Where: "role <> 'user' AND " + ofPerson, Do: answerForgotten}.Unindexed(saidIndex.Name),
	chunked.Sweep{Keys: "SELECT id FROM messages WHERE user_id = :user AND role <> 'user'", Do: answerForgotten}.Unindexed(saidIndex.Name),
	chunked.Sweep{Keys: "SELECT id FROM messages WHERE user_id = :user",
		Do: []string{"DELETE FROM messages WHERE id = :key"}}.Unindexed(saidIndex.Name),
	// What webhooks brought into their direct chats is said by nobody.
	chunked.Sweep{Keys: "SELECT m.id FROM (" + aloneHere + ") here CROSS JOIN sessions s ON s.platform = here.platform AND " +
		"s.channel = here.channel CROSS JOIN messages m ON m.session_id = s.id WHERE s.direct AND m.role = 'user' AND " +
		"substr(m.user_id, 1, 5) = 'hook:'", Do: []string{"DELETE FROM messages WHERE id = :key"}}.Unindexed(saidIndex.Name),
	// So is what others say in conversations that they brought along: nobody else has those.
	chunked.Sweep{Keys: "SELECT m.id FROM sessions s CROSS JOIN messages m ON m.session_id = s.id WHERE s.platform = '" + importer.Platform + "' AND " +
		"s.user_id = :user", Do: []string{"DELETE FROM messages WHERE id = :key"}}.Unindexed(saidIndex.Name),
	{Keys: "SELECT s.id FROM (" + aloneHere + ") here CROSS JOIN sessions s ON s.platform = here.platform AND s.channel = here.channel WHERE s.direct",
		Do: []string{"DELETE FROM sessions WHERE id = :key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = :key)"}},
	{Keys: "SELECT s.id FROM participants p CROSS JOIN sessions s ON s.platform = p.platform AND s.channel = p.channel " +
		"WHERE p.user_id = :user AND (s.direct OR s.user_id = :user)",
		Do: []string{"DELETE FROM sessions WHERE id = :key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = :key)"}},
	{Keys: "SELECT json_array(platform, channel, thread) FROM participants WHERE user_id = :user",
		Do: []string{"DELETE FROM participants WHERE user_id = :user AND (platform, channel, thread) = (CAST(:key AS TEXT) " +
			"->> 0, CAST(:key AS TEXT) ->> 1, CAST(:key AS TEXT) ->> 2)"}},
	// What was spent stays in the sums, without whom and where.
	{Keys: "SELECT DISTINCT json_array(day, platform, purpose, model) FROM usage WHERE user_id = :user", Do: []string{
		`INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost)
			SELECT day, platform, '', '', purpose, model, sum(calls), sum(failed), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost)
			FROM usage WHERE user_id = :user AND (day, platform, purpose, model) = (CAST(:key AS TEXT) ->> 0, CAST(:key AS TEXT) ->> 1, CAST(:key AS TEXT) ->> 2, CAST(:key AS TEXT) ->> 3) GROUP BY day, platform, purpose, model` + usage.Adds,
		"DELETE FROM usage WHERE user_id = :user AND (day, platform, purpose, model) = (CAST(:key AS TEXT) ->> 0, CAST(:key " +
			"AS TEXT) ->> 1, CAST(:key AS TEXT) ->> 2, CAST(:key AS TEXT) ->> 3)"}},
	{Table: "outbox", Where: "body <> '' AND json_extract(body, '$.to.ID') = :user",
		Do: []string{"UPDATE outbox SET body = '', state = 'dead' WHERE id = :key"}},
	{Table: "inbox", Where: "body <> '' AND state <> 'new' AND json_extract(body, '$.from.ID') = :user",
		Do: []string{"UPDATE inbox SET body = '', preview = '' WHERE id = :key"}},
	{Table: "dead_letters", Where: `iif(json_valid(CAST(raw AS TEXT)),
		EXISTS (SELECT 1 FROM json_tree(CAST(raw AS TEXT)) WHERE CAST(atom AS TEXT) IN (:user, substr(:user, instr(:user, ':') + 1))),
		instr(CAST(raw AS TEXT), substr(:user, instr(:user, ':') + 1)) > 0)`,
		Served: `iif(json_valid(text_of(raw)), EXISTS (SELECT 1 FROM json_atoms(text_of(raw)) WHERE atom IN (:user, substr(:user, instr(:user, ':') + 1))),
		instr(text_of(raw), substr(:user, instr(:user, ':') + 1)) > 0)`, Do: []string{"DELETE FROM dead_letters WHERE id = :key"}},
}

// ErrTraces: rows are deleted; the write-ahead log still holds their words.
var ErrTraces = engine.ErrLogInUse

// forgetRounds bounds how often the rows are searched: a turn that read their words
// earlier may end meanwhile.
const forgetRounds = 5

// ForgetPerson deletes a person everywhere: what they said and were told, and what was
// remembered for them. Then it clears their words from free pages, indexes and the log of
// the file. but is the inbox row that asked for it. What other people said stays, even
// about them, and so does whether they may talk to the bot. Deleted summaries are made
// again. It works in chunks beside everybody's messages and is noted before the first:
// FinishForgetting completes what was cut short. ErrTraces means that everything is done
// but emptying the log, which another program reads.
func (s *Store) ForgetPerson(ctx context.Context, user string, but int64) error {
	if user == "" {
		return errors.New("forget person: nobody is named")
	}
	s.forgetting.Lock()
	defer s.forgetting.Unlock()
	w := unfinishedWork{user: user, but: but}
	key, err := s.markKey(ctx)
	if err != nil {
		return during("forget person", err)
	}
	mark, err := markOf(key, user)
	if err != nil {
		return during("forget person", err)
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := s.noteForgotten(tx, mark); err != nil {
			return err
		}
		return tx.QueryRow("INSERT INTO bulk_work (kind, user_id, but, at) VALUES ('forget', ?, ?, ?) RETURNING id", user,
			but, Stamp(s.now())).Scan(&w.id)
	})
	if err != nil {
		return during("forget person", err)
	}
	_ = s.KeepForgotten(ctx) // what fails is tried again each minute, and told then
	if err = s.erase(ctx, w); err == nil {
		err = s.wipe(ctx, w)
	}
	return during("forget person", err)
}

// unfinishedWork is a forgetting that has begun.
type unfinishedWork struct {
	id   int64
	user string // "" once only the file has to be wiped
	but  int64
}

// FinishForgetting completes what an earlier process or a failure cut short. With shown it
// does only what people could otherwise see, so that startup need not wait for the rest.
// Nothing left is no error, and neither is a forgetting under way.
func (s *Store) FinishForgetting(ctx context.Context, shown bool) error {
	if !s.forgetting.TryLock() {
		return nil // under way
	}
	defer s.forgetting.Unlock()
	list, err := engine.Select(s.db, func(r engine.Scanner) (w unfinishedWork, err error) {
		err = r.Scan(&w.id, &w.user, &w.but)
		return w, err
	}, "SELECT id, user_id, but FROM bulk_work ORDER BY id")
	for _, w := range list {
		if err == nil && w.user != "" {
			err = s.erase(ctx, w)
		}
		if err == nil && !shown {
			err = s.wipe(ctx, w)
		}
	}
	return during("finish forgetting", err)
}

// erase deletes the rows. Each call starts over.
func (s *Store) erase(ctx context.Context, w unfinishedWork) error {
	if s.Forgetting != nil {
		over, err := s.Forgetting(ctx, w.user)
		if err != nil {
			return err
		}
		defer over()
	}
	args := engine.Named{"user": w.user, "but": w.but}
	if err := s.db.Write(ctx, func(tx *engine.Tx) error { return tx.ExecAll(args, erasedAtOnce...) }); err != nil {
		return err
	}
	for changed, round := int64(1), 0; changed > 0 && round < forgetRounds; round++ {
		changed = 0
		for _, sweep := range erased {
			n, err := sweep.Run(ctx, s.db, args)
			if changed += n; err != nil {
				return err
			}
		}
	}
	return s.db.Exec(ctx, "UPDATE bulk_work SET kind = 'wipe', user_id = '', but = 0 WHERE id = ?", w.id)
}

// wipe clears deleted rows from the file, and their vectors from memory.
func (s *Store) wipe(ctx context.Context, w unfinishedWork) error {
	s.letGo()
	if err := chunked.Wipe(ctx, s.db, indexes); err != nil {
		return err
	}
	return s.db.Exec(ctx, "DELETE FROM bulk_work WHERE id = ?", w.id)
}

// saidIndex is the full-text index of messages; indexes are all full-text indexes.
var (
	saidIndex = chunked.Index{Name: "messages_fts", Column: "words"}
	indexes   = []chunked.Index{saidIndex, {Name: "key_facts_fts", Column: "content"}, {Name: "session_texts_fts", Column: "content"}}
)
