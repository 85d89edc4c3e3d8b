-- Telegram was asked who is in a group, and whoever had left or was put out was noted as
-- being there. What was noted counts as seen no more: it is asked again.
UPDATE membership SET checked_at = '' WHERE platform = 'telegram' AND state = 'in';
