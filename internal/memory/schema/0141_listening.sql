-- Who knows that the bot reads along, and whose words it leaves out.
CREATE TABLE listening (
    user_id  TEXT NOT NULL,             -- '' is the place as a whole
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,             -- '' is everywhere
    state    TEXT NOT NULL CHECK (state IN ('told', 'out', 'over')), -- 'over': it read along there once
    at       TEXT NOT NULL,
    PRIMARY KEY (platform, channel, user_id)
) WITHOUT ROWID;
CREATE INDEX listening_user ON listening (user_id);
-- How often it spoke although nobody asked.
CREATE TABLE unasked (
    day      TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    n        INTEGER NOT NULL,
    PRIMARY KEY (day, platform, channel)
) WITHOUT ROWID;
