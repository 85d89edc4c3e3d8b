-- What everybody spent is summed from usage when it is asked for, once a day and process: a
-- row that each answer changes has all answers of several processes wait for each other.
DELETE FROM spent WHERE kind = 'all';
DROP TRIGGER spent_insert;
DROP TRIGGER spent_update;
DROP TRIGGER spent_delete;
CREATE TRIGGER spent_insert AFTER INSERT ON usage BEGIN
    INSERT INTO spent SELECT 'user', new.user_id, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.user_id <> ''
        UNION ALL SELECT 'channel', new.platform || ' ' || new.channel, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.channel <> ''
        ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost;
END;
CREATE TRIGGER spent_update AFTER UPDATE OF prompt_tokens, completion_tokens, cost ON usage BEGIN
    UPDATE spent SET tokens = tokens + new.prompt_tokens + new.completion_tokens - old.prompt_tokens - old.completion_tokens, cost = cost + new.cost - old.cost
        WHERE day = new.day AND (kind, name) IN (VALUES ('user', new.user_id), ('channel', new.platform || ' ' || new.channel));
END;
CREATE TRIGGER spent_delete AFTER DELETE ON usage BEGIN
    UPDATE spent SET tokens = tokens - old.prompt_tokens - old.completion_tokens, cost = cost - old.cost
        WHERE day = old.day AND (kind, name) IN (VALUES ('user', old.user_id), ('channel', old.platform || ' ' || old.channel));
    DELETE FROM spent WHERE day = old.day AND (kind, name) IN (VALUES ('user', old.user_id), ('channel', old.platform || ' ' || old.channel))
        AND tokens <= 0 AND cost < 1e-9;
END;
