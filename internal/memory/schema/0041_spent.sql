-- By key: a list to be looked for is a table of its own, which SQLite makes for each answer.
DROP TRIGGER spent_update;
DROP TRIGGER spent_delete;
CREATE TRIGGER spent_update AFTER UPDATE OF prompt_tokens, completion_tokens, cost ON usage BEGIN
    UPDATE spent SET tokens = tokens + new.prompt_tokens + new.completion_tokens - old.prompt_tokens - old.completion_tokens, cost = cost + new.cost - old.cost
        WHERE kind = 'user' AND name = new.user_id AND day = new.day;
    UPDATE spent SET tokens = tokens + new.prompt_tokens + new.completion_tokens - old.prompt_tokens - old.completion_tokens, cost = cost + new.cost - old.cost
        WHERE kind = 'channel' AND name = new.platform || ' ' || new.channel AND day = new.day;
END;
CREATE TRIGGER spent_delete AFTER DELETE ON usage BEGIN
    UPDATE spent SET tokens = tokens - old.prompt_tokens - old.completion_tokens, cost = cost - old.cost
        WHERE kind = 'user' AND name = old.user_id AND day = old.day;
    UPDATE spent SET tokens = tokens - old.prompt_tokens - old.completion_tokens, cost = cost - old.cost
        WHERE kind = 'channel' AND name = old.platform || ' ' || old.channel AND day = old.day;
    DELETE FROM spent WHERE kind = 'user' AND name = old.user_id AND day = old.day AND tokens <= 0 AND cost < 1e-9;
    DELETE FROM spent WHERE kind = 'channel' AND name = old.platform || ' ' || old.channel AND day = old.day AND tokens <= 0 AND cost < 1e-9;
END;
