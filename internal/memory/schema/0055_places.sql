-- Channels that go on under another id, such as a group of Telegram that became a
-- supergroup: settings, buttons and whoever names the old one mean the new one.
CREATE TABLE moves (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL, -- what it was called
    became   TEXT NOT NULL, -- what it is called now: never an old name itself
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;
-- Since when a reminder waits for its place: the bot is out of it, or may not write
-- there. '' is not at all.
ALTER TABLE reminders ADD COLUMN lost TEXT NOT NULL DEFAULT '';
