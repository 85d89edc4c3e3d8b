-- Reminders that are questions: they are put to the assistant when they are due.
ALTER TABLE reminders ADD COLUMN ask INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN only_changed INTEGER NOT NULL DEFAULT 0; -- nothing is asked while what it rests on is the same
ALTER TABLE reminders ADD COLUMN seen TEXT NOT NULL DEFAULT '';           -- hash of what it rested on; '' is not known yet
ALTER TABLE reminders ADD COLUMN guild TEXT NOT NULL DEFAULT '';          -- the enclosing server, by which its author may be let in
