-- What a question hangs on, and why it stands no more.
ALTER TABLE questions ADD COLUMN session TEXT NOT NULL DEFAULT ''; -- the conversation that it ends with; '' is none
ALTER TABLE questions ADD COLUMN agent TEXT NOT NULL DEFAULT '';   -- who asked
ALTER TABLE questions ADD COLUMN lapse TEXT NOT NULL DEFAULT '';   -- why a yes does nothing any more; '' while it would
