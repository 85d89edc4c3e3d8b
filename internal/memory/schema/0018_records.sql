-- How each message ended, from a closed list (chat.Outcome), with the reason and
-- the command that was given; what it was called before mixed the three.
ALTER TABLE decisions RENAME COLUMN category TO outcome;
ALTER TABLE decisions ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN command TEXT NOT NULL DEFAULT '';
-- What the platform calls the message, by which what was asked is found.
ALTER TABLE decisions ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
UPDATE decisions SET
    command = CASE outcome WHEN 'COMMAND' THEN coalesce(nullif(detail ->> '$.reason', ''), 'command') ELSE '' END,
    reason = CASE
        WHEN outcome = 'REFUSAL' THEN 'filtered'
        WHEN outcome = 'REFUSAL:OUT_OF_SCOPE' THEN 'out of scope'
        WHEN outcome = 'REFUSAL:MISSING_PERMISSION' THEN 'no permission'
        WHEN outcome = 'INVALID_INPUT' THEN 'invalid'
        WHEN outcome = 'RATE_LIMITED' AND detail ->> '$.error_id' IS NULL THEN 'too fast'
        WHEN outcome = 'RATE_LIMITED' THEN 'model busy'
        ELSE '' END,
    outcome = CASE
        WHEN outcome IN ('RESPONSE', 'TOOL_USE', 'COMMAND', 'AMBIGUITY') THEN 'answered'
        WHEN outcome LIKE 'REFUSAL%' OR outcome = 'INVALID_INPUT' THEN 'refused'
        WHEN outcome = 'RATE_LIMITED' AND detail ->> '$.error_id' IS NULL THEN 'refused'
        WHEN outcome = 'IGNORED' THEN 'overheard'
        WHEN outcome = 'STOPPED' THEN 'stopped'
        ELSE 'failed' END;
UPDATE decisions SET message_id = coalesce((SELECT message_id FROM inbox WHERE inbox.id = decisions.inbox_id), '');
ALTER TABLE tool_calls ADD COLUMN class TEXT NOT NULL DEFAULT ''; -- why it failed or was not run
