-- What people call places, as platforms last said it.
CREATE TABLE titles (
    id    TEXT PRIMARY KEY, -- telegram:chat:-100…, discord:guild:99…, discord:chat:12…
    title TEXT NOT NULL
) WITHOUT ROWID;
