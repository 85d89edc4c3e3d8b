-- Words of people and of the bot, for recall; tool output stays out. The text
-- lives in messages alone, and secure-delete leaves no trace of it here.

CREATE VIRTUAL TABLE messages_fts USING fts5 (content, content = 'messages', content_rowid = 'id', tokenize = 'porter unicode61');
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO messages_fts (rowid, content) SELECT id, content FROM messages WHERE role <> 'tool';

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;
-- A row's role never changes.
CREATE TRIGGER messages_fts_update AFTER UPDATE OF id, content ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO messages_fts (rowid, content) VALUES (new.id, new.content);
END;

-- Imported messages are recognized by their ids.
CREATE INDEX messages_platform_id ON messages (platform, channel, thread, message_id) WHERE message_id <> '';
