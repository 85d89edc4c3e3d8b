-- Browsers in which people go on with their direct chat: a link that was asked for and is
-- still unused, or a login that it became. Of what the person holds only a hash is kept.
CREATE TABLE web_logins (
    id         TEXT PRIMARY KEY,                                 -- what lists call it
    hash       BLOB NOT NULL UNIQUE,                             -- of the link's code, or of the cookie
    state      TEXT NOT NULL CHECK (state IN ('link', 'open')),
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,                                    -- the direct chat
    channel    TEXT NOT NULL,
    browser    TEXT NOT NULL DEFAULT '',                         -- its kind and system, in words of ours
    created_at TEXT NOT NULL,
    used_at    TEXT NOT NULL,
    until      TEXT NOT NULL
);
CREATE INDEX web_logins_user ON web_logins (user_id);

-- Files that came with a message from such a browser, until that is answered.
CREATE TABLE web_files (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name    TEXT NOT NULL,
    data    BLOB NOT NULL,
    at      TEXT NOT NULL
);
CREATE INDEX web_files_user ON web_files (user_id);
