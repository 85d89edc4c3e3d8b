-- The number behind Undo counts in the book of the person who is told, as those of facts do.
ALTER TABLE fact_changes ADD COLUMN number INTEGER NOT NULL DEFAULT 0; -- 0 only while the row is written
UPDATE fact_changes SET number = id;
CREATE UNIQUE INDEX fact_changes_number ON fact_changes (user_id, number) WHERE number > 0;
INSERT INTO numbers (kind, book, last) SELECT 'fact_changes', user_id, max(number) FROM fact_changes GROUP BY user_id;
CREATE TRIGGER fact_changes_number AFTER INSERT ON fact_changes WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('fact_changes', new.user_id,
            1 + coalesce((SELECT max(number) FROM fact_changes WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE fact_changes SET number = (SELECT last FROM numbers WHERE kind = 'fact_changes' AND book = new.user_id) WHERE id = new.id;
END;
