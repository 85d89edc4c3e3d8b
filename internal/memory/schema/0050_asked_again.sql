-- A question may stand below a later answer, too: a yes after that is to it.
ALTER TABLE questions ADD COLUMN again INTEGER NOT NULL DEFAULT 0; -- inbox row of the last message whose answer repeats it
