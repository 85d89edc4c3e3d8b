-- What is remembered about people and places: rows with an owner, a scope, a
-- source and a history. Deleting one leaves no trace: the indexes are cleared
-- with secure-delete, and the writer overwrites what it frees.

CREATE TABLE key_facts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- shown to people, so never used twice
    scope         TEXT NOT NULL CHECK (scope IN ('person', 'channel', 'guild')),
    subject       TEXT NOT NULL,             -- whom or what it is about: telegram:42, telegram:-100, discord:guild:99
    owner         TEXT NOT NULL,             -- subject as one word of the index
    platform      TEXT NOT NULL,             -- where it was said
    channel       TEXT NOT NULL,
    content       TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
    tags          TEXT NOT NULL DEFAULT '',  -- '#important #work'
    important     INTEGER NOT NULL DEFAULT 0,
    type          TEXT NOT NULL CHECK (type IN ('fact', 'preference', 'decision', 'insight')),
    author        TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system')),
    session_id    TEXT NOT NULL DEFAULT '',
    message_id    TEXT NOT NULL DEFAULT '',
    quote         TEXT NOT NULL DEFAULT '',
    confidence    REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    valid_from    TEXT NOT NULL,
    valid_to      TEXT NOT NULL DEFAULT '',  -- '' holds; else replaced then
    superseded_by INTEGER NOT NULL DEFAULT 0,
    previous      TEXT NOT NULL DEFAULT '',  -- what it said before the last correction
    uses          INTEGER NOT NULL DEFAULT 0,
    call_key      TEXT NOT NULL DEFAULT '',  -- of the tool call that wrote it
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
);
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at) WHERE valid_to = '';
CREATE INDEX key_facts_important ON key_facts (subject, scope, updated_at) WHERE valid_to = '' AND important;
CREATE UNIQUE INDEX key_facts_call ON key_facts (call_key) WHERE call_key <> '';

CREATE VIRTUAL TABLE key_facts_fts USING fts5 (owner, content, tags, content = 'key_facts', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO key_facts_fts (key_facts_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER key_facts_fts_insert AFTER INSERT ON key_facts BEGIN
    INSERT INTO key_facts_fts (rowid, owner, content, tags) VALUES (new.id, new.owner, new.content, new.tags);
END;
CREATE TRIGGER key_facts_fts_delete AFTER DELETE ON key_facts BEGIN
    INSERT INTO key_facts_fts (key_facts_fts, rowid, owner, content, tags) VALUES ('delete', old.id, old.owner, old.content, old.tags);
END;
CREATE TRIGGER key_facts_fts_update AFTER UPDATE OF owner, content, tags ON key_facts BEGIN
    INSERT INTO key_facts_fts (key_facts_fts, rowid, owner, content, tags) VALUES ('delete', old.id, old.owner, old.content, old.tags);
    INSERT INTO key_facts_fts (rowid, owner, content, tags) VALUES (new.id, new.owner, new.content, new.tags);
END;

-- What a fact said before each correction.
CREATE TABLE fact_history (
    id         INTEGER PRIMARY KEY,
    fact_id    INTEGER NOT NULL REFERENCES key_facts (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    tags       TEXT NOT NULL,
    author     TEXT NOT NULL,
    session_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    since      TEXT NOT NULL, -- when it began to say this
    until      TEXT NOT NULL
);
CREATE INDEX fact_history_fact ON fact_history (fact_id, id);

CREATE TABLE tasks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL,
    platform    TEXT NOT NULL,
    channel     TEXT NOT NULL,
    description TEXT NOT NULL CHECK (length(description) BETWEEN 1 AND 1000),
    done        INTEGER NOT NULL DEFAULT 0,
    call_key    TEXT NOT NULL DEFAULT '',
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    done_at     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tasks_user ON tasks (user_id, done, id);
CREATE UNIQUE INDEX tasks_call ON tasks (call_key) WHERE call_key <> '';

CREATE TABLE reminders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    text       TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 1000),
    due_at     TEXT NOT NULL,
    schedule   TEXT NOT NULL DEFAULT '',  -- cron expression; '' is once
    zone       TEXT NOT NULL DEFAULT 'UTC', -- the schedule's
    state      TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'told', 'done')),
    told_at    TEXT NOT NULL DEFAULT '',
    call_key   TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
);
CREATE INDEX reminders_due ON reminders (due_at) WHERE state = 'waiting';
CREATE INDEX reminders_user ON reminders (user_id, state, due_at);
CREATE UNIQUE INDEX reminders_call ON reminders (call_key) WHERE call_key <> '';

CREATE TABLE log_entries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    author     TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system')),
    type       TEXT NOT NULL CHECK (type IN ('thought', 'decision', 'research', 'insight')),
    content    TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
    call_key   TEXT NOT NULL DEFAULT '',
    at         TEXT NOT NULL
);
CREATE INDEX log_entries_user ON log_entries (user_id, at);
CREATE UNIQUE INDEX log_entries_call ON log_entries (call_key) WHERE call_key <> '';

-- Words said before this are not learned from: something was forgotten then.
ALTER TABLE people ADD COLUMN learn_after TEXT NOT NULL DEFAULT '';
