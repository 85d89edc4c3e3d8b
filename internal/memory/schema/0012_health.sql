-- One row that is written to see whether the disk takes anything: room is
-- filled and emptied when it did not. schema is the digest of a schema that was
-- compared with what the migrations make, and found right.
CREATE TABLE heartbeat (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    at     TEXT NOT NULL DEFAULT '',
    room   BLOB NOT NULL DEFAULT x'',
    schema TEXT NOT NULL DEFAULT ''
);
