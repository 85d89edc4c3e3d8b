-- What is carried from session to session: lines that matter beyond the one
-- they were said in, as JSON, each with its session and whose words it is. A
-- live session has its own, an ended one those before it as well.
ALTER TABLE sessions ADD COLUMN page TEXT NOT NULL DEFAULT '[]';
-- A fold that failed: which messages no model has read, and the summary before
-- them, as JSON; '' is none. owed_at is when to try next, '' is never.
ALTER TABLE sessions ADD COLUMN debt TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN owed_at TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_owed ON sessions (owed_at) WHERE owed_at <> '';
-- The size of a request right after the last fold, in tokens; 0 before one.
ALTER TABLE sessions ADD COLUMN folded_tokens INTEGER NOT NULL DEFAULT 0;
-- The one that ended last is carried on, also when it was taken up again.
CREATE INDEX sessions_ended ON sessions (platform, channel, thread, user_id, ended_at) WHERE ended_at <> '';

-- Titles, closing summaries and decisions, for recall.
CREATE TABLE session_texts (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    content    TEXT NOT NULL
);
CREATE VIRTUAL TABLE session_texts_fts USING fts5 (content, content = 'session_texts', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO session_texts_fts (session_texts_fts, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER session_texts_insert AFTER INSERT ON session_texts
BEGIN
    INSERT INTO session_texts_fts (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER session_texts_delete AFTER DELETE ON session_texts
BEGIN
    INSERT INTO session_texts_fts (session_texts_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

-- Imported sessions have a title that repeats their first words, and nothing else.
INSERT INTO session_texts (session_id, content) SELECT id, title || char(10) || closing || char(10) || decisions FROM sessions
    WHERE closing <> '' OR decisions <> '[]';
CREATE TRIGGER sessions_text AFTER UPDATE OF title, closing, decisions ON sessions
    WHEN old.title <> new.title OR old.closing <> new.closing OR old.decisions <> new.decisions
BEGIN
    DELETE FROM session_texts WHERE session_id = new.id;
    INSERT INTO session_texts (session_id, content) SELECT new.id, new.title || char(10) || new.closing || char(10) || new.decisions
        WHERE new.title <> '' OR new.closing <> '' OR new.decisions <> '[]';
END;
CREATE TRIGGER sessions_text_delete AFTER DELETE ON sessions
BEGIN
    DELETE FROM session_texts WHERE session_id = old.id;
END;
