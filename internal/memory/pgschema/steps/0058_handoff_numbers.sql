-- Only for files: a server uses no number of a handoff twice.
SELECT 1;
