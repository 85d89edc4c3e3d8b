-- Whose words a quoted message is: an answer is looked up by what its platform
-- calls it. Without the index, the answers of a week are read for each quote.
-- Channels that share an id are few rows; their names would only make it larger.
CREATE INDEX outbox_said ON outbox (platform_id) WHERE platform_id <> '';
