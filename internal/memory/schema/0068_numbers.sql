-- People's numbers are their own: facts, tasks, reminders and lines of a journal count from
-- 1 in the book they stand in, a person's or a place's. Ids stay the keys of rows.
CREATE TABLE numbers (
    kind TEXT NOT NULL,    -- a scope of facts (person, channel, guild), or the name of a table
    book TEXT NOT NULL,    -- whose: a person, a channel or a server
    last INTEGER NOT NULL, -- number given out; none is given out twice while the book is there
    PRIMARY KEY (kind, book)
) WITHOUT ROWID;
-- What has been shown keeps the number under which people noted it.
ALTER TABLE key_facts ADD COLUMN number INTEGER NOT NULL DEFAULT 0; -- 0 only while the row is written
ALTER TABLE tasks ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log_entries ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
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
CREATE TRIGGER key_facts_number AFTER INSERT ON key_facts WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES (new.scope, new.subject,
            1 + coalesce((SELECT max(number) FROM key_facts WHERE subject = new.subject AND scope = new.scope AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE key_facts SET number = (SELECT last FROM numbers WHERE kind = new.scope AND book = new.subject) WHERE id = new.id;
END;
CREATE TRIGGER tasks_number AFTER INSERT ON tasks WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('tasks', new.user_id,
            1 + coalesce((SELECT max(number) FROM tasks WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE tasks SET number = (SELECT last FROM numbers WHERE kind = 'tasks' AND book = new.user_id) WHERE id = new.id;
END;
CREATE TRIGGER reminders_number AFTER INSERT ON reminders WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('reminders', new.user_id,
            1 + coalesce((SELECT max(number) FROM reminders WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE reminders SET number = (SELECT last FROM numbers WHERE kind = 'reminders' AND book = new.user_id) WHERE id = new.id;
END;
CREATE TRIGGER log_entries_number AFTER INSERT ON log_entries WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('log_entries', new.user_id,
            1 + coalesce((SELECT max(number) FROM log_entries WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE log_entries SET number = (SELECT last FROM numbers WHERE kind = 'log_entries' AND book = new.user_id) WHERE id = new.id;
END;
