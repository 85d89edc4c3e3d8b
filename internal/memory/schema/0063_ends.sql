-- What ended, for each reader that has not acted on it yet.
CREATE TABLE ends (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT NOT NULL,              -- what it was
    what   TEXT NOT NULL,              -- its id
    reader TEXT NOT NULL,
    at     TEXT NOT NULL,
    due_at TEXT NOT NULL,              -- of the next try
    tries  INTEGER NOT NULL DEFAULT 0, -- that failed
    UNIQUE (kind, what, reader)
);
-- The end (ended_at) that was put into the stream: a session that was resumed ends once
-- more, and one that is summed up anew does not.
ALTER TABLE sessions ADD COLUMN told_end TEXT NOT NULL DEFAULT '';
UPDATE sessions SET told_end = ended_at WHERE status = 'archived' AND owed_at = '';
