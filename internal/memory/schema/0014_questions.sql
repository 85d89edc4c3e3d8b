-- What waits for a person's yes, and what became of it: a button that is
-- pressed again is told.
CREATE TABLE questions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL, -- who was asked
    name       TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    inbox_id   INTEGER NOT NULL DEFAULT 0, -- the message that led to it
    behind     TEXT NOT NULL DEFAULT '[]', -- others whose calls wait with it, as JSON
    text       TEXT NOT NULL DEFAULT '',   -- what was asked
    body       BLOB NOT NULL,              -- what a yes does, as JSON
    asked_at   TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'taken', 'settled', 'expired', 'replaced')),
    taken_by   INTEGER NOT NULL DEFAULT 0, -- inbox row of the answer
    by_id      TEXT NOT NULL DEFAULT '',
    by_name    TEXT NOT NULL DEFAULT '',
    came       TEXT NOT NULL DEFAULT ''    -- what came of it
);
CREATE INDEX questions_asked ON questions (user_id, platform, channel, thread);
INSERT INTO questions (id, user_id, platform, channel, thread, body, asked_at, expires_at, state)
    SELECT id, user_id, platform, channel, thread, body, expires_at, expires_at, 'open' FROM pending_actions;
DROP TABLE pending_actions;

-- What the owner wants not to be asked about any more in a place.
CREATE TABLE allowances (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    tool     TEXT NOT NULL,
    by_id    TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (platform, channel, tool)
) WITHOUT ROWID;

-- A call that waited ends as what became of it.
CREATE TABLE ended_calls (
    id          INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL,
    inbox_id    INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    result      TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL CHECK (status IN ('pending', 'running', 'retrying', 'success', 'failed', 'timeout', 'error', 'declined', 'expired')),
    retries     INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    at          TEXT NOT NULL
);
INSERT INTO ended_calls SELECT id, decision_id, inbox_id, sequence, call_id, name, arguments, result,
    iif(status = 'pending', coalesce((SELECT later.status FROM tool_calls later
        WHERE later.call_id = 'confirmed' AND later.name = tool_calls.name AND later.id > tool_calls.id AND later.arguments = tool_calls.arguments LIMIT 1), 'expired'), status),
    retries, duration_ms, at FROM tool_calls;
DROP TABLE tool_calls;
ALTER TABLE ended_calls RENAME TO tool_calls;
CREATE INDEX tool_calls_decision ON tool_calls (decision_id, sequence);
CREATE INDEX tool_calls_waiting ON tool_calls (inbox_id) WHERE status = 'pending';
