-- Whether somebody said nearly the same before is read from the index alone: there
-- the facts of one person stand side by side, in the table they are scattered.

DROP INDEX key_facts_subject;
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at, id, platform, channel, content) WHERE valid_to = '';

-- Every answer writes what these hold; no query looks for it.
DROP INDEX outbox_sent;
-- An answer is stored once because its message is finished once; only notices
-- are known by their nonce.
DROP INDEX outbox_once;
CREATE UNIQUE INDEX outbox_once ON outbox (nonce) WHERE kind = 'notice';
-- One for both: the threads of a channel are told apart inside the index.
DROP INDEX decisions_place;
DROP INDEX decisions_channel;
CREATE INDEX decisions_channel ON decisions (platform, channel, at, thread);
