-- The index had whole facts in it, and a server takes no row of an index that is longer
-- than a third of a page.
DROP INDEX key_facts_subject;
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at, id, platform, channel) WHERE valid_to = '';
CREATE OR REPLACE FUNCTION json_clean(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT replace(regexp_replace(replace($1, '\\', chr(1)),
    '\\u0000|\\u[dD][89abAB][[:xdigit:]]{2}(?!\\u[dD][c-fC-F][[:xdigit:]]{2})|(?<!\\u[dD][89abAB][[:xdigit:]]{2})\\u[dD][c-fC-F][[:xdigit:]]{2}', '\\ufffd', 'g'), chr(1), '\\')$$;
CREATE OR REPLACE FUNCTION json_of(text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN strpos($1, '\u') > 0 THEN json_clean($1) ELSE $1 END::jsonb$$;
