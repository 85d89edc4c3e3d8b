-- Who is answered in a channel, and with which tools.

ALTER TABLE policies ADD COLUMN who TEXT NOT NULL DEFAULT '' CHECK (who IN ('', 'admins', 'owner'));
ALTER TABLE policies ADD COLUMN tools TEXT; -- names with commas between; NULL is all
