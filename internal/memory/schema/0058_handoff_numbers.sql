-- The number of a handoff stands in buttons, so it is never used twice: not after whose it
-- was is forgotten, and not after it is old enough to go.
CREATE TABLE numbered_handoffs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- shown in buttons
    user_id       TEXT NOT NULL,             -- the person
    name          TEXT NOT NULL DEFAULT '',  -- what they call themselves
    platform      TEXT NOT NULL,             -- where the assistant is silent for them
    channel       TEXT NOT NULL,
    thread        TEXT NOT NULL DEFAULT '',
    direct        INTEGER NOT NULL DEFAULT 0,
    opened_by     TEXT NOT NULL,             -- the command, the assistant, a rule, a guard
    reason        TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'missed', 'over')),
    taker_id      TEXT NOT NULL DEFAULT '',
    taker_name    TEXT NOT NULL DEFAULT '',
    desk_platform TEXT NOT NULL DEFAULT '',  -- where it was taken
    desk_channel  TEXT NOT NULL DEFAULT '',
    desk_thread   TEXT NOT NULL DEFAULT '',
    last_id       TEXT NOT NULL DEFAULT '',  -- the person's newest message, as the platform calls it
    opened_at     TEXT NOT NULL,
    due_at        TEXT NOT NULL DEFAULT '',  -- by when the desk has to write; '' while it has
    changed_at    TEXT NOT NULL,
    agent         TEXT NOT NULL DEFAULT ''
);
INSERT INTO numbered_handoffs SELECT id, user_id, name, platform, channel, thread, direct, opened_by, reason, state, taker_id, taker_name,
    desk_platform, desk_channel, desk_thread, last_id, opened_at, due_at, changed_at, agent FROM handoffs;
CREATE TABLE kept_posts AS SELECT nonce, handoff_id FROM handoff_posts;
DROP TABLE handoff_posts;
DROP TABLE handoffs;
ALTER TABLE numbered_handoffs RENAME TO handoffs;
CREATE UNIQUE INDEX handoffs_open ON handoffs (platform, channel, thread, user_id) WHERE state IN ('waiting', 'taken');
CREATE INDEX handoffs_due ON handoffs (due_at) WHERE due_at <> '';
CREATE INDEX handoffs_user ON handoffs (user_id);
CREATE INDEX handoffs_left ON handoffs (id) WHERE state <> 'over';
CREATE INDEX handoffs_taker ON handoffs (taker_id);
CREATE INDEX handoffs_desk ON handoffs (desk_platform, desk_channel);
CREATE TABLE handoff_posts (
    nonce      TEXT PRIMARY KEY, -- of the outbox
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX handoff_posts_of ON handoff_posts (handoff_id);
INSERT INTO handoff_posts SELECT nonce, handoff_id FROM kept_posts;
DROP TABLE kept_posts;
-- Where something was sent already, there may be buttons of handoffs that are gone: new ones
-- begin above any of their numbers.
DELETE FROM sqlite_sequence WHERE name = 'handoffs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'handoffs', coalesce((SELECT max(id) FROM handoffs), 0) + 1000 WHERE EXISTS (SELECT 1 FROM outbox);
