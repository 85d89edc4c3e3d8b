-- Ids that are never given twice. What was kept under an id (a finished step, a
-- nonce, how far a summary reaches) outlives the row: after a prune or a
-- forgetting a new row must not be taken for the old one.

CREATE TABLE inbox_new (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    message_id TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'dead')),
    attempt    INTEGER NOT NULL DEFAULT 0,
    body       TEXT NOT NULL,             -- the message as JSON; emptied when done
    preview    TEXT NOT NULL DEFAULT '',  -- platform id of an unfinished answer
    at         TEXT NOT NULL,
    uid        TEXT NOT NULL              -- random; what the message did is known by it
);
-- A turn that was cut short knows its finished steps by the old name.
INSERT INTO inbox_new SELECT id, platform, channel, thread, message_id, state, attempt, body, preview, at,
    iif(id IN (SELECT inbox_id FROM steps), CAST(id AS TEXT), lower(hex(randomblob(16)))) FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_new RENAME TO inbox;
CREATE UNIQUE INDEX inbox_once ON inbox (platform, channel, thread, message_id);
CREATE INDEX inbox_open ON inbox (id) WHERE state = 'new';

CREATE TABLE outbox_new (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    inbox_id    INTEGER NOT NULL DEFAULT 0, -- 0: nobody asked (a reminder)
    part        INTEGER NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('answer', 'notice')),
    platform    TEXT NOT NULL,
    channel     TEXT NOT NULL,
    thread      TEXT NOT NULL DEFAULT '',
    body        TEXT NOT NULL,              -- the part as JSON; emptied when sent
    nonce       TEXT NOT NULL,
    preview     TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL DEFAULT 'ready'
                CHECK (state IN ('ready', 'started', 'sent', 'unknown', 'dead')),
    platform_id TEXT NOT NULL DEFAULT '',
    attempts    INTEGER NOT NULL DEFAULT 0,
    not_before  TEXT NOT NULL DEFAULT '',
    unknown     INTEGER NOT NULL DEFAULT 0, -- attempts that may have arrived
    at          TEXT NOT NULL
);
INSERT INTO outbox_new SELECT id, inbox_id, part, kind, platform, channel, thread, body, nonce, preview, state, platform_id,
    attempts, not_before, unknown, at FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_new RENAME TO outbox;
CREATE UNIQUE INDEX outbox_once ON outbox (nonce) WHERE kind = 'notice';
CREATE INDEX outbox_open ON outbox (platform, channel, thread, id) WHERE state IN ('ready', 'started');

CREATE TABLE messages_new (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    platform     TEXT NOT NULL,
    channel      TEXT NOT NULL,
    thread       TEXT NOT NULL DEFAULT '',
    message_id   TEXT NOT NULL DEFAULT '', -- the platform's, '' for the bot's and tools' own
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    user_id      TEXT NOT NULL DEFAULT '', -- author; for the bot's words whom they answer
    name         TEXT NOT NULL DEFAULT '', -- display name, or the tool's name
    content      TEXT NOT NULL,
    tool_calls   TEXT NOT NULL DEFAULT '', -- JSON
    tool_call_id TEXT NOT NULL DEFAULT '',
    tokens       INTEGER NOT NULL DEFAULT 1,
    key_insight  TEXT NOT NULL DEFAULT '',
    at           TEXT NOT NULL,
    CHECK (role <> 'tool' OR (tool_call_id <> '' AND name <> '')),
    CHECK (content <> '' OR tool_calls <> '')
);
INSERT INTO messages_new SELECT id, session_id, platform, channel, thread, message_id, role, user_id, name, content, tool_calls,
    tool_call_id, tokens, key_insight, at FROM messages ORDER BY id;
DROP TABLE messages; -- its triggers go with it; the full-text index stays
ALTER TABLE messages_new RENAME TO messages;
CREATE INDEX messages_session ON messages (session_id, id);
CREATE INDEX messages_place ON messages (platform, channel, thread, id);
CREATE INDEX messages_user ON messages (user_id, id);
CREATE INDEX messages_platform_id ON messages (platform, channel, thread, message_id) WHERE message_id <> '';

CREATE TRIGGER messages_participant AFTER INSERT ON messages WHEN new.role = 'user'
BEGIN
    INSERT OR IGNORE INTO participants VALUES (new.user_id, new.platform, new.channel, new.thread);
END;
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;
-- A row's role never changes.
CREATE TRIGGER messages_fts_update AFTER UPDATE OF id, content ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO messages_fts (rowid, content) VALUES (new.id, new.content);
END;

-- Above every id that is still named somewhere, though its row may be gone.
DELETE FROM sqlite_sequence WHERE name IN ('inbox', 'outbox', 'messages', 'inbox_new', 'outbox_new', 'messages_new');
INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox', max(
    (SELECT coalesce(max(id), 0) FROM inbox), (SELECT coalesce(max(inbox_id), 0) FROM outbox), (SELECT coalesce(max(inbox_id), 0) FROM decisions),
    (SELECT coalesce(max(inbox_id), 0) FROM tool_calls), (SELECT coalesce(max(inbox_id), 0) FROM steps));
INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', coalesce(max(id), 0) FROM outbox;
INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', max(
    (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(summarized_at), 0) FROM sessions));

-- Counted up when something in a session is forgotten: whoever read it before
-- that may not write it back.
ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
-- A forgetting wiped the summary and not how far it reached: what was said
-- since then under ids used again was not shown to the model.
UPDATE sessions SET summarized_at = 0 WHERE summary = '' AND summarized_at > 0;

-- Makes the nonces of this database its own; a restored one gets another.
INSERT INTO secrets (name, value) VALUES ('nonce', randomblob(16));

-- Events that could not be understood or stored, as they came.
CREATE TABLE dead_letters (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL DEFAULT '', -- the platform's own name for it; '' when it has none
    raw      BLOB NOT NULL,
    reason   TEXT NOT NULL,
    state    TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'retry')),
    tries    INTEGER NOT NULL DEFAULT 0, -- since it was put aside
    at       TEXT NOT NULL
);
CREATE UNIQUE INDEX dead_letters_once ON dead_letters (platform, event_id) WHERE event_id <> '';

-- What was heard in a place on a day, and neither answered nor meant for us.
CREATE TABLE overheard (
    day      TEXT NOT NULL, -- UTC, 2026-03-02
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '',
    n        INTEGER NOT NULL,
    PRIMARY KEY (day, platform, channel, thread)
) WITHOUT ROWID;
