-- What facts mean, as vectors, where an embedding model is set. A row comes and
-- goes with its fact; a fact that says something else needs a new vector.

CREATE TABLE fact_vectors (
    fact_id INTEGER PRIMARY KEY REFERENCES key_facts (id) ON DELETE CASCADE,
    model   TEXT NOT NULL DEFAULT '',  -- that made it; '' while there is none
    vector  BLOB NOT NULL DEFAULT x''
);
CREATE INDEX fact_vectors_model ON fact_vectors (model);
INSERT INTO fact_vectors (fact_id) SELECT id FROM key_facts;

CREATE TRIGGER fact_vectors_insert AFTER INSERT ON key_facts BEGIN
    INSERT INTO fact_vectors (fact_id) VALUES (new.id);
END;
CREATE TRIGGER fact_vectors_update AFTER UPDATE OF content ON key_facts WHEN new.content <> old.content BEGIN
    UPDATE fact_vectors SET model = '', vector = x'' WHERE fact_id = new.id;
END;
