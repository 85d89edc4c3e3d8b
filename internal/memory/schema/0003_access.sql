-- Who may speak, which codes are out, and what waits for a yes.

CREATE TABLE grants (
    id     TEXT PRIMARY KEY,   -- telegram:42, telegram:chat:-100…, discord:guild:99…
    role   TEXT NOT NULL CHECK (role IN ('owner', 'member', 'denied')),
    by_id  TEXT NOT NULL,
    at     TEXT NOT NULL
) WITHOUT ROWID;

-- One-time codes; the code itself is never stored. A person has one at most.
CREATE TABLE codes (
    purpose    TEXT NOT NULL CHECK (purpose IN ('claim', 'pair')),
    user_id    TEXT NOT NULL, -- whom it lets in; '' for claim: whoever brings it
    name       TEXT NOT NULL DEFAULT '',
    hash       BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (purpose, user_id)
) WITHOUT ROWID;

-- Guesses at codes, until their window closes.
CREATE TABLE attempts (
    user_id TEXT PRIMARY KEY,
    tries   INTEGER NOT NULL,
    until   TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE policies (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    listen   TEXT NOT NULL CHECK (listen IN ('mention', 'all', 'off')),
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;

-- The one question that a person was asked in a place.
CREATE TABLE pending_actions (
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    id         TEXT NOT NULL,
    body       BLOB NOT NULL, -- what a yes does, as JSON
    expires_at TEXT NOT NULL,
    PRIMARY KEY (user_id, platform, channel, thread)
) WITHOUT ROWID;

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

-- For the tokens that a channel used today.
CREATE INDEX decisions_channel ON decisions (platform, channel, at);
