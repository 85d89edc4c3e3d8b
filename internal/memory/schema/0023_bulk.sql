-- What calls took, added up as they come in: by day for everybody, for a person
-- and for a channel. Limits read a row for each day, however many asked.
CREATE TABLE spent (
    kind   TEXT NOT NULL CHECK (kind IN ('all', 'user', 'channel')),
    name   TEXT NOT NULL, -- '', a person, or platform and channel
    day    TEXT NOT NULL, -- 2026-01-31, in UTC
    tokens INTEGER NOT NULL,
    cost   REAL NOT NULL,
    PRIMARY KEY (kind, name, day)
) WITHOUT ROWID;
INSERT INTO spent SELECT 'all', '', day, sum(prompt_tokens + completion_tokens), sum(cost) FROM usage GROUP BY day;
INSERT INTO spent SELECT 'user', user_id, day, sum(prompt_tokens + completion_tokens), sum(cost) FROM usage WHERE user_id <> '' GROUP BY user_id, day;
INSERT INTO spent SELECT 'channel', platform || ' ' || channel, day, sum(prompt_tokens + completion_tokens), sum(cost) FROM usage WHERE channel <> '' GROUP BY platform, channel, day;

CREATE TRIGGER spent_insert AFTER INSERT ON usage BEGIN
    INSERT INTO spent SELECT 'all', '', new.day, new.prompt_tokens + new.completion_tokens, new.cost
        UNION ALL SELECT 'user', new.user_id, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.user_id <> ''
        UNION ALL SELECT 'channel', new.platform || ' ' || new.channel, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.channel <> ''
        ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost;
END;
CREATE TRIGGER spent_update AFTER UPDATE OF prompt_tokens, completion_tokens, cost ON usage BEGIN
    UPDATE spent SET tokens = tokens + new.prompt_tokens + new.completion_tokens - old.prompt_tokens - old.completion_tokens, cost = cost + new.cost - old.cost
        WHERE day = new.day AND (kind, name) IN (VALUES ('all', ''), ('user', new.user_id), ('channel', new.platform || ' ' || new.channel));
END;
CREATE TRIGGER spent_delete AFTER DELETE ON usage BEGIN
    UPDATE spent SET tokens = tokens - old.prompt_tokens - old.completion_tokens, cost = cost - old.cost
        WHERE day = old.day AND (kind, name) IN (VALUES ('all', ''), ('user', old.user_id), ('channel', old.platform || ' ' || old.channel));
    DELETE FROM spent WHERE day = old.day AND (kind, name) IN (VALUES ('all', ''), ('user', old.user_id), ('channel', old.platform || ' ' || old.channel))
        AND tokens <= 0 AND cost < 1e-9;
END;

-- Long work that was begun and is not finished, for the next start.
CREATE TABLE bulk_work (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL CHECK (kind IN ('forget', 'wipe')),
    user_id TEXT NOT NULL,               -- whom to forget; '' once only the file is left to wipe
    but     INTEGER NOT NULL DEFAULT 0,  -- the inbox row that asked for it
    at      TEXT NOT NULL
);

-- Who spoke in a place, what was spent and is remembered there, what a message
-- was answered with, which facts are of the past: found without reading all.
CREATE INDEX participants_place ON participants (platform, channel, thread);
CREATE INDEX usage_place ON usage (platform, channel);
CREATE INDEX outbox_answers ON outbox (inbox_id) WHERE state = 'sent' AND inbox_id <> 0;
CREATE INDEX key_facts_place ON key_facts (platform, channel);
CREATE INDEX key_facts_past ON key_facts (scope, subject, valid_to) WHERE valid_to <> '';
CREATE INDEX key_facts_superseded ON key_facts (superseded_by) WHERE superseded_by <> 0;
