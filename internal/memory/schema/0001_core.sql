-- The journal: what came in, what goes out. Times are RFC 3339 UTC with
-- milliseconds, so that they sort as text; ids are the order of arrival.

CREATE TABLE inbox (
    id         INTEGER PRIMARY KEY,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    message_id TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'dead')),
    attempt    INTEGER NOT NULL DEFAULT 0,
    body       TEXT NOT NULL,             -- the message as JSON; emptied when done
    preview    TEXT NOT NULL DEFAULT '',  -- platform id of an unfinished answer
    at         TEXT NOT NULL
);
CREATE UNIQUE INDEX inbox_once ON inbox (platform, channel, thread, message_id);
CREATE INDEX inbox_open ON inbox (id) WHERE state = 'new';

CREATE TABLE outbox (
    id          INTEGER PRIMARY KEY,
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
CREATE UNIQUE INDEX outbox_once ON outbox (nonce);
CREATE INDEX outbox_open ON outbox (platform, channel, thread, id) WHERE state IN ('ready', 'started');
CREATE INDEX outbox_sent ON outbox (platform, channel, platform_id) WHERE platform_id <> '';

CREATE TABLE cursors (
    platform TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (platform, name)
) WITHOUT ROWID;

-- Conversations. A session is one sitting; at most one per place is alive.
CREATE TABLE sessions (
    id                TEXT PRIMARY KEY,
    platform          TEXT NOT NULL,
    channel           TEXT NOT NULL,
    thread            TEXT NOT NULL DEFAULT '',
    user_id           TEXT NOT NULL DEFAULT '', -- only with session.scope user
    status            TEXT NOT NULL DEFAULT 'active'
                      CHECK (status IN ('active', 'idle', 'suspended', 'completed', 'expired', 'archived')),
    direct            INTEGER NOT NULL DEFAULT 0,
    created_at        TEXT NOT NULL,
    last_activity     TEXT NOT NULL,
    expires_at        TEXT NOT NULL,
    ended_at          TEXT NOT NULL DEFAULT '',
    last_model        TEXT NOT NULL DEFAULT '',
    tokens_used       INTEGER NOT NULL DEFAULT 0,  -- size of what would be sent now
    summary           TEXT NOT NULL DEFAULT '',    -- rolling, of what left the window
    closing           TEXT NOT NULL DEFAULT '',    -- of the whole, once it is over
    summarized_at     INTEGER NOT NULL DEFAULT 0,  -- last message id inside the summary
    compression_count INTEGER NOT NULL DEFAULT 0,
    carried_from      TEXT NOT NULL DEFAULT '',    -- the session before, whose closing is shown
    carry             INTEGER NOT NULL DEFAULT 1,  -- 0: the next session starts without it
    title             TEXT NOT NULL DEFAULT '',
    decisions         TEXT NOT NULL DEFAULT '[]',  -- JSON list of strings
    mentions          TEXT NOT NULL DEFAULT '{}',  -- JSON: files, urls, symbols, people, refs
    playbook          TEXT NOT NULL DEFAULT '',    -- opaque to all but the playbook
    summary_tries     INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX sessions_live ON sessions (platform, channel, thread, user_id)
    WHERE status IN ('active', 'idle', 'suspended');
-- By status only: a column that every turn changes would cost every turn.
CREATE INDEX sessions_due ON sessions (status) WHERE status <> 'archived';
CREATE INDEX sessions_place ON sessions (platform, channel, thread, user_id, created_at);

CREATE TABLE messages (
    id           INTEGER PRIMARY KEY,
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
CREATE INDEX messages_session ON messages (session_id, id);
CREATE INDEX messages_place ON messages (platform, channel, thread, id);
CREATE INDEX messages_user ON messages (user_id, id);

-- Who has spoken where: the ground for what may be recalled for whom.
CREATE TABLE participants (
    user_id  TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, platform, channel, thread)
) WITHOUT ROWID;

CREATE TRIGGER messages_participant AFTER INSERT ON messages WHEN new.role = 'user'
BEGIN
    INSERT OR IGNORE INTO participants VALUES (new.user_id, new.platform, new.channel, new.thread);
END;

-- What was decided about each message, and what was done for it.
CREATE TABLE decisions (
    id         TEXT PRIMARY KEY,
    inbox_id   INTEGER NOT NULL,
    session_id TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    user_id    TEXT NOT NULL,
    category   TEXT NOT NULL,
    model      TEXT NOT NULL DEFAULT '',
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    total_tokens      INTEGER NOT NULL DEFAULT 0,
    model_calls       INTEGER NOT NULL DEFAULT 0,
    duration_ms       INTEGER NOT NULL DEFAULT 0,
    detail     TEXT NOT NULL DEFAULT '{}', -- JSON: rules, facts, sources, error id
    at         TEXT NOT NULL
);
CREATE INDEX decisions_place ON decisions (platform, channel, thread, at);
CREATE INDEX decisions_user ON decisions (user_id, at);
CREATE INDEX decisions_at ON decisions (at);

CREATE TABLE tool_calls (
    id          INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL,
    inbox_id    INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    result      TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL CHECK (status IN ('pending', 'running', 'retrying', 'success', 'failed', 'timeout', 'error')),
    retries     INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    at          TEXT NOT NULL
);
CREATE INDEX tool_calls_decision ON tool_calls (decision_id, sequence);

-- Finished steps of a turn that is not finished, so that a crash repeats
-- neither a paid model call nor a side effect.
CREATE TABLE steps (
    inbox_id INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('model', 'tool')),
    key      TEXT NOT NULL,           -- the model call's number, or the tool call's id
    state    TEXT NOT NULL CHECK (state IN ('started', 'done')),
    result   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (inbox_id, n)
) WITHOUT ROWID;

-- What is kept about a person besides facts.
CREATE TABLE people (
    user_id   TEXT PRIMARY KEY,
    time_zone TEXT NOT NULL DEFAULT '',  -- IANA name; '' is unknown
    playbook  TEXT NOT NULL DEFAULT ''   -- opaque to all but the playbook
) WITHOUT ROWID;

-- Settings that are changed from the chat.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
