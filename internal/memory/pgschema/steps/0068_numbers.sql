-- As the step for a file, but for the triggers: here a row has its number before it is written.
CREATE TABLE numbers (
    kind TEXT NOT NULL,
    book TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (kind, book)
);
ALTER TABLE key_facts ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE log_entries ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
UPDATE key_facts SET number = id;
UPDATE tasks SET number = id;
UPDATE reminders SET number = id;
UPDATE log_entries SET number = id;
CREATE UNIQUE INDEX key_facts_number ON key_facts (subject, scope, number) WHERE number > 0;
CREATE UNIQUE INDEX tasks_number ON tasks (user_id, number) WHERE number > 0;
CREATE UNIQUE INDEX reminders_number ON reminders (user_id, number) WHERE number > 0;
CREATE UNIQUE INDEX log_entries_number ON log_entries (user_id, number) WHERE number > 0;
INSERT INTO numbers (kind, book, last) SELECT scope, subject, max(number) FROM key_facts GROUP BY scope, subject;
INSERT INTO numbers (kind, book, last) SELECT 'tasks', user_id, max(number) FROM tasks GROUP BY user_id;
INSERT INTO numbers (kind, book, last) SELECT 'reminders', user_id, max(number) FROM reminders GROUP BY user_id;
INSERT INTO numbers (kind, book, last) SELECT 'log_entries', user_id, max(number) FROM log_entries GROUP BY user_id;
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
