package memory

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/provenance"
	"parley/internal/sqlite"
)

// ofPerson says that a row was made of the words of a person, :user, or may have
// been: its own column, people, tells.
const ofPerson = "(people <> '' AND EXISTS (SELECT 1 FROM json_each(people) WHERE value IN (:user, '" + provenance.Anybody + "')))"

// saidBy says that a line of a page, as JSON, was made of :user's words, or may have been.
const saidBy = "EXISTS (SELECT 1 FROM json_each(value, '$.people') WHERE value IN (:user, '" + provenance.Anybody + "'))"

// Sessions are wiped of what was made of somebody's words, and what is left of
// them is summed up again: live ones when they are folded next, ended ones as
// soon as they are looked at.
const (
	wiped = `summary = '', closing = '', title = '', decisions = '[]', mentions = '{}', page = '[]', debt = '', owed_at = '', folded_tokens = 0, via = 0, people = '', summarized_at = 0, summary_tries = 0,
		generation = generation + 1, status = iif(status = 'archived' AND ended_at <> '', 'completed', status)`
	spokenIn = `(EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id AND m.user_id = :user)
		OR EXISTS (SELECT 1 FROM participants p WHERE p.user_id = :user AND p.platform = sessions.platform AND p.channel = sessions.channel AND p.thread = sessions.thread))`
)

// erased is what forgetting a person deletes or empties, in this order; :user
// is the person. holdings lists the columns it clears.
// Conversations with them alone go whole; of those with others their words and
// the answers to them go, and all that was made of their words: answers to
// others, results of tools, summaries. What others said stays.
var erased = []string{
	"DELETE FROM key_facts WHERE scope = 'person' AND subject = :user OR " + ofPerson,
	"DELETE FROM key_facts WHERE message_id <> '' AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = :user AND m.message_id = key_facts.message_id AND m.platform = key_facts.platform AND m.channel = key_facts.channel)",
	"DELETE FROM tasks WHERE user_id = :user OR " + ofPerson,
	"DELETE FROM reminders WHERE user_id = :user OR " + ofPerson,
	"DELETE FROM log_entries WHERE user_id = :user OR " + ofPerson,
	"UPDATE outbox SET body = '', state = 'dead' WHERE state IN ('ready', 'started') AND inbox_id IN (SELECT inbox_id FROM decisions WHERE inbox_id <> 0 AND " + ofPerson + ")",
	"DELETE FROM tool_calls WHERE decision_id IN (SELECT id FROM decisions WHERE user_id = :user)",
	"UPDATE tool_calls SET arguments = '{}', result = '' WHERE decision_id IN (SELECT id FROM decisions WHERE " + ofPerson + ")",
	"DELETE FROM guard_calls WHERE user_id = :user OR " + ofPerson,
	"DELETE FROM decisions WHERE user_id = :user",
	"UPDATE decisions SET detail = '{}', people = '' WHERE " + ofPerson,
	"DELETE FROM steps WHERE inbox_id IN (SELECT id FROM inbox WHERE json_extract(iif(body = '', '{}', body), '$.from.ID') = :user)",
	"UPDATE steps SET result = '', people = '' WHERE " + ofPerson, // a model is asked again, a tool is not run again
	"UPDATE sessions SET playbook = '', " + wiped + " WHERE " + spokenIn,
	"UPDATE sessions SET " + wiped + " WHERE " + ofPerson,
	// Of others' sessions that carry them on, their lines.
	"UPDATE sessions SET generation = generation + 1, page = (SELECT json_group_array(json(value)) FROM json_each(page) WHERE NOT " + saidBy + ") WHERE EXISTS (SELECT 1 FROM json_each(page) WHERE " + saidBy + ")",
	// A call and its results go together: a model refuses one without the other.
	`DELETE FROM messages WHERE id IN (WITH rows AS (
			SELECT id, role, session_id, people, sum(role = 'user') OVER (PARTITION BY session_id ORDER BY id) AS exchange
			FROM messages WHERE session_id IN (SELECT session_id FROM messages WHERE role <> 'user' AND ` + ofPerson + `))
		SELECT id FROM rows WHERE role <> 'user' AND (session_id, exchange) IN (SELECT session_id, exchange FROM rows WHERE role <> 'user' AND ` + ofPerson + `))`,
	"DELETE FROM messages WHERE user_id = :user",
	"DELETE FROM sessions WHERE (direct OR user_id = :user) AND id NOT IN (SELECT session_id FROM messages) AND EXISTS (SELECT 1 FROM participants p WHERE p.user_id = :user AND p.platform = sessions.platform AND p.channel = sessions.channel)",
	"DELETE FROM fact_changes WHERE user_id = :user", "DELETE FROM participants WHERE user_id = :user",
	"DELETE FROM questions", // a question to somebody else may repeat them; it lives for minutes
	"DELETE FROM codes WHERE user_id = :user",
	"DELETE FROM attempts WHERE user_id = :user",
	"DELETE FROM people WHERE user_id = :user",
	"DELETE FROM membership WHERE user_id = :user",
	"DELETE FROM note_authors WHERE user_id = :user",
	"DELETE FROM allowances WHERE by_id = :user",
	// What was spent stays in the sums, without whom and where.
	`INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost)
		SELECT day, platform, '', '', purpose, model, sum(calls), sum(failed), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost)
		FROM usage WHERE user_id = :user GROUP BY day, platform, purpose, model` + addUsage,
	"DELETE FROM usage WHERE user_id = :user",
	"UPDATE outbox SET body = '', state = 'dead' WHERE json_extract(iif(body = '', '{}', body), '$.to.ID') = :user",
	// Others' messages that are not answered yet may quote them.
	"UPDATE inbox SET body = json_remove(body, '$.quote') WHERE state = 'new' AND json_extract(body, '$.relayed')",
	`DELETE FROM dead_letters WHERE iif(json_valid(CAST(raw AS TEXT)),
		EXISTS (SELECT 1 FROM json_tree(CAST(raw AS TEXT)) WHERE CAST(atom AS TEXT) IN (:user, substr(:user, instr(:user, ':') + 1))),
		instr(CAST(raw AS TEXT), substr(:user, instr(:user, ':') + 1)) > 0)`,
}

// erasedInbox drops what else the person asked and has no answer yet.
const erasedInbox = "UPDATE inbox SET body = '', preview = '', state = 'dead' WHERE state = 'new' AND id <> :except AND json_extract(body, '$.from.ID') = :user"

// ForgetPerson deletes a person everywhere: what they said and were told, and
// all that was remembered for them; then it rewrites the file, so that their
// words are in no free page, index or log of it. except is the inbox row that
// asked for it. What other people said, about them too, stays, and so does
// whether they may talk to the bot. The summaries that went are owed. Other writes wait until it is done.
func (s *Store) ForgetPerson(ctx context.Context, user string, except int64) error {
	if user == "" {
		return errors.New("forget person: nobody is named")
	}
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, q := range erased {
			if _, err := tx.Exec(q, sqlite.Named{"user": user}); err != nil {
				return fmt.Errorf("%.40s: %w", q, err)
			}
		}
		if _, err := tx.Exec(dropPassing); err != nil {
			return err
		}
		_, err := tx.Exec(erasedInbox, sqlite.Named{"user": user, "except": except})
		return err
	})
	if err != nil {
		return during("forget person", err)
	}
	return during("forget person", s.db.Scrub(ctx, "messages_fts", "key_facts_fts", "session_texts_fts"))
}
