-- What model calls took, whoever made them: answers, summaries, vectors and the
-- rest, each day by person, place, purpose and model. Limits and figures read it.
CREATE TABLE usage (
    day               TEXT NOT NULL, -- 2026-01-31, in UTC
    platform          TEXT NOT NULL, -- '' where nobody asked
    channel           TEXT NOT NULL,
    user_id           TEXT NOT NULL, -- who asked, '' for nobody
    purpose           TEXT NOT NULL, -- the route
    model             TEXT NOT NULL, -- the owner's name for it
    calls             INTEGER NOT NULL DEFAULT 0,
    failed            INTEGER NOT NULL DEFAULT 0, -- of these
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens     INTEGER NOT NULL DEFAULT 0, -- of these
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    cost              REAL NOT NULL DEFAULT 0,    -- in limits.currency
    PRIMARY KEY (day, platform, channel, user_id, purpose, model)
) WITHOUT ROWID;
CREATE INDEX usage_user ON usage (user_id, day);

INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, prompt_tokens, completion_tokens)
    SELECT substr(at, 1, 10), platform, channel, user_id, 'answer', model, sum(model_calls), sum(prompt_tokens), sum(completion_tokens)
    FROM decisions WHERE total_tokens > 0 GROUP BY 1, 2, 3, 4, 6;

ALTER TABLE decisions ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN cost REAL NOT NULL DEFAULT 0;
ALTER TABLE decisions ADD COLUMN answered_by TEXT NOT NULL DEFAULT ''; -- the owner's name for the model
