-- Who is where, what waits for whom, and whose notes are whose.

-- A private answer for somebody whose direct chat was closed: a dead part that
-- is ready again when this person writes there.
ALTER TABLE outbox ADD COLUMN waits_for TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_waiting ON outbox (waits_for) WHERE waits_for <> '';

-- What platforms told of somebody's place in a conversation; threads follow
-- their channel. Nobody of whom nothing was told has a row.
CREATE TABLE membership (
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('in', 'out', 'blocked')),
    since      TEXT NOT NULL DEFAULT '', -- of 'in': nothing older is shown; '' is everything
    checked_at TEXT NOT NULL,            -- when it was told or asked
    PRIMARY KEY (user_id, platform, channel)
) WITHOUT ROWID;
CREATE INDEX membership_place ON membership (platform, channel);

-- The last word of somebody in a place: what is known of their being there where
-- no platform tells.
ALTER TABLE participants ADD COLUMN last_id INTEGER NOT NULL DEFAULT 0;
UPDATE participants SET last_id = coalesce((SELECT max(id) FROM messages m WHERE m.user_id = participants.user_id AND m.role = 'user'
    AND m.platform = participants.platform AND m.channel = participants.channel AND m.thread = participants.thread), 0);
DROP TRIGGER messages_participant;
CREATE TRIGGER messages_participant AFTER INSERT ON messages WHEN new.role = 'user'
BEGIN
    INSERT INTO participants (user_id, platform, channel, thread, last_id) VALUES (new.user_id, new.platform, new.channel, new.thread, new.id)
        ON CONFLICT (user_id, platform, channel, thread) DO UPDATE SET last_id = excluded.last_id;
END;

-- Whose a note is that was written through the bot. The owner's own files and
-- what was meant for everybody have no person.
CREATE TABLE note_authors (
    path    TEXT PRIMARY KEY,            -- from the folder of notes
    user_id TEXT NOT NULL,
    shared  INTEGER NOT NULL DEFAULT 0,  -- everybody may read it
    hash    BLOB NOT NULL,               -- of the text as the bot left it
    at      TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX note_authors_user ON note_authors (user_id);

-- Why a reminder ended that was not told.
ALTER TABLE reminders ADD COLUMN ended TEXT NOT NULL DEFAULT '';
