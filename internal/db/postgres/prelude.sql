-- The few functions of SQLite that statements use, for texts.
CREATE FUNCTION iif(boolean, anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
CREATE FUNCTION substr(text, bigint) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT substr($1, $2::int)';
CREATE FUNCTION substr(text, bigint, bigint) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT substr($1, $2::int, $3::int)';
CREATE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT strpos($1, $2)';
-- A JSON text may hold a character 0, which PostgreSQL knows in no text, and halves of
-- characters. What is written otherwise stays what it is: the backslashes of "\\u0000".
CREATE FUNCTION json_clean(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT replace(regexp_replace(replace($1, '\\', chr(1)),
    '\\u0000|\\u[dD][89abAB][[:xdigit:]]{2}(?!\\u[dD][c-fC-F][[:xdigit:]]{2})|(?<!\\u[dD][89abAB][[:xdigit:]]{2})\\u[dD][c-fC-F][[:xdigit:]]{2}', '\\ufffd', 'g'), chr(1), '\\')$$;
-- Cleaning takes long, and most texts are escaped for their "<" alone.
CREATE FUNCTION json_of(text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
    $$SELECT CASE WHEN strpos($1, '\u') > 0 AND $1 ~ '\\u(0000|[dD][89a-fA-F])' THEN json_clean($1) ELSE $1 END::jsonb$$;
CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM json_of($1);
    RETURN $1 IS NOT NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;
-- What is not STRICT becomes part of the statement that calls it.
CREATE FUNCTION json_at(text, text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
    $$SELECT CASE WHEN $2 = '$' THEN json_of($1) ELSE json_of($1) #> string_to_array(substr($2, 3), '.') END$$;
CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT json_at($1, $2) #>> '{}'$$;
CREATE FUNCTION json_item(text, bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT json_of($1) ->> $2::int$$;
CREATE FUNCTION json_field(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
    $$SELECT CASE WHEN left($2, 2) = '$.' THEN json_extract($1, $2) ELSE json_of($1) ->> $2 END$$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = bigint, FUNCTION = json_item);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_field);
-- The elements of a list, or the values of an object.
CREATE FUNCTION json_each(text, text) RETURNS TABLE (key bigint, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT n - 1, v #>> '{}' FROM (SELECT json_at($1, $2) AS j) x,
        jsonb_array_elements(CASE jsonb_typeof(j) WHEN 'array' THEN j WHEN 'object' THEN jsonb_path_query_array(j, '$.*') ELSE jsonb_build_array(j) END) WITH ORDINALITY e (v, n) WHERE j IS NOT NULL$$;
CREATE FUNCTION json_each(text) RETURNS TABLE (key bigint, value text) LANGUAGE sql IMMUTABLE AS $$SELECT key, value FROM json_each($1, '$')$$;
CREATE FUNCTION json_remove(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT (json_of($1) #- string_to_array(substr($2, 3), '.'))::text$$;
CREATE FUNCTION "json_array"(VARIADIC text[]) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT to_jsonb($1)::text';
-- How many of them are true.
CREATE FUNCTION count_true(bigint, boolean) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $2 IS NULL THEN $1 ELSE coalesce($1, 0) + $2::int END';
CREATE AGGREGATE sum(boolean) (SFUNC = count_true, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = safe);
CREATE FUNCTION json_list(text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT coalesce(to_jsonb($1), '[]')::text$$;
CREATE AGGREGATE json_group_array(text) (SFUNC = array_append, STYPE = text[], FINALFUNC = json_list);
CREATE FUNCTION json_list(json[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT coalesce(to_jsonb($1), '[]')::text$$;
CREATE AGGREGATE json_group_array(json) (SFUNC = array_append, STYPE = json[], FINALFUNC = json_list);
-- Bytes as a text, whatever they are, and every plain value within a JSON text.
CREATE FUNCTION text_of(bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN convert_from($1, 'UTF8');
EXCEPTION WHEN OTHERS THEN
    RETURN encode($1, 'escape');
END $$;
CREATE FUNCTION json_atoms(text) RETURNS TABLE (atom text) LANGUAGE sql IMMUTABLE STRICT AS
    $$SELECT v #>> '{}' FROM jsonb_path_query(json_of($1), 'strict $.**') v WHERE jsonb_typeof(v) NOT IN ('object', 'array')$$;
