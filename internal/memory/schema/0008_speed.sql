-- Whether somebody said nearly the same before is read from the index alone: there
-- the facts of one person stand side by side, in the table they are scattered.

DROP INDEX key_facts_subject;
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at, id, platform, channel, content) WHERE valid_to = '';
