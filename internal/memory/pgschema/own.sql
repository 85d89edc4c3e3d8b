-- What of the schema has to be said in PostgreSQL's own words: triggers. Each comes
-- after the names of those for SQLite whose work it does. Words are put into the
-- indexes by the program, before it commits: the triggers note of which rows. Functions
-- are in plpgsql, which plans a statement once for a connection, and not each time.

-- What nonces are made with.
INSERT INTO secrets (name, value) VALUES ('nonce', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- As in a file, but for the texts of facts: no row of an index is longer than a third of a
-- page.
DROP INDEX key_facts_subject;
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at, id, platform, channel) WHERE valid_to = '';

CREATE FUNCTION words_due(kind text, id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('parley.due', coalesce(current_setting('parley.due', true), '') || kind || id || ' ', true);
END $$;

-- for: messages_place_insert messages_place_update
CREATE FUNCTION messages_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM places WHERE platform = new.platform AND channel = new.channel AND thread = new.thread) THEN
        INSERT INTO places (platform, channel, thread) VALUES (new.platform, new.channel, new.thread) ON CONFLICT DO NOTHING;
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER messages_place BEFORE INSERT OR UPDATE OF platform, channel, thread ON messages FOR EACH ROW EXECUTE FUNCTION messages_place();

-- for: messages_participant messages_fts_insert
CREATE FUNCTION messages_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.role = 'user' THEN
        INSERT INTO participants (user_id, platform, channel, thread, last_id) VALUES (new.user_id, new.platform, new.channel, new.thread, new.id)
            ON CONFLICT (user_id, platform, channel, thread) DO UPDATE SET last_id = excluded.last_id;
    END IF;
    IF new.role <> 'tool' THEN
        PERFORM words_due('m', new.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER messages_inserted AFTER INSERT ON messages FOR EACH ROW EXECUTE FUNCTION messages_inserted();

-- for: messages_fts_delete message_vectors_delete
CREATE FUNCTION messages_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM messages_fts WHERE rowid >= old.id << 20 AND rowid < (old.id + 1) << 20;
    DELETE FROM message_vectors WHERE message_id = old.id;
    DELETE FROM message_sketches WHERE message_id = old.id;
    RETURN NULL;
END $$;
CREATE TRIGGER messages_deleted AFTER DELETE ON messages FOR EACH ROW EXECUTE FUNCTION messages_deleted();

-- for: messages_fts_update message_vectors_update
CREATE FUNCTION messages_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM messages_fts WHERE rowid >= old.id << 20 AND rowid < (old.id + 1) << 20;
    IF new.role <> 'tool' THEN
        PERFORM words_due('m', new.id);
    END IF;
    IF old.content <> new.content OR old.platform <> new.platform OR old.channel <> new.channel OR old.thread <> new.thread THEN
        UPDATE message_vectors SET embedder = 0, vector = '' WHERE message_id = new.id;
        DELETE FROM message_sketches WHERE message_id = new.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER messages_changed AFTER UPDATE OF id, content, platform, channel, thread ON messages FOR EACH ROW EXECUTE FUNCTION messages_changed();

-- for: key_facts_fts_insert key_facts_fts_delete key_facts_fts_update fact_vectors_insert fact_vectors_update
CREATE FUNCTION key_facts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM key_facts_fts WHERE rowid = old.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM words_due('f', new.id);
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO fact_vectors (fact_id) VALUES (new.id);
    ELSIF TG_OP = 'UPDATE' AND new.content <> old.content THEN
        UPDATE fact_vectors SET model = '', vector = '' WHERE fact_id = new.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER key_facts_changed AFTER INSERT OR DELETE OR UPDATE OF owner, content, tags ON key_facts FOR EACH ROW EXECUTE FUNCTION key_facts_changed();

-- for: session_texts_insert session_texts_delete
CREATE FUNCTION session_texts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM words_due('s', new.id);
    ELSE
        DELETE FROM session_texts_fts WHERE rowid = old.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER session_texts_changed AFTER INSERT OR DELETE ON session_texts FOR EACH ROW EXECUTE FUNCTION session_texts_changed();

-- for: sessions_text sessions_text_delete decided_text_insert decided_text_update decided_text_delete
CREATE OR REPLACE FUNCTION session_text(session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM session_texts WHERE session_id = session;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || chr(10) || s.closing || chr(10) || coalesce((SELECT string_agg(d.content, chr(10) ORDER BY d.id) FROM decided d WHERE d.session_id = s.id), '')
        FROM sessions s WHERE s.id = session AND (s.title <> '' OR s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id AND d.content <> ''));
END $$;
CREATE OR REPLACE FUNCTION sessions_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM session_text(new.id);
    ELSE
        DELETE FROM decided WHERE session_id = old.id;
        DELETE FROM session_texts WHERE session_id = old.id;
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION decided_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM session_text(old.session_id);
    ELSE
        PERFORM session_text(new.session_id);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER sessions_text AFTER UPDATE OF title, closing ON sessions FOR EACH ROW
    WHEN (old.title <> new.title OR old.closing <> new.closing) EXECUTE FUNCTION sessions_text();
CREATE OR REPLACE TRIGGER sessions_text_delete AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION sessions_text();
DO $$
BEGIN
    IF to_regclass('decided') IS NOT NULL THEN -- a step makes it
        CREATE OR REPLACE TRIGGER decided_text AFTER INSERT OR DELETE OR UPDATE OF content ON decided FOR EACH ROW EXECUTE FUNCTION decided_text();
    END IF;
END $$;

-- for: spent_insert spent_update spent_delete
CREATE FUNCTION spent_adds(u usage, sign bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spent SELECT * FROM (SELECT 'user', u.user_id, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.user_id <> ''
        UNION ALL SELECT 'channel', u.platform || ' ' || u.channel, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.channel <> '') a
        ON CONFLICT (kind, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens, cost = spent.cost + excluded.cost;
END $$;
CREATE FUNCTION usage_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM spent_adds(old, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM spent_adds(new, 1);
    ELSE
        DELETE FROM spent WHERE day = old.day AND tokens <= 0 AND cost < 1e-9
            AND (kind, name) IN (VALUES ('user', old.user_id), ('channel', old.platform || ' ' || old.channel));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER usage_changed AFTER INSERT OR DELETE OR UPDATE OF prompt_tokens, completion_tokens, cost ON usage FOR EACH ROW EXECUTE FUNCTION usage_changed();

-- for: key_facts_number tasks_number reminders_number log_entries_number fact_changes_number
CREATE OR REPLACE FUNCTION row_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    what text := TG_TABLE_NAME;
    whose text;
BEGIN
    IF new.number <> 0 THEN
        RETURN new;
    END IF;
    IF what = 'key_facts' THEN
        what := new.scope;
        whose := new.subject;
    ELSE
        whose := new.user_id;
    END IF;
    UPDATE numbers SET last = last + 1 WHERE kind = what AND book = whose RETURNING last INTO new.number;
    IF new.number IS NULL THEN
        IF TG_TABLE_NAME = 'key_facts' THEN
            SELECT coalesce(max(number), 0) INTO new.number FROM key_facts WHERE subject = whose AND scope = what AND number > 0;
        ELSE
            EXECUTE format('SELECT coalesce(max(number), 0) FROM %I WHERE user_id = $1 AND number > 0', what) INTO new.number USING whose;
        END IF;
        INSERT INTO numbers (kind, book, last) VALUES (what, whose, 1 + new.number)
            ON CONFLICT (kind, book) DO UPDATE SET last = numbers.last + 1 RETURNING last INTO new.number;
    END IF;
    RETURN new;
END $$;
CREATE OR REPLACE TRIGGER key_facts_number BEFORE INSERT ON key_facts FOR EACH ROW EXECUTE FUNCTION row_numbered();
CREATE OR REPLACE TRIGGER tasks_number BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION row_numbered();
CREATE OR REPLACE TRIGGER reminders_number BEFORE INSERT ON reminders FOR EACH ROW EXECUTE FUNCTION row_numbered();
CREATE OR REPLACE TRIGGER log_entries_number BEFORE INSERT ON log_entries FOR EACH ROW EXECUTE FUNCTION row_numbered();
CREATE OR REPLACE TRIGGER fact_changes_number BEFORE INSERT ON fact_changes FOR EACH ROW EXECUTE FUNCTION row_numbered();

-- Lists of the index that processes keep in memory are right while this table stays as it is. A
-- transaction that deletes a message, or has one indexed anew, adds a row: nobody waits for another
-- one's end. The mark, any number, tells two of them apart once older ones are taken away.
CREATE TABLE IF NOT EXISTS parley_index_changes (
    id   bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    mark bigint NOT NULL DEFAULT trunc(random() * 1e15)
);
CREATE OR REPLACE FUNCTION index_changed() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('parley.index_changed', true), '') = '' THEN
        PERFORM set_config('parley.index_changed', '1', true);
        INSERT INTO parley_index_changes DEFAULT VALUES;
    END IF;
END $$;
CREATE OR REPLACE FUNCTION index_changes_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM index_changed();
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER index_changes_message AFTER DELETE OR UPDATE OF id, content, platform, channel, thread ON messages
    FOR EACH ROW EXECUTE FUNCTION index_changes_message();

-- Words may come long after their message: of a large import, or of a process that ended. Only
-- those of the last messages are looked for (pgschema/hits.go).
CREATE OR REPLACE FUNCTION index_changes_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT min(rowid) FROM came) >> 20 < pg_sequence_last_value(pg_get_serial_sequence('messages', 'id')::regclass) - 500 THEN
        PERFORM index_changed();
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER index_changes_late AFTER INSERT ON messages_fts REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION index_changes_late();
