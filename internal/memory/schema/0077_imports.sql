-- An import that has begun to store. The row goes with its last message: one that stays says
-- that some of them are missing.
CREATE TABLE imports (
    digest TEXT PRIMARY KEY, -- of what it reads
    total  INTEGER NOT NULL, -- messages in it
    stored INTEGER NOT NULL, -- of these, in order, so far
    began  TEXT NOT NULL,
    at     TEXT NOT NULL     -- when it stored the last
) WITHOUT ROWID;
