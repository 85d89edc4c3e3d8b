-- Channels that go on under another id, such as a group of Telegram that became a
-- supergroup: settings, buttons and whoever names the old one mean the new one.
CREATE TABLE moves (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL, -- what it was called
    became   TEXT NOT NULL, -- what it is called now: never an old name itself
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;
-- A reminder whose place is lost is kept: the bot is out of it, may not write there, or
-- its person left. 'lost' waits, 'back' waited and goes on.
ALTER TABLE reminders ADD COLUMN away TEXT NOT NULL DEFAULT '' CHECK (away IN ('', 'lost', 'back'));
ALTER TABLE reminders ADD COLUMN lost TEXT NOT NULL DEFAULT '';      -- when that was last
ALTER TABLE reminders ADD COLUMN lost_told TEXT NOT NULL DEFAULT ''; -- when its person last heard of it
CREATE INDEX reminders_away ON reminders (platform, channel) WHERE away = 'lost';
