-- Webhooks that an owner set up in a chat; those of the settings are not here.
CREATE TABLE hooks (
    name     TEXT PRIMARY KEY,
    secret   TEXT NOT NULL,             -- with which its sender proves who it is
    platform TEXT NOT NULL,             -- where it speaks
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    direct   INTEGER NOT NULL,          -- that is a chat with one person
    does     TEXT NOT NULL,             -- say, ask or keep
    template TEXT NOT NULL,
    by_id    TEXT NOT NULL,             -- the owner
    at       TEXT NOT NULL
) WITHOUT ROWID;
-- Those of any kind that take nothing for now.
CREATE TABLE hook_pauses (
    name TEXT PRIMARY KEY,
    at   TEXT NOT NULL
) WITHOUT ROWID;
-- What came, without its words: a sender that repeats itself gets the same answer.
CREATE TABLE hook_deliveries (
    hook     TEXT NOT NULL,
    delivery TEXT NOT NULL,             -- the sender's name for it, or one of its bytes and time
    digest   TEXT NOT NULL,             -- of its bytes
    platform TEXT NOT NULL,             -- where it went
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (hook, delivery)
) WITHOUT ROWID;
CREATE INDEX hook_digests ON hook_deliveries (hook, digest, at);
