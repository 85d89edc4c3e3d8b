-- Several agents share one bot. Each reads what was said to it, and nothing that was
-- said to another: '' is the only one, or the one that took over what was there
-- before; others go by their names.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE key_facts ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE handoffs ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE log_entries ADD COLUMN agent TEXT NOT NULL DEFAULT '';

-- A place that is given to another agent has a session of each until the older one
-- ends by silence.
DROP INDEX sessions_live;
CREATE UNIQUE INDEX sessions_live ON sessions (platform, channel, thread, user_id, agent)
    WHERE status IN ('active', 'idle', 'suspended');

-- What the playbook of an agent other than '' keeps of somebody; for '' it is in people.
CREATE TABLE agent_people (
    user_id  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    playbook TEXT NOT NULL, -- opaque to all but the playbook
    PRIMARY KEY (user_id, agent)
) WITHOUT ROWID;
