-- What memory files of other assistants say of somebody. Nothing of it is a fact before they
-- say so.
CREATE TABLE proposed (
    id      INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    digest  TEXT NOT NULL, -- of what it says, so that it is proposed once
    content TEXT NOT NULL, -- '' once they answered
    source  TEXT NOT NULL, -- the file
    at      TEXT NOT NULL
);
CREATE UNIQUE INDEX proposed_once ON proposed (user_id, digest);
