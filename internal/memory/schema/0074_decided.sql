-- Decisions are rows, each with the conversation in which it was made. Conversations that
-- carry each other on are one line, and share what was decided there.
CREATE TABLE decided (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  TEXT NOT NULL,
    line        TEXT NOT NULL,             -- of the session
    number      INTEGER NOT NULL,          -- in its place, as people type it
    content     TEXT NOT NULL,             -- '' once it was forgotten, so that no summary brings it back
    user_id     TEXT NOT NULL DEFAULT '',  -- who said it; '' is unknown
    name        TEXT NOT NULL DEFAULT '',
    message_id  TEXT NOT NULL DEFAULT '',  -- that says it, as its platform names it
    at          TEXT NOT NULL,
    replaced_at TEXT NOT NULL DEFAULT '',  -- since when it does not hold
    replaced_by INTEGER NOT NULL DEFAULT 0, -- the row that holds instead
    via         INTEGER NOT NULL DEFAULT 0,
    people      TEXT NOT NULL DEFAULT ''
);
CREATE INDEX decided_line ON decided (line, id);
CREATE INDEX decided_session ON decided (session_id);
CREATE INDEX decided_user ON decided (user_id);
ALTER TABLE sessions ADD COLUMN line TEXT NOT NULL DEFAULT ''; -- id of the first of those that carry each other on; '' is its own

-- The lines there are. One that was resumed carries a later one, which begins no line anew.
CREATE INDEX sessions_carried ON sessions (carried_from) WHERE carried_from <> '';
CREATE TABLE lines (id TEXT PRIMARY KEY, line TEXT NOT NULL);
INSERT INTO lines (id, line)
WITH RECURSIVE chain (id, line) AS (
    SELECT s.id, s.id FROM sessions s WHERE NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.carried_from AND p.created_at < s.created_at)
    UNION SELECT s.id, c.line FROM chain c CROSS JOIN sessions p CROSS JOIN sessions s WHERE p.id = c.id AND s.carried_from <> '' AND s.carried_from = c.id AND p.created_at < s.created_at)
SELECT id, line FROM chain;
UPDATE sessions SET line = coalesce((SELECT l.line FROM lines l WHERE l.id = sessions.id), id);
DROP TABLE lines;
DROP INDEX sessions_carried;
CREATE INDEX sessions_line ON sessions (line);

-- Each session has a list, with what was carried to it: what the one before it has not is its
-- own. Whose words they are is known of all of a conversation together.
INSERT INTO decided (session_id, line, number, content, at, via, people)
SELECT s.id, s.line, 0, x.value, s.last_activity, s.via, iif(s.people = '', '["*"]', s.people) FROM sessions s, json_each(s.decisions) x
    WHERE s.decisions <> '[]' AND x.value <> ''
    AND NOT EXISTS (SELECT 1 FROM sessions p, json_each(p.decisions) y WHERE p.id = s.carried_from AND p.line = s.line AND y.value = x.value)
    ORDER BY s.created_at, s.id, x.key;

-- What the latest list of a line lacks was replaced, unless that was full, or the list is an
-- earlier one that was resumed.
CREATE TABLE latest (line TEXT PRIMARY KEY, id TEXT NOT NULL, at TEXT NOT NULL);
INSERT INTO latest (line, id, at) SELECT s.line, max(s.id), s.created_at FROM sessions s
    JOIN (SELECT line, max(created_at) AS newest FROM sessions GROUP BY line) n ON n.line = s.line AND n.newest = s.created_at
    GROUP BY s.line, s.created_at;
UPDATE decided SET replaced_at = (SELECT l.at FROM latest l WHERE l.line = decided.line)
    WHERE EXISTS (SELECT 1 FROM latest l JOIN sessions s ON s.id = l.id WHERE l.line = decided.line AND s.decisions <> '[]' AND (SELECT count(*) FROM json_each(s.decisions) y) < 20
        AND NOT EXISTS (SELECT 1 FROM json_each(s.decisions) y WHERE y.value = decided.content))
    AND NOT EXISTS (SELECT 1 FROM sessions r JOIN sessions p ON p.id = r.carried_from WHERE r.line = decided.line AND p.created_at >= r.created_at);
DROP TABLE latest;
DROP INDEX sessions_line;

-- What a full list had no room for.
INSERT INTO decided (session_id, line, number, content, at, via, people)
SELECT o.id, o.line, 0, x.value ->> '$.text', o.last_activity, o.via, iif(o.people = '', '["*"]', o.people)
    FROM sessions s, json_each(s.page) x CROSS JOIN sessions o
    WHERE s.page LIKE '%"decided":true%' AND CAST(x.value ->> '$.decided' AS TEXT) IN ('1', 'true') AND o.id = x.value ->> '$.session'
    AND NOT EXISTS (SELECT 1 FROM decided d WHERE d.line = o.line AND d.content = x.value ->> '$.text')
    GROUP BY o.id, o.line, x.value ->> '$.text', o.last_activity, o.via, o.people, o.created_at ORDER BY o.created_at, o.id;
UPDATE sessions SET page = (SELECT json_group_array(json(value)) FROM json_each(page) WHERE coalesce(CAST(value ->> '$.decided' AS TEXT), '') NOT IN ('1', 'true'))
    WHERE page LIKE '%"decided":true%';
CREATE TABLE counted (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO counted (id, n) SELECT d.id, row_number() OVER (PARTITION BY s.platform, s.channel, s.thread ORDER BY s.created_at, d.id)
    FROM decided d JOIN sessions s ON s.id = d.session_id;
UPDATE decided SET number = (SELECT c.n FROM counted c WHERE c.id = decided.id);
DROP TABLE counted;

-- For recall, the words of a session are its title, its closing summary and what was decided in it.
DROP TRIGGER sessions_text;
DROP TRIGGER sessions_text_delete;
DELETE FROM session_texts WHERE session_id IN (SELECT id FROM sessions WHERE decisions <> '[]');
INSERT INTO session_texts (session_id, content)
SELECT s.id, s.title || char(10) || s.closing || char(10) || coalesce((SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id), '')
    FROM sessions s WHERE s.decisions <> '[]' AND (s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id));
CREATE TRIGGER sessions_text AFTER UPDATE OF title, closing ON sessions WHEN old.title <> new.title OR old.closing <> new.closing
BEGIN
    DELETE FROM session_texts WHERE session_id = new.id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || coalesce((SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id), '')
        FROM sessions s WHERE s.id = new.id AND (s.title <> '' OR s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id AND d.content <> ''));
END;
CREATE TRIGGER sessions_text_delete AFTER DELETE ON sessions
BEGIN
    DELETE FROM decided WHERE session_id = old.id;
    DELETE FROM session_texts WHERE session_id = old.id;
END;
CREATE TRIGGER decided_text_insert AFTER INSERT ON decided
BEGIN
    DELETE FROM session_texts WHERE session_id = new.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || (SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id)
        FROM sessions s WHERE s.id = new.session_id;
END;
CREATE TRIGGER decided_text_update AFTER UPDATE OF content ON decided WHEN old.content <> new.content
BEGIN
    DELETE FROM session_texts WHERE session_id = new.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || (SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id)
        FROM sessions s WHERE s.id = new.session_id;
END;
CREATE TRIGGER decided_text_delete AFTER DELETE ON decided
BEGIN
    DELETE FROM session_texts WHERE session_id = old.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || coalesce((SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id), '')
        FROM sessions s WHERE s.id = old.session_id AND (s.title <> '' OR s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id AND d.content <> ''));
END;
ALTER TABLE sessions DROP COLUMN decisions;
