-- What everybody spent is summed from usage. The rows of it stay, for nodes that are older.
CREATE OR REPLACE FUNCTION spent_adds(u usage, sign bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO spent SELECT * FROM (SELECT 'user', u.user_id, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.user_id <> ''
        UNION ALL SELECT 'channel', u.platform || ' ' || u.channel, u.day, sign * (u.prompt_tokens + u.completion_tokens), sign * u.cost WHERE u.channel <> '') a
        ON CONFLICT (kind, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens, cost = spent.cost + excluded.cost;
END $$;
