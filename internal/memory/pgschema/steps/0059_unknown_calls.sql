-- Calls that may have been done, which is neither success nor failure.
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_status_check;
ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_status_check CHECK (status IN ('pending', 'running', 'retrying', 'success', 'failed', 'timeout', 'unknown', 'error', 'declined', 'expired'));
