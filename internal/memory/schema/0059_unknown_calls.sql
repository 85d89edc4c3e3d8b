-- Calls that may have been done, which is neither success nor failure.
CREATE TABLE unsure_calls (
    id          INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL,
    inbox_id    INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    result      TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL CHECK (status IN ('pending', 'running', 'retrying', 'success', 'failed', 'timeout', 'unknown', 'error', 'declined', 'expired')),
    retries     INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    at          TEXT NOT NULL,
    class       TEXT NOT NULL DEFAULT ''
);
INSERT INTO unsure_calls SELECT id, decision_id, inbox_id, sequence, call_id, name, arguments, result, status, retries, duration_ms, at, class FROM tool_calls;
DROP TABLE tool_calls;
ALTER TABLE unsure_calls RENAME TO tool_calls;
CREATE INDEX tool_calls_decision ON tool_calls (decision_id, sequence);
CREATE INDEX tool_calls_waiting ON tool_calls (inbox_id) WHERE status = 'pending';
