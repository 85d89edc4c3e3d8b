-- Where stored words come from. via is a set of ways (memory.Via); people are
-- the ids, as a JSON list, of those whose words a row was made of besides its
-- own author's, '' for nobody and ["*"] where that was not kept.

ALTER TABLE messages ADD COLUMN via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE messages ADD COLUMN people TEXT NOT NULL DEFAULT '';
-- What came with the words: names and texts of files. It is never searched.
ALTER TABLE messages ADD COLUMN attached TEXT NOT NULL DEFAULT '';

-- Of a session: its summaries, title, decisions and mentions.
ALTER TABLE sessions ADD COLUMN via INTEGER NOT NULL DEFAULT 0 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE sessions ADD COLUMN people TEXT NOT NULL DEFAULT '';

ALTER TABLE key_facts ADD COLUMN via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE key_facts ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE tasks ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE reminders ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE log_entries ADD COLUMN via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE log_entries ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN via INTEGER NOT NULL DEFAULT 0 CHECK (via BETWEEN 0 AND 8191);
ALTER TABLE decisions ADD COLUMN people TEXT NOT NULL DEFAULT '';
UPDATE decisions SET via = 4096;
ALTER TABLE steps ADD COLUMN people TEXT NOT NULL DEFAULT '';

-- What was stored before: marks in the text told, and they may have been lost
-- with an edit. Rather one way too many than one too few.
UPDATE messages SET via =
      iif(role = 'user', 1, 0)
    | iif(instr(content, '[voice] ') > 0, 4, 0)
    | iif(instr(content, '[in reply to somebody else''s words]') > 0, 8, 0)
    | iif(instr(content, '[forwarded] ') = 1, 16, 0)
    | iif(instr(content, '[image') > 0, 32, 0)
    | iif(instr(content, '[file: ') > 0 OR instr(content, '<data>') > 0, 64, 0)
    WHERE role = 'user';
UPDATE messages SET via = via | 2 | 4096 WHERE role = 'user' AND message_id <> '' AND EXISTS (SELECT 1 FROM inbox i
    WHERE i.platform = messages.platform AND i.channel = messages.channel AND i.thread = messages.thread
    AND i.message_id > messages.message_id || '@' AND i.message_id < messages.message_id || 'A');
UPDATE messages SET via = iif(instr(content, '<outside_data') > 0, 512, 0) WHERE role = 'tool';
UPDATE messages SET via = 0 WHERE role = 'assistant';
UPDATE messages SET via = via | 2048, people = '["*"]' WHERE role = 'tool' AND name IN ('recall_conversation', 'librarian');
UPDATE messages SET people = '["*"]' WHERE role <> 'user'
    AND session_id IN (SELECT id FROM sessions WHERE NOT direct UNION SELECT session_id FROM messages WHERE people <> '');

UPDATE sessions SET via = 4096 WHERE instr(summary, '[also about what others wrote]') + instr(closing, '[also about what others wrote]') > 0
    OR id IN (SELECT session_id FROM messages WHERE via & 4096);
UPDATE sessions SET via = via | 2048 WHERE id IN (SELECT session_id FROM messages WHERE people <> '');
UPDATE sessions SET people = '["*"]' WHERE NOT direct OR id IN (SELECT session_id FROM messages WHERE people <> '');
UPDATE sessions SET summary = trim(replace(summary, '[also about what others wrote]', '')), closing = trim(replace(closing, '[also about what others wrote]', ''))
    WHERE via & 4096;

-- What came with the words gets its own place; the mark of a forward is shown
-- from its column.
UPDATE messages SET attached = trim(substr(content, min(iif(instr(content, '[file: ') > 0, instr(content, '[file: '), 1000000000), instr(content, '<data>'))), char(10)),
    content = coalesce(nullif(trim(substr(content, 1, min(iif(instr(content, '[file: ') > 0, instr(content, '[file: '), 1000000000), instr(content, '<data>')) - 1), char(10) || ' '), ''), '[file]')
    WHERE role = 'user' AND instr(content, '<data>') > 0;
UPDATE messages SET content = substr(content, 13) WHERE via & 16 AND length(content) > 12;

UPDATE key_facts SET people = '["*"]' WHERE scope <> 'person';
UPDATE key_facts SET via = 4096 WHERE author <> 'user' AND confidence < 1;
UPDATE decisions SET people = '["*"]' WHERE session_id IN (SELECT id FROM sessions WHERE people <> '') OR id IN (SELECT decision_id FROM tool_calls WHERE name = 'recall_conversation');
UPDATE steps SET people = '["*"]';
