PRAGMA auto_vacuum = INCREMENTAL;
-- A model call; row is the message in the inbox that it was made for, 0 for none.
CREATE TABLE calls (
    id       INTEGER PRIMARY KEY,
    row      INTEGER NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    user_id  TEXT NOT NULL,
    purpose  TEXT NOT NULL,
    model    TEXT NOT NULL,
    began    TEXT NOT NULL,
    took     INTEGER NOT NULL, -- milliseconds
    error    TEXT NOT NULL,
    body     BLOB NOT NULL
);
CREATE INDEX calls_row ON calls (row);
CREATE INDEX calls_began ON calls (began);
-- What requests share, each once, by its hash.
CREATE TABLE pieces (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE uses (call_id INTEGER NOT NULL, piece_id INTEGER NOT NULL, PRIMARY KEY (call_id, piece_id)) WITHOUT ROWID;
CREATE INDEX uses_piece ON uses (piece_id);
-- A piece goes with the last call that has it.
CREATE TRIGGER calls_gone AFTER DELETE ON calls BEGIN DELETE FROM uses WHERE call_id = old.id; END;
CREATE TRIGGER uses_gone AFTER DELETE ON uses WHEN NOT EXISTS (SELECT 1 FROM uses WHERE piece_id = old.piece_id)
    BEGIN DELETE FROM pieces WHERE id = old.piece_id; END;
