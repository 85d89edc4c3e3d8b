-- What several nodes share about themselves. A node's number is never used again, so
-- whoever finds another number than its own in a row knows that it lost what the row
-- stands for.
CREATE TABLE IF NOT EXISTS node_leases (
    id      text COLLATE "C" PRIMARY KEY, -- of one life of a process
    name    text NOT NULL,                -- of the process, for people
    version text NOT NULL,
    began   timestamptz NOT NULL DEFAULT clock_timestamp(),
    until   timestamptz NOT NULL          -- by the server's clock
);
CREATE TABLE IF NOT EXISTS node_roles (
    name  text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL       -- a lease's id
);
-- Who takes part in roles that are divided.
CREATE TABLE IF NOT EXISTS node_takers (
    share text COLLATE "C" NOT NULL,
    node  text COLLATE "C" NOT NULL,      -- a lease's id
    PRIMARY KEY (share, node)
);
-- Who works on a conversation. One without a row is nobody's. The owner's number is what
-- fences: it is one life's of a process, so it never comes back. A process that has a
-- conversation again under its next number may still be about something of the one before;
-- so what it writes also depends on the row that it writes to (an unfinished message, an
-- unsent part), which another process has changed if it did the same.
CREATE TABLE IF NOT EXISTS node_lanes (
    platform text COLLATE "C" NOT NULL,
    channel  text COLLATE "C" NOT NULL,
    thread   text COLLATE "C" NOT NULL,
    owner    text COLLATE "C" NOT NULL,
    epoch    bigint NOT NULL DEFAULT 1,   -- how many owners it had
    PRIMARY KEY (platform, channel, thread)
);
CREATE INDEX IF NOT EXISTS node_lanes_owner ON node_lanes (owner);
-- What one node stored for a conversation of another.
CREATE TABLE IF NOT EXISTS node_mail (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    platform text COLLATE "C" NOT NULL,
    channel  text COLLATE "C" NOT NULL,
    thread   text COLLATE "C" NOT NULL,
    inbox_id bigint NOT NULL              -- 0: parts that wait to be sent
);
CREATE INDEX IF NOT EXISTS node_mail_lane ON node_mail (platform, channel, thread);
-- What one node was asked to forget, while the others do so with what they keep for
-- themselves, and which have; then without a name.
CREATE TABLE IF NOT EXISTS node_forget (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    text NOT NULL,
    session_id text NOT NULL,
    node       text COLLATE "C" NOT NULL, -- that was asked
    at         timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS node_forgot (
    told bigint NOT NULL REFERENCES node_forget (id) ON DELETE CASCADE,
    node text COLLATE "C" NOT NULL,
    PRIMARY KEY (told, node)
);
