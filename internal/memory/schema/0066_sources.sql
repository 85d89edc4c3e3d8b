-- Where a person changed a fact themselves outside of the chat: in the facts file, or with a
-- program of their own. What the file did is undone like anything else.
ALTER TABLE fact_changes ADD COLUMN source TEXT NOT NULL DEFAULT '' CHECK (source IN ('', 'file', 'program'));
CREATE INDEX fact_changes_filed ON fact_changes (at) WHERE source = 'file';
-- When somebody last had a fact erased for good, which no undo brings back.
ALTER TABLE people ADD COLUMN erased_at TEXT NOT NULL DEFAULT '';

-- What earlier versions noted of the file in a setting; those of one sync share a number.
INSERT INTO fact_changes (batch, kind, fact_id, history_id, user_id, at, stamp, told, source)
SELECT -1 - s.key, 'forgotten', f.id, 0, f.subject, s.value ->> 'At', f.updated_at, s.value ->> 'At', 'file'
FROM settings x, json_each(x.value) s, json_each(s.value, '$.Gone') g CROSS JOIN key_facts f
WHERE x.name = 'facts_file.undo' AND f.id = CAST(g.value AS BIGINT) AND f.valid_to <> '' AND f.superseded_by = 0;
INSERT INTO fact_changes (batch, kind, fact_id, history_id, user_id, at, stamp, told, source)
SELECT -1 - s.key, 'replaced', f.id, (SELECT max(h.id) FROM fact_history h WHERE h.fact_id = f.id), f.subject, s.value ->> 'At', f.updated_at, s.value ->> 'At', 'file'
FROM settings x, json_each(x.value) s, json_each(s.value, '$.Changed') g CROSS JOIN key_facts f
WHERE x.name = 'facts_file.undo' AND f.id = CAST(g.value AS BIGINT) AND EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = f.id)
    AND NOT EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = f.id AND h.until > s.value ->> 'Done');
INSERT INTO fact_changes (batch, kind, fact_id, history_id, user_id, at, stamp, told, source)
SELECT -1 - s.key, 'added', f.id, 0, f.subject, s.value ->> 'At', f.updated_at, s.value ->> 'At', 'file'
FROM settings x, json_each(x.value) s, json_each(s.value, '$.Added') g CROSS JOIN key_facts f
WHERE x.name = 'facts_file.undo' AND f.id = CAST(g.value AS BIGINT) AND NOT EXISTS (SELECT 1 FROM fact_history h WHERE h.fact_id = f.id);
DELETE FROM settings WHERE name = 'facts_file.undo';
