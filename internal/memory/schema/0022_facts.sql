-- How firmly a fact stands, so that a guess never replaces what somebody said:
-- 1 guessed, 2 picked up from what was said in passing, 3 said to be kept.
ALTER TABLE key_facts ADD COLUMN rank INTEGER NOT NULL DEFAULT 3 CHECK (rank BETWEEN 1 AND 3);
-- When it ceases to hold, as it says itself; '' is never.
ALTER TABLE key_facts ADD COLUMN ends TEXT NOT NULL DEFAULT '';

-- What stands already: what a person or the operator wrote stands as firmly as
-- it can; the rest only as firmly as there are words that it rests on.
UPDATE key_facts SET rank = 2 WHERE author = 'assistant' AND quote <> '';
UPDATE key_facts SET rank = 1 WHERE author = 'assistant' AND quote = '';

-- All that undoing a correction has to bring back.
ALTER TABLE fact_history ADD COLUMN quote TEXT NOT NULL DEFAULT '';
ALTER TABLE fact_history ADD COLUMN previous TEXT NOT NULL DEFAULT '';
ALTER TABLE fact_history ADD COLUMN people TEXT NOT NULL DEFAULT '';
ALTER TABLE fact_history ADD COLUMN via INTEGER NOT NULL DEFAULT 1;
ALTER TABLE fact_history ADD COLUMN confidence REAL NOT NULL DEFAULT 1;
ALTER TABLE fact_history ADD COLUMN rank INTEGER NOT NULL DEFAULT 3;
ALTER TABLE fact_history ADD COLUMN ends TEXT NOT NULL DEFAULT '';
ALTER TABLE fact_history ADD COLUMN updated TEXT NOT NULL DEFAULT '';

-- What was done to facts, to be told and undone. It holds nobody's words: what
-- was replaced is in the history, and what was forgotten in the chat keeps its
-- row for a day, out of everything but Undo.
CREATE TABLE fact_changes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- shown in buttons
    batch      INTEGER NOT NULL DEFAULT 0,        -- the first of those that are undone together
    kind       TEXT NOT NULL CHECK (kind IN ('added', 'replaced', 'forgotten')),
    fact_id    INTEGER NOT NULL REFERENCES key_facts (id) ON DELETE CASCADE,
    other_id   INTEGER NOT NULL DEFAULT 0, -- added: the fact it disagrees with; replaced: the one it took the place of besides
    history_id INTEGER NOT NULL DEFAULT 0, -- replaced: what it said before
    user_id    TEXT NOT NULL,              -- who is told, and may undo it
    at         TEXT NOT NULL,
    stamp      TEXT NOT NULL,              -- the fact's updated_at then: another one was changed since
    learned    INTEGER NOT NULL DEFAULT 0, -- nobody asked for it: it belongs in the digest
    told       TEXT NOT NULL DEFAULT ''    -- '' is not yet
);
CREATE INDEX fact_changes_user ON fact_changes (user_id, at);
CREATE INDEX fact_changes_untold ON fact_changes (user_id, id) WHERE told = '';
CREATE INDEX fact_changes_fact ON fact_changes (fact_id);
CREATE INDEX fact_changes_learned ON fact_changes (at, user_id, fact_id) WHERE learned;
CREATE INDEX fact_changes_batch ON fact_changes (batch);

-- When a person hears what was learned ('' is as the settings say), and heard it last.
ALTER TABLE people ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN digest_at TEXT NOT NULL DEFAULT '';
