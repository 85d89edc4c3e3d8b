-- Calls of tools that the owner's guards look back on, as they were made and
-- answered; they go with their session.
CREATE TABLE guard_calls (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    arguments  TEXT NOT NULL,              -- JSON
    result     TEXT NOT NULL,              -- as the tool gave it
    confirmed  INTEGER NOT NULL DEFAULT 0, -- the person had said yes to it
    people     TEXT NOT NULL DEFAULT '',   -- JSON; whose words the result is made of
    at         TEXT NOT NULL
);
CREATE INDEX guard_calls_session ON guard_calls (session_id, user_id);
