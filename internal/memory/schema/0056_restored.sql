-- What a restore brings back that was settled, or forgotten, since.
ALTER TABLE questions ADD COLUMN restored INTEGER NOT NULL DEFAULT 0; -- 1: it came back with a restore; nothing is done because of it
CREATE TABLE forgotten (
    mark TEXT PRIMARY KEY, -- of somebody who was forgotten: a hash that nobody can read a name from
    at   TEXT NOT NULL     -- when, the last time
) WITHOUT ROWID;
