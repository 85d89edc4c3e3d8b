-- The index of what was said knows where it was said, so that what others say
-- elsewhere takes no room among the hits, and has the characters of scripts
-- without spaces as words of their own: unspaced() is text.Pieces, a
-- function of the program.

DROP TRIGGER messages_fts_insert;
DROP TRIGGER messages_fts_delete;
DROP TRIGGER messages_fts_update;
DROP TABLE messages_fts;

-- What is indexed. A place is one word, which no stemmer cuts.
CREATE VIEW messages_said AS
    SELECT id, content, unspaced(content) AS pieces, 'p' || hex(platform || ' ' || channel || ' ' || thread) || '0' AS place
    FROM messages WHERE role <> 'tool';

CREATE VIRTUAL TABLE messages_fts USING fts5 (content, pieces, place, content = 'messages_said', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO messages_fts (rowid, content, pieces, place) SELECT id, content, pieces, place FROM messages_said;

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (rowid, content, pieces, place)
    VALUES (new.id, new.content, unspaced(new.content), 'p' || hex(new.platform || ' ' || new.channel || ' ' || new.thread) || '0');
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content, pieces, place)
    VALUES ('delete', old.id, old.content, unspaced(old.content), 'p' || hex(old.platform || ' ' || old.channel || ' ' || old.thread) || '0');
END;
-- A row's role never changes.
CREATE TRIGGER messages_fts_update AFTER UPDATE OF id, content, platform, channel, thread ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content, pieces, place)
    VALUES ('delete', old.id, old.content, unspaced(old.content), 'p' || hex(old.platform || ' ' || old.channel || ' ' || old.thread) || '0');
    INSERT INTO messages_fts (rowid, content, pieces, place)
    VALUES (new.id, new.content, unspaced(new.content), 'p' || hex(new.platform || ' ' || new.channel || ' ' || new.thread) || '0');
END;
