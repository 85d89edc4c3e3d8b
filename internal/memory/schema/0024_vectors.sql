-- What messages mean, as vectors, where an embedding model is set. A row is made
-- after its message, and goes with it. A message that says something else, or
-- moved, needs a new one: until then the row has no model.

CREATE TABLE embedders (
    n    INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE message_vectors (
    message_id INTEGER PRIMARY KEY,
    embedder   INTEGER NOT NULL, -- 0 for none
    vector     BLOB NOT NULL     -- vector.Vector; empty if there is nothing to compare
);
CREATE INDEX message_vectors_due ON message_vectors (message_id) WHERE embedder = 0;
-- The signs of the parts of each vector, a bit each: all of them are read into memory.
CREATE TABLE message_sketches (
    message_id INTEGER PRIMARY KEY,
    embedder   INTEGER NOT NULL,
    place      INTEGER NOT NULL, -- of places
    sketch     BLOB NOT NULL
);

CREATE TRIGGER message_vectors_delete AFTER DELETE ON messages
BEGIN
    DELETE FROM message_vectors WHERE message_id = old.id;
    DELETE FROM message_sketches WHERE message_id = old.id;
END;
CREATE TRIGGER message_vectors_update AFTER UPDATE OF content, platform, channel, thread ON messages
    WHEN old.content <> new.content OR old.platform <> new.platform OR old.channel <> new.channel OR old.thread <> new.thread
BEGIN
    UPDATE message_vectors SET embedder = 0, vector = x'' WHERE message_id = new.id;
    DELETE FROM message_sketches WHERE message_id = new.id;
END;
