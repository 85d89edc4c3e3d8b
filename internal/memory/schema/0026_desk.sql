-- Conversations that were handed over to people: whose, where, and how far it is.
CREATE TABLE handoffs (
    id            INTEGER PRIMARY KEY,
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
    changed_at    TEXT NOT NULL
);
CREATE UNIQUE INDEX handoffs_open ON handoffs (platform, channel, thread, user_id) WHERE state IN ('waiting', 'taken');
CREATE INDEX handoffs_due ON handoffs (due_at) WHERE due_at <> '';
CREATE INDEX handoffs_user ON handoffs (user_id);
CREATE INDEX handoffs_left ON handoffs (id) WHERE state <> 'over';
CREATE INDEX handoffs_taker ON handoffs (taker_id);
CREATE INDEX handoffs_desk ON handoffs (desk_platform, desk_channel);

-- What the desk was sent, so that a reply to it is known to be about its handoff.
CREATE TABLE handoff_posts (
    nonce      TEXT PRIMARY KEY, -- of the outbox
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX handoff_posts_of ON handoff_posts (handoff_id);
