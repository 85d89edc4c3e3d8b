-- Places where the bot can say nothing: it was put out, it was blocked, or it may not
-- write. What is to be said there stays in the outbox until they are open again.
CREATE TABLE closed_places (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '', -- '' is the whole channel
    state    TEXT NOT NULL CHECK (state IN ('left', 'blocked', 'shut', 'back')), -- 'back': its owner hears of it next
    since    TEXT NOT NULL,
    next_try TEXT NOT NULL DEFAULT '', -- when something is sent there again
    told     TEXT NOT NULL DEFAULT '', -- when the owner heard of it
    PRIMARY KEY (platform, channel, thread)
) WITHOUT ROWID;
-- Since when the person of a handoff cannot be reached, as far as the desk was told.
ALTER TABLE handoffs ADD COLUMN cut TEXT NOT NULL DEFAULT '';
-- Which parts pass on what a message at the desk says, so that they follow its edits.
CREATE TABLE handoff_answers (
    nonce      TEXT PRIMARY KEY, -- of the outbox
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,    -- of the desk, as the platform calls it
    part       INTEGER NOT NULL,
    at         TEXT NOT NULL     -- when that was written, as the transcript has it
) WITHOUT ROWID;
CREATE INDEX handoff_answers_of ON handoff_answers (handoff_id, message_id);
