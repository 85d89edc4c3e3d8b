-- When somebody wants answers spoken: 'on', 'reply' (to what they spoke themselves), '' is never.
ALTER TABLE people ADD COLUMN voice TEXT NOT NULL DEFAULT '';
