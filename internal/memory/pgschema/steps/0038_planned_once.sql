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

-- As in the prelude: what is not STRICT becomes part of the statement that calls it.
CREATE OR REPLACE FUNCTION json_at(text, text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
    $$SELECT CASE WHEN $2 = '$' THEN json_of($1) ELSE json_of($1) #> string_to_array(substr($2, 3), '.') END$$;
CREATE OR REPLACE FUNCTION json_each(text, text) RETURNS TABLE (key bigint, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT n - 1, v #>> '{}' FROM (SELECT json_at($1, $2) AS j) x,
        jsonb_array_elements(CASE jsonb_typeof(j) WHEN 'array' THEN j WHEN 'object' THEN jsonb_path_query_array(j, '$.*') ELSE jsonb_build_array(j) END) WITH ORDINALITY e (v, n) WHERE j IS NOT NULL$$;
CREATE OR REPLACE FUNCTION json_each(text) RETURNS TABLE (key bigint, value text) LANGUAGE sql IMMUTABLE AS $$SELECT key, value FROM json_each($1, '$')$$;
