-- The language that people are spoken to in.
ALTER TABLE people ADD COLUMN language TEXT NOT NULL DEFAULT ''; -- tag, chosen with /language; '' follows heard
ALTER TABLE people ADD COLUMN heard TEXT NOT NULL DEFAULT '';    -- tag, as their platform or their messages have it; '' is unknown
