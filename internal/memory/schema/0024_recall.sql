-- The index of what was said has words as recall stems them, in any language:
-- indexed() is recall.Indexed, a function of the program. Each word stands
-- there twice: alone, and with the place it was said in, so that what others say
-- elsewhere is never walked through. The place is in the last 20 bits of the
-- rowid besides, the message in those before; newer ones come later.

CREATE TABLE places (
    n        INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    UNIQUE (platform, channel, thread)
);
INSERT INTO places (platform, channel, thread) SELECT DISTINCT platform, channel, thread FROM messages ORDER BY 1, 2, 3;

DROP TRIGGER messages_fts_insert;
DROP TRIGGER messages_fts_delete;
DROP TRIGGER messages_fts_update;
DROP TABLE messages_fts;
DROP VIEW messages_said;

CREATE VIEW messages_said AS
    SELECT m.id, (m.id << 20) | (p.n & 0xFFFFF) AS row, indexed(p.n, m.content) AS words
    FROM messages m JOIN places p ON p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread
    WHERE m.role <> 'tool';

CREATE VIRTUAL TABLE messages_fts USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO messages_fts (rowid, words) SELECT row, words FROM messages_said ORDER BY id;
INSERT INTO messages_fts (messages_fts) VALUES ('optimize');

CREATE TRIGGER messages_place_insert BEFORE INSERT ON messages
BEGIN
    INSERT INTO places (platform, channel, thread) VALUES (new.platform, new.channel, new.thread) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_place_update BEFORE UPDATE OF platform, channel, thread ON messages
BEGIN
    INSERT INTO places (platform, channel, thread) VALUES (new.platform, new.channel, new.thread) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (rowid, words) SELECT (new.id << 20) | (n & 0xFFFFF), indexed(n, new.content) FROM places
        WHERE platform = new.platform AND channel = new.channel AND thread = new.thread;
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, words) SELECT 'delete', (old.id << 20) | (n & 0xFFFFF), indexed(n, old.content) FROM places
        WHERE platform = old.platform AND channel = old.channel AND thread = old.thread;
END;
-- A row's role never changes.
CREATE TRIGGER messages_fts_update AFTER UPDATE OF id, content, platform, channel, thread ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, words) SELECT 'delete', (old.id << 20) | (n & 0xFFFFF), indexed(n, old.content) FROM places
        WHERE platform = old.platform AND channel = old.channel AND thread = old.thread;
    INSERT INTO messages_fts (rowid, words) SELECT (new.id << 20) | (n & 0xFFFFF), indexed(n, new.content) FROM places
        WHERE platform = new.platform AND channel = new.channel AND thread = new.thread;
END;
