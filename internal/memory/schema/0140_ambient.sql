-- Channels may be read along; '' is what channel.mode says.
CREATE TABLE policies_with_ambient (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    listen   TEXT NOT NULL CHECK (listen IN ('', 'mention', 'ambient', 'all', 'off')),
    who      TEXT NOT NULL DEFAULT '' CHECK (who IN ('', 'admins', 'owner')),
    tools    TEXT, -- names with commas between; NULL is all
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;
INSERT INTO policies_with_ambient SELECT platform, channel, listen, who, tools FROM policies;
DROP TABLE policies;
ALTER TABLE policies_with_ambient RENAME TO policies;
