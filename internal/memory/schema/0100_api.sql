-- Tokens with which programs speak as a person over HTTP. Of a token only a hash is kept.
CREATE TABLE api_tokens (
    id         TEXT PRIMARY KEY,         -- what lists call it
    hash       BLOB NOT NULL UNIQUE,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,            -- as the person called it
    created_at TEXT NOT NULL,
    used_at    TEXT NOT NULL DEFAULT ''  -- '' is never
);
CREATE INDEX api_tokens_user ON api_tokens (user_id);

-- What programs asked, for a day, so that one that repeats itself gets the same answer.
CREATE TABLE api_requests (
    id       TEXT PRIMARY KEY,           -- of the message in the inbox
    user_id  TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    twin     TEXT NOT NULL,              -- the same for requests that may be one
    digest   TEXT NOT NULL,              -- of what was asked
    state    TEXT NOT NULL CHECK (state IN ('open', 'given')), -- the whole answer was written to a client
    answer   TEXT NOT NULL DEFAULT '',   -- its parts, as JSON
    at       TEXT NOT NULL
);
CREATE INDEX api_requests_twin ON api_requests (twin, at);
CREATE INDEX api_requests_place ON api_requests (platform, channel, thread, at);
CREATE INDEX api_requests_user ON api_requests (user_id);
