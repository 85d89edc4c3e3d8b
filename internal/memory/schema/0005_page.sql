-- The owner's page: its one-time codes, and figures that are read from an
-- index alone, however many rows the window has.

CREATE TABLE codes_wider (
    purpose    TEXT NOT NULL CHECK (purpose IN ('claim', 'pair', 'page')),
    user_id    TEXT NOT NULL, -- whom it lets in; '' for whoever brings it
    name       TEXT NOT NULL DEFAULT '',
    hash       BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (purpose, user_id)
) WITHOUT ROWID;
INSERT INTO codes_wider SELECT * FROM codes;
DROP TABLE codes;
ALTER TABLE codes_wider RENAME TO codes;

DROP INDEX decisions_at;
CREATE INDEX decisions_at ON decisions (at, category, total_tokens, duration_ms);
