-- As in the prelude: cleaning takes long, and most texts are escaped for their "<" alone.
CREATE OR REPLACE FUNCTION json_of(text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
    $$SELECT CASE WHEN strpos($1, '\u') > 0 AND $1 ~ '\\u(0000|[dD][89a-fA-F])' THEN json_clean($1) ELSE $1 END::jsonb$$;
