-- As the step for a file, but for the trigger: here a row has its number before it is written.
ALTER TABLE fact_changes ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
UPDATE fact_changes SET number = id;
CREATE UNIQUE INDEX fact_changes_number ON fact_changes (user_id, number) WHERE number > 0;
INSERT INTO numbers (kind, book, last) SELECT 'fact_changes', user_id, max(number) FROM fact_changes GROUP BY user_id;
CREATE OR REPLACE TRIGGER fact_changes_number BEFORE INSERT ON fact_changes FOR EACH ROW EXECUTE FUNCTION row_numbered();
