-- Channels may be read along; '' is what channel.mode says.
ALTER TABLE policies DROP CONSTRAINT policies_listen_check;
ALTER TABLE policies ADD CONSTRAINT policies_listen_check CHECK (listen IN ('', 'mention', 'ambient', 'all', 'off'));
