-- As in own.sql: what triggers call is planned once for a connection, and not each time.
CREATE OR REPLACE FUNCTION words_due(kind text, id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('parley.due', coalesce(current_setting('parley.due', true), '') || kind || id || ' ', true);
END $$;
CREATE OR REPLACE FUNCTION spent_adds(u usage, sign bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spent SELECT * FROM (SELECT 'all', '', u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost
        UNION ALL SELECT 'user', u.user_id, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.user_id <> ''
        UNION ALL SELECT 'channel', u.platform || ' ' || u.channel, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.channel <> '') a
        ON CONFLICT (kind, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens, cost = spent.cost + excluded.cost;
END $$;
