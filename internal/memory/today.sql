-- What the migrations make, in one go. Written by TestToday.
CREATE TABLE cursors (
    platform TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (platform, name)
) WITHOUT ROWID;
CREATE TABLE sessions (
    id                TEXT PRIMARY KEY,
    platform          TEXT NOT NULL,
    channel           TEXT NOT NULL,
    thread            TEXT NOT NULL DEFAULT '',
    user_id           TEXT NOT NULL DEFAULT '', -- only with session.scope user
    status            TEXT NOT NULL DEFAULT 'active'
                      CHECK (status IN ('active', 'idle', 'suspended', 'completed', 'expired', 'archived')),
    direct            INTEGER NOT NULL DEFAULT 0,
    created_at        TEXT NOT NULL,
    last_activity     TEXT NOT NULL,
    expires_at        TEXT NOT NULL,
    ended_at          TEXT NOT NULL DEFAULT '',
    last_model        TEXT NOT NULL DEFAULT '',
    tokens_used       INTEGER NOT NULL DEFAULT 0,  -- size of what would be sent now
    summary           TEXT NOT NULL DEFAULT '',    -- rolling, of what left the window
    closing           TEXT NOT NULL DEFAULT '',    -- of the whole, once it is over
    summarized_at     INTEGER NOT NULL DEFAULT 0,  -- last message id inside the summary
    compression_count INTEGER NOT NULL DEFAULT 0,
    carried_from      TEXT NOT NULL DEFAULT '',    -- the session before, whose closing is shown
    carry             INTEGER NOT NULL DEFAULT 1,  -- 0: the next session starts without it
    title             TEXT NOT NULL DEFAULT '',
    mentions          TEXT NOT NULL DEFAULT '{}',  -- JSON: files, urls, symbols, people, refs
    playbook          TEXT NOT NULL DEFAULT '',    -- opaque to all but the playbook
    summary_tries     INTEGER NOT NULL DEFAULT 0
, generation INTEGER NOT NULL DEFAULT 1, via INTEGER NOT NULL DEFAULT 0 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', page TEXT NOT NULL DEFAULT '[]', debt TEXT NOT NULL DEFAULT '', owed_at TEXT NOT NULL DEFAULT '', folded_tokens INTEGER NOT NULL DEFAULT 0, agent TEXT NOT NULL DEFAULT '', told_end TEXT NOT NULL DEFAULT '', line TEXT NOT NULL DEFAULT '');
CREATE INDEX sessions_due ON sessions (status) WHERE status <> 'archived';
CREATE INDEX sessions_place ON sessions (platform, channel, thread, user_id, created_at);
CREATE TABLE participants (
    user_id  TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '', last_id INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, platform, channel, thread)
) WITHOUT ROWID;
CREATE TABLE decisions (
    id         TEXT PRIMARY KEY,
    inbox_id   INTEGER NOT NULL,
    session_id TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    user_id    TEXT NOT NULL,
    outcome   TEXT NOT NULL,
    model      TEXT NOT NULL DEFAULT '',
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    total_tokens      INTEGER NOT NULL DEFAULT 0,
    model_calls       INTEGER NOT NULL DEFAULT 0,
    duration_ms       INTEGER NOT NULL DEFAULT 0,
    detail     TEXT NOT NULL DEFAULT '{}', -- JSON: rules, facts, sources, error id
    at         TEXT NOT NULL
, via INTEGER NOT NULL DEFAULT 0 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', cached_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0, answered_by TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', command TEXT NOT NULL DEFAULT '', message_id TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '');
CREATE INDEX decisions_user ON decisions (user_id, at);
CREATE TABLE steps (
    inbox_id INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('model', 'tool')),
    key      TEXT NOT NULL,           -- the model call's number, or the tool call's id
    state    TEXT NOT NULL CHECK (state IN ('started', 'done')),
    result   TEXT NOT NULL DEFAULT '', people TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (inbox_id, n)
) WITHOUT ROWID;
CREATE TABLE people (
    user_id   TEXT PRIMARY KEY,
    time_zone TEXT NOT NULL DEFAULT '',  -- IANA name; '' is unknown
    playbook  TEXT NOT NULL DEFAULT ''   -- opaque to all but the playbook
, learn_after TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '', digest_at TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '', heard TEXT NOT NULL DEFAULT '', erased_at TEXT NOT NULL DEFAULT '', voice TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE grants (
    id     TEXT PRIMARY KEY,   -- telegram:42, telegram:chat:-100…, discord:guild:99…
    role   TEXT NOT NULL CHECK (role IN ('owner', 'member', 'denied')),
    by_id  TEXT NOT NULL,
    at     TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE attempts (
    user_id TEXT PRIMARY KEY,
    tries   INTEGER NOT NULL,
    until   TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE key_facts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- shown to people, so never used twice
    scope         TEXT NOT NULL CHECK (scope IN ('person', 'channel', 'guild')),
    subject       TEXT NOT NULL,             -- whom or what it is about: telegram:42, telegram:-100, discord:guild:99
    owner         TEXT NOT NULL,             -- subject as one word of the index
    platform      TEXT NOT NULL,             -- where it was said
    channel       TEXT NOT NULL,
    content       TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
    tags          TEXT NOT NULL DEFAULT '',  -- '#important #work'
    important     INTEGER NOT NULL DEFAULT 0,
    type          TEXT NOT NULL CHECK (type IN ('fact', 'preference', 'decision', 'insight')),
    author        TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system')),
    session_id    TEXT NOT NULL DEFAULT '',
    message_id    TEXT NOT NULL DEFAULT '',
    quote         TEXT NOT NULL DEFAULT '',
    confidence    REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    valid_from    TEXT NOT NULL,
    valid_to      TEXT NOT NULL DEFAULT '',  -- '' holds; else replaced then
    superseded_by INTEGER NOT NULL DEFAULT 0,
    previous      TEXT NOT NULL DEFAULT '',  -- what it said before the last correction
    uses          INTEGER NOT NULL DEFAULT 0,
    call_key      TEXT NOT NULL DEFAULT '',  -- of the tool call that wrote it
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
, via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', rank INTEGER NOT NULL DEFAULT 3 CHECK (rank BETWEEN 1 AND 3), ends TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 0);
CREATE INDEX key_facts_important ON key_facts (subject, scope, updated_at) WHERE valid_to = '' AND important;
CREATE UNIQUE INDEX key_facts_call ON key_facts (call_key) WHERE call_key <> '';
CREATE VIRTUAL TABLE key_facts_fts USING fts5 (owner, content, tags, content = 'key_facts', content_rowid = 'id', tokenize = 'porter unicode61');
CREATE TRIGGER key_facts_fts_insert AFTER INSERT ON key_facts BEGIN
    INSERT INTO key_facts_fts (rowid, owner, content, tags) VALUES (new.id, new.owner, new.content, new.tags);
END;
CREATE TRIGGER key_facts_fts_delete AFTER DELETE ON key_facts BEGIN
    INSERT INTO key_facts_fts (key_facts_fts, rowid, owner, content, tags) VALUES ('delete', old.id, old.owner, old.content, old.tags);
END;
CREATE TRIGGER key_facts_fts_update AFTER UPDATE OF owner, content, tags ON key_facts BEGIN
    INSERT INTO key_facts_fts (key_facts_fts, rowid, owner, content, tags) VALUES ('delete', old.id, old.owner, old.content, old.tags);
    INSERT INTO key_facts_fts (rowid, owner, content, tags) VALUES (new.id, new.owner, new.content, new.tags);
END;
CREATE TABLE fact_history (
    id         INTEGER PRIMARY KEY,
    fact_id    INTEGER NOT NULL REFERENCES key_facts (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    tags       TEXT NOT NULL,
    author     TEXT NOT NULL,
    session_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    since      TEXT NOT NULL, -- when it began to say this
    until      TEXT NOT NULL
, quote TEXT NOT NULL DEFAULT '', previous TEXT NOT NULL DEFAULT '', people TEXT NOT NULL DEFAULT '', via INTEGER NOT NULL DEFAULT 1, confidence REAL NOT NULL DEFAULT 1, rank INTEGER NOT NULL DEFAULT 3, ends TEXT NOT NULL DEFAULT '', updated TEXT NOT NULL DEFAULT '');
CREATE INDEX fact_history_fact ON fact_history (fact_id, id);
CREATE TABLE tasks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL,
    platform    TEXT NOT NULL,
    channel     TEXT NOT NULL,
    description TEXT NOT NULL CHECK (length(description) BETWEEN 1 AND 1000),
    done        INTEGER NOT NULL DEFAULT 0,
    call_key    TEXT NOT NULL DEFAULT '',
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    done_at     TEXT NOT NULL DEFAULT ''
, via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 0);
CREATE INDEX tasks_user ON tasks (user_id, done, id);
CREATE UNIQUE INDEX tasks_call ON tasks (call_key) WHERE call_key <> '';
CREATE TABLE reminders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    text       TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 1000),
    due_at     TEXT NOT NULL,
    schedule   TEXT NOT NULL DEFAULT '',  -- cron expression; '' is once
    zone       TEXT NOT NULL DEFAULT 'UTC', -- the schedule's
    state      TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'told', 'done')),
    told_at    TEXT NOT NULL DEFAULT '',
    call_key   TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
, via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', ended TEXT NOT NULL DEFAULT '', ask INTEGER NOT NULL DEFAULT 0, only_changed INTEGER NOT NULL DEFAULT 0, seen TEXT NOT NULL DEFAULT '', guild TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', away TEXT NOT NULL DEFAULT '' CHECK (away IN ('', 'lost', 'back')), lost TEXT NOT NULL DEFAULT '', lost_told TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 0);
CREATE INDEX reminders_due ON reminders (due_at) WHERE state = 'waiting';
CREATE INDEX reminders_user ON reminders (user_id, state, due_at);
CREATE UNIQUE INDEX reminders_call ON reminders (call_key) WHERE call_key <> '';
CREATE TABLE log_entries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    author     TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system')),
    type       TEXT NOT NULL CHECK (type IN ('thought', 'decision', 'research', 'insight')),
    content    TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
    call_key   TEXT NOT NULL DEFAULT '',
    at         TEXT NOT NULL
, via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 0);
CREATE INDEX log_entries_user ON log_entries (user_id, at);
CREATE UNIQUE INDEX log_entries_call ON log_entries (call_key) WHERE call_key <> '';
CREATE TABLE "codes" (
    purpose    TEXT NOT NULL CHECK (purpose IN ('claim', 'pair', 'page')),
    user_id    TEXT NOT NULL, -- whom it lets in; '' for whoever brings it
    name       TEXT NOT NULL DEFAULT '',
    hash       BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (purpose, user_id)
) WITHOUT ROWID;
CREATE INDEX decisions_at ON decisions (at, outcome, total_tokens, duration_ms);
CREATE TABLE fact_vectors (
    fact_id INTEGER PRIMARY KEY REFERENCES key_facts (id) ON DELETE CASCADE,
    model   TEXT NOT NULL DEFAULT '',  -- that made it; '' while there is none
    vector  BLOB NOT NULL DEFAULT x''
);
CREATE INDEX fact_vectors_model ON fact_vectors (model);
CREATE TRIGGER fact_vectors_insert AFTER INSERT ON key_facts BEGIN
    INSERT INTO fact_vectors (fact_id) VALUES (new.id);
END;
CREATE TRIGGER fact_vectors_update AFTER UPDATE OF content ON key_facts WHEN new.content <> old.content BEGIN
    UPDATE fact_vectors SET model = '', vector = x'' WHERE fact_id = new.id;
END;
CREATE INDEX key_facts_subject ON key_facts (subject, scope, updated_at, id, platform, channel, content) WHERE valid_to = '';
CREATE INDEX decisions_channel ON decisions (platform, channel, at, thread);
CREATE TABLE "inbox" (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    message_id TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'dead')),
    attempt    INTEGER NOT NULL DEFAULT 0,
    body       TEXT NOT NULL,             -- the message as JSON; emptied when done
    preview    TEXT NOT NULL DEFAULT '',  -- platform id of an unfinished answer
    at         TEXT NOT NULL,
    uid        TEXT NOT NULL              -- random; what the message did is known by it
);
CREATE UNIQUE INDEX inbox_once ON inbox (platform, channel, thread, message_id);
CREATE INDEX inbox_open ON inbox (id) WHERE state = 'new';
CREATE TABLE "outbox" (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    inbox_id    INTEGER NOT NULL DEFAULT 0, -- 0: nobody asked (a reminder)
    part        INTEGER NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('answer', 'notice')),
    platform    TEXT NOT NULL,
    channel     TEXT NOT NULL,
    thread      TEXT NOT NULL DEFAULT '',
    body        TEXT NOT NULL,              -- the part as JSON; emptied when sent
    nonce       TEXT NOT NULL,
    preview     TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL DEFAULT 'ready'
                CHECK (state IN ('ready', 'started', 'sent', 'unknown', 'dead')),
    platform_id TEXT NOT NULL DEFAULT '',
    attempts    INTEGER NOT NULL DEFAULT 0,
    not_before  TEXT NOT NULL DEFAULT '',
    unknown     INTEGER NOT NULL DEFAULT 0, -- attempts that may have arrived
    at          TEXT NOT NULL
, waits_for TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX outbox_once ON outbox (nonce) WHERE kind = 'notice';
CREATE INDEX outbox_open ON outbox (platform, channel, thread, id) WHERE state IN ('ready', 'started');
CREATE TABLE "messages" (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    platform     TEXT NOT NULL,
    channel      TEXT NOT NULL,
    thread       TEXT NOT NULL DEFAULT '',
    message_id   TEXT NOT NULL DEFAULT '', -- the platform's, '' for the bot's and tools' own
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    user_id      TEXT NOT NULL DEFAULT '', -- author; for the bot's words whom they answer
    name         TEXT NOT NULL DEFAULT '', -- display name, or the tool's name
    content      TEXT NOT NULL,
    tool_calls   TEXT NOT NULL DEFAULT '', -- JSON
    tool_call_id TEXT NOT NULL DEFAULT '',
    tokens       INTEGER NOT NULL DEFAULT 1,
    key_insight  TEXT NOT NULL DEFAULT '',
    at           TEXT NOT NULL, via INTEGER NOT NULL DEFAULT 1 CHECK (via BETWEEN 0 AND 8191), people TEXT NOT NULL DEFAULT '', attached TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '',
    CHECK (role <> 'tool' OR (tool_call_id <> '' AND name <> '')),
    CHECK (content <> '' OR tool_calls <> '')
);
CREATE INDEX messages_session ON messages (session_id, id);
CREATE INDEX messages_place ON messages (platform, channel, thread, id);
CREATE INDEX messages_user ON messages (user_id, id);
CREATE INDEX messages_platform_id ON messages (platform, channel, thread, message_id) WHERE message_id <> '';
CREATE TABLE dead_letters (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL DEFAULT '', -- the platform's own name for it; '' when it has none
    raw      BLOB NOT NULL,
    reason   TEXT NOT NULL,
    state    TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'retry')),
    tries    INTEGER NOT NULL DEFAULT 0, -- since it was put aside
    at       TEXT NOT NULL
);
CREATE UNIQUE INDEX dead_letters_once ON dead_letters (platform, event_id) WHERE event_id <> '';
CREATE TABLE overheard (
    day      TEXT NOT NULL, -- UTC, 2026-03-02
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '',
    n        INTEGER NOT NULL,
    PRIMARY KEY (day, platform, channel, thread)
) WITHOUT ROWID;
CREATE INDEX outbox_waiting ON outbox (waits_for) WHERE waits_for <> '';
CREATE TABLE membership (
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('in', 'out', 'blocked')),
    since      TEXT NOT NULL DEFAULT '', -- of 'in': nothing older is shown; '' is everything
    checked_at TEXT NOT NULL,            -- when it was told or asked
    PRIMARY KEY (user_id, platform, channel)
) WITHOUT ROWID;
CREATE INDEX membership_place ON membership (platform, channel);
CREATE TRIGGER messages_participant AFTER INSERT ON messages WHEN new.role = 'user'
BEGIN
    INSERT INTO participants (user_id, platform, channel, thread, last_id) VALUES (new.user_id, new.platform, new.channel, new.thread, new.id)
        ON CONFLICT (user_id, platform, channel, thread) DO UPDATE SET last_id = excluded.last_id;
END;
CREATE TABLE note_authors (
    path    TEXT PRIMARY KEY,            -- from the folder of notes
    user_id TEXT NOT NULL,
    shared  INTEGER NOT NULL DEFAULT 0,  -- everybody may read it
    hash    BLOB NOT NULL,               -- of the text as the bot left it
    at      TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX note_authors_user ON note_authors (user_id);
CREATE TABLE heartbeat (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    at     TEXT NOT NULL DEFAULT '',
    room   BLOB NOT NULL DEFAULT x'',
    schema TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_said ON outbox (platform_id) WHERE platform_id <> '';
CREATE TABLE questions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL, -- who was asked
    name       TEXT NOT NULL DEFAULT '',
    platform   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    thread     TEXT NOT NULL DEFAULT '',
    inbox_id   INTEGER NOT NULL DEFAULT 0, -- the message that led to it
    behind     TEXT NOT NULL DEFAULT '[]', -- others whose calls wait with it, as JSON
    text       TEXT NOT NULL DEFAULT '',   -- what was asked
    body       BLOB NOT NULL,              -- what a yes does, as JSON
    asked_at   TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'taken', 'settled', 'expired', 'replaced')),
    taken_by   INTEGER NOT NULL DEFAULT 0, -- inbox row of the answer
    by_id      TEXT NOT NULL DEFAULT '',
    by_name    TEXT NOT NULL DEFAULT '',
    came       TEXT NOT NULL DEFAULT ''    -- what came of it
, again INTEGER NOT NULL DEFAULT 0, restored INTEGER NOT NULL DEFAULT 0, session TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', lapse TEXT NOT NULL DEFAULT '');
CREATE INDEX questions_asked ON questions (user_id, platform, channel, thread);
CREATE TABLE allowances (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    tool     TEXT NOT NULL,
    by_id    TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (platform, channel, tool)
) WITHOUT ROWID;
CREATE TABLE usage (
    day               TEXT NOT NULL, -- 2026-01-31, in UTC
    platform          TEXT NOT NULL, -- '' where nobody asked
    channel           TEXT NOT NULL,
    user_id           TEXT NOT NULL, -- who asked, '' for nobody
    purpose           TEXT NOT NULL, -- the route
    model             TEXT NOT NULL, -- the owner's name for it
    calls             INTEGER NOT NULL DEFAULT 0,
    failed            INTEGER NOT NULL DEFAULT 0, -- of these
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens     INTEGER NOT NULL DEFAULT 0, -- of these
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    cost              REAL NOT NULL DEFAULT 0,    -- in limits.currency
    PRIMARY KEY (day, platform, channel, user_id, purpose, model)
) WITHOUT ROWID;
CREATE INDEX usage_user ON usage (user_id, day);
CREATE TABLE quirks (
    endpoint TEXT NOT NULL,
    model    TEXT NOT NULL,
    quirk    TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (endpoint, model, quirk)
) WITHOUT ROWID;
CREATE INDEX sessions_owed ON sessions (owed_at) WHERE owed_at <> '';
CREATE INDEX sessions_ended ON sessions (platform, channel, thread, user_id, ended_at) WHERE ended_at <> '';
CREATE TABLE session_texts (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    content    TEXT NOT NULL
);
CREATE VIRTUAL TABLE session_texts_fts USING fts5 (content, content = 'session_texts', content_rowid = 'id', tokenize = 'porter unicode61');
CREATE TRIGGER session_texts_insert AFTER INSERT ON session_texts
BEGIN
    INSERT INTO session_texts_fts (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER session_texts_delete AFTER DELETE ON session_texts
BEGIN
    INSERT INTO session_texts_fts (session_texts_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TABLE fact_changes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- shown in buttons
    batch      INTEGER NOT NULL DEFAULT 0,        -- the first of those that are undone together
    kind       TEXT NOT NULL CHECK (kind IN ('added', 'replaced', 'forgotten')),
    fact_id    INTEGER NOT NULL REFERENCES key_facts (id) ON DELETE CASCADE,
    other_id   INTEGER NOT NULL DEFAULT 0, -- added: the fact it disagrees with; replaced: the one it took the place of besides
    history_id INTEGER NOT NULL DEFAULT 0, -- replaced: what it said before
    user_id    TEXT NOT NULL,              -- who is told, and may undo it
    at         TEXT NOT NULL,
    stamp      TEXT NOT NULL,              -- the fact's updated_at then: another one was changed since
    learned    INTEGER NOT NULL DEFAULT 0, -- nobody asked for it: it belongs in the digest
    told       TEXT NOT NULL DEFAULT ''    -- '' is not yet
, source TEXT NOT NULL DEFAULT '' CHECK (source IN ('', 'file', 'program')), number INTEGER NOT NULL DEFAULT 0);
CREATE INDEX fact_changes_user ON fact_changes (user_id, at);
CREATE INDEX fact_changes_untold ON fact_changes (user_id, id) WHERE told = '';
CREATE INDEX fact_changes_fact ON fact_changes (fact_id);
CREATE INDEX fact_changes_learned ON fact_changes (at, user_id, fact_id) WHERE learned;
CREATE INDEX fact_changes_batch ON fact_changes (batch);
CREATE TABLE spent (
    kind   TEXT NOT NULL CHECK (kind IN ('all', 'user', 'channel')),
    name   TEXT NOT NULL, -- '', a person, or platform and channel
    day    TEXT NOT NULL, -- 2026-01-31, in UTC
    tokens INTEGER NOT NULL,
    cost   REAL NOT NULL,
    PRIMARY KEY (kind, name, day)
) WITHOUT ROWID;
CREATE TABLE bulk_work (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL CHECK (kind IN ('forget', 'wipe')),
    user_id TEXT NOT NULL,               -- whom to forget; '' once only the file is left to wipe
    but     INTEGER NOT NULL DEFAULT 0,  -- the inbox row that asked for it
    at      TEXT NOT NULL
);
CREATE INDEX participants_place ON participants (platform, channel, thread);
CREATE INDEX usage_place ON usage (platform, channel);
CREATE INDEX outbox_answers ON outbox (inbox_id) WHERE state = 'sent' AND inbox_id <> 0;
CREATE INDEX key_facts_place ON key_facts (platform, channel);
CREATE INDEX key_facts_past ON key_facts (scope, subject, valid_to) WHERE valid_to <> '';
CREATE INDEX key_facts_superseded ON key_facts (superseded_by) WHERE superseded_by <> 0;
CREATE TABLE places (
    n        INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    UNIQUE (platform, channel, thread)
);
CREATE VIEW messages_said AS
    SELECT m.id, (m.id << 20) | (p.n & 0xFFFFF) AS row, indexed(p.n, m.content) AS words
    FROM messages m JOIN places p ON p.platform = m.platform AND p.channel = m.channel AND p.thread = m.thread
    WHERE m.role <> 'tool';
CREATE VIRTUAL TABLE messages_fts USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
CREATE TRIGGER messages_place_insert BEFORE INSERT ON messages
BEGIN
    INSERT INTO places (platform, channel, thread) VALUES (new.platform, new.channel, new.thread) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_place_update BEFORE UPDATE OF platform, channel, thread ON messages
BEGIN
    INSERT INTO places (platform, channel, thread) VALUES (new.platform, new.channel, new.thread) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (rowid, words) SELECT (new.id << 20) | (n & 0xFFFFF), indexed(n, new.content) FROM places
        WHERE platform = new.platform AND channel = new.channel AND thread = new.thread;
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, words) SELECT 'delete', (old.id << 20) | (n & 0xFFFFF), indexed(n, old.content) FROM places
        WHERE platform = old.platform AND channel = old.channel AND thread = old.thread;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE OF id, content, platform, channel, thread ON messages WHEN old.role <> 'tool'
BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, words) SELECT 'delete', (old.id << 20) | (n & 0xFFFFF), indexed(n, old.content) FROM places
        WHERE platform = old.platform AND channel = old.channel AND thread = old.thread;
    INSERT INTO messages_fts (rowid, words) SELECT (new.id << 20) | (n & 0xFFFFF), indexed(n, new.content) FROM places
        WHERE platform = new.platform AND channel = new.channel AND thread = new.thread;
END;
CREATE TABLE embedders (
    n    INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE message_vectors (
    message_id INTEGER PRIMARY KEY,
    embedder   INTEGER NOT NULL, -- 0 for none
    vector     BLOB NOT NULL     -- vector.Vector; empty if there is nothing to compare
);
CREATE INDEX message_vectors_due ON message_vectors (message_id) WHERE embedder = 0;
CREATE TABLE message_sketches (
    message_id INTEGER PRIMARY KEY,
    embedder   INTEGER NOT NULL,
    place      INTEGER NOT NULL, -- of places
    sketch     BLOB NOT NULL
);
CREATE TRIGGER message_vectors_delete AFTER DELETE ON messages
BEGIN
    DELETE FROM message_vectors WHERE message_id = old.id;
    DELETE FROM message_sketches WHERE message_id = old.id;
END;
CREATE TRIGGER message_vectors_update AFTER UPDATE OF content, platform, channel, thread ON messages
    WHEN old.content <> new.content OR old.platform <> new.platform OR old.channel <> new.channel OR old.thread <> new.thread
BEGIN
    UPDATE message_vectors SET embedder = 0, vector = x'' WHERE message_id = new.id;
    DELETE FROM message_sketches WHERE message_id = new.id;
END;
CREATE TABLE guard_calls (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    arguments  TEXT NOT NULL,              -- JSON
    result     TEXT NOT NULL,              -- as the tool gave it
    confirmed  INTEGER NOT NULL DEFAULT 0, -- the person had said yes to it
    people     TEXT NOT NULL DEFAULT '',   -- JSON; whose words the result is made of
    at         TEXT NOT NULL
);
CREATE INDEX guard_calls_session ON guard_calls (session_id, user_id);
CREATE UNIQUE INDEX sessions_live ON sessions (platform, channel, thread, user_id, agent)
    WHERE status IN ('active', 'idle', 'suspended');
CREATE TABLE agent_people (
    user_id  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    playbook TEXT NOT NULL, -- opaque to all but the playbook
    PRIMARY KEY (user_id, agent)
) WITHOUT ROWID;
CREATE TABLE titles (
    id    TEXT PRIMARY KEY, -- telegram:chat:-100…, discord:guild:99…, discord:chat:12…
    title TEXT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER spent_insert AFTER INSERT ON usage BEGIN
    INSERT INTO spent SELECT 'user', new.user_id, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.user_id <> ''
        UNION ALL SELECT 'channel', new.platform || ' ' || new.channel, new.day, new.prompt_tokens + new.completion_tokens, new.cost WHERE new.channel <> ''
        ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost;
END;
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
CREATE TABLE moves (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL, -- what it was called
    became   TEXT NOT NULL, -- what it is called now: never an old name itself
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;
CREATE INDEX reminders_away ON reminders (platform, channel) WHERE away = 'lost';
CREATE TABLE forgotten (
    mark TEXT PRIMARY KEY, -- of somebody who was forgotten: a hash that nobody can read a name from
    at   TEXT NOT NULL     -- when, the last time
) WITHOUT ROWID;
CREATE TABLE "handoffs" (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- shown in buttons
    user_id       TEXT NOT NULL,             -- the person
    name          TEXT NOT NULL DEFAULT '',  -- what they call themselves
    platform      TEXT NOT NULL,             -- where the assistant is silent for them
    channel       TEXT NOT NULL,
    thread        TEXT NOT NULL DEFAULT '',
    direct        INTEGER NOT NULL DEFAULT 0,
    opened_by     TEXT NOT NULL,             -- the command, the assistant, a rule, a guard
    reason        TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'missed', 'over')),
    taker_id      TEXT NOT NULL DEFAULT '',
    taker_name    TEXT NOT NULL DEFAULT '',
    desk_platform TEXT NOT NULL DEFAULT '',  -- where it was taken
    desk_channel  TEXT NOT NULL DEFAULT '',
    desk_thread   TEXT NOT NULL DEFAULT '',
    last_id       TEXT NOT NULL DEFAULT '',  -- the person's newest message, as the platform calls it
    opened_at     TEXT NOT NULL,
    due_at        TEXT NOT NULL DEFAULT '',  -- by when the desk has to write; '' while it has
    changed_at    TEXT NOT NULL,
    agent         TEXT NOT NULL DEFAULT ''
, cut TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX handoffs_open ON handoffs (platform, channel, thread, user_id) WHERE state IN ('waiting', 'taken');
CREATE INDEX handoffs_due ON handoffs (due_at) WHERE due_at <> '';
CREATE INDEX handoffs_user ON handoffs (user_id);
CREATE INDEX handoffs_left ON handoffs (id) WHERE state <> 'over';
CREATE INDEX handoffs_taker ON handoffs (taker_id);
CREATE INDEX handoffs_desk ON handoffs (desk_platform, desk_channel);
CREATE TABLE handoff_posts (
    nonce      TEXT PRIMARY KEY, -- of the outbox
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX handoff_posts_of ON handoff_posts (handoff_id);
CREATE TABLE "tool_calls" (
    id          INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL,
    inbox_id    INTEGER NOT NULL,
    sequence    INTEGER NOT NULL,
    call_id     TEXT NOT NULL,
    name        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    result      TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL CHECK (status IN ('pending', 'running', 'retrying', 'success', 'failed', 'timeout', 'unknown', 'error', 'declined', 'expired')),
    retries     INTEGER NOT NULL DEFAULT 0,
    duration_ms INTEGER NOT NULL DEFAULT 0,
    at          TEXT NOT NULL,
    class       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tool_calls_decision ON tool_calls (decision_id, sequence);
CREATE INDEX tool_calls_waiting ON tool_calls (inbox_id) WHERE status = 'pending';
CREATE TABLE closed_places (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL DEFAULT '', -- '' is the whole channel
    state    TEXT NOT NULL CHECK (state IN ('left', 'blocked', 'shut', 'back')), -- 'back': its owner hears of it next
    since    TEXT NOT NULL,
    next_try TEXT NOT NULL DEFAULT '', -- when something is sent there again
    told     TEXT NOT NULL DEFAULT '', -- when the owner heard of it
    PRIMARY KEY (platform, channel, thread)
) WITHOUT ROWID;
CREATE TABLE handoff_answers (
    nonce      TEXT PRIMARY KEY, -- of the outbox
    handoff_id INTEGER NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,    -- of the desk, as the platform calls it
    part       INTEGER NOT NULL,
    at         TEXT NOT NULL     -- when that was written, as the transcript has it
) WITHOUT ROWID;
CREATE INDEX handoff_answers_of ON handoff_answers (handoff_id, message_id);
CREATE TABLE ends (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT NOT NULL,              -- what it was
    what   TEXT NOT NULL,              -- its id
    reader TEXT NOT NULL,
    at     TEXT NOT NULL,
    due_at TEXT NOT NULL,              -- of the next try
    tries  INTEGER NOT NULL DEFAULT 0, -- that failed
    UNIQUE (kind, what, reader)
);
CREATE INDEX fact_changes_filed ON fact_changes (at) WHERE source = 'file';
CREATE TABLE numbers (
    kind TEXT NOT NULL,    -- a scope of facts (person, channel, guild), or the name of a table
    book TEXT NOT NULL,    -- whose: a person, a channel or a server
    last INTEGER NOT NULL, -- number given out; none is given out twice while the book is there
    PRIMARY KEY (kind, book)
) WITHOUT ROWID;
CREATE UNIQUE INDEX key_facts_number ON key_facts (subject, scope, number) WHERE number > 0;
CREATE UNIQUE INDEX tasks_number ON tasks (user_id, number) WHERE number > 0;
CREATE UNIQUE INDEX reminders_number ON reminders (user_id, number) WHERE number > 0;
CREATE UNIQUE INDEX log_entries_number ON log_entries (user_id, number) WHERE number > 0;
CREATE TRIGGER key_facts_number AFTER INSERT ON key_facts WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES (new.scope, new.subject,
            1 + coalesce((SELECT max(number) FROM key_facts WHERE subject = new.subject AND scope = new.scope AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE key_facts SET number = (SELECT last FROM numbers WHERE kind = new.scope AND book = new.subject) WHERE id = new.id;
END;
CREATE TRIGGER tasks_number AFTER INSERT ON tasks WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('tasks', new.user_id,
            1 + coalesce((SELECT max(number) FROM tasks WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE tasks SET number = (SELECT last FROM numbers WHERE kind = 'tasks' AND book = new.user_id) WHERE id = new.id;
END;
CREATE TRIGGER reminders_number AFTER INSERT ON reminders WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('reminders', new.user_id,
            1 + coalesce((SELECT max(number) FROM reminders WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE reminders SET number = (SELECT last FROM numbers WHERE kind = 'reminders' AND book = new.user_id) WHERE id = new.id;
END;
CREATE TRIGGER log_entries_number AFTER INSERT ON log_entries WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('log_entries', new.user_id,
            1 + coalesce((SELECT max(number) FROM log_entries WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE log_entries SET number = (SELECT last FROM numbers WHERE kind = 'log_entries' AND book = new.user_id) WHERE id = new.id;
END;
CREATE TABLE decided (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  TEXT NOT NULL,
    line        TEXT NOT NULL,             -- of the session
    number      INTEGER NOT NULL,          -- in its place, as people type it
    content     TEXT NOT NULL,             -- '' once it was forgotten, so that no summary brings it back
    user_id     TEXT NOT NULL DEFAULT '',  -- who said it; '' is unknown
    name        TEXT NOT NULL DEFAULT '',
    message_id  TEXT NOT NULL DEFAULT '',  -- that says it, as its platform names it
    at          TEXT NOT NULL,
    replaced_at TEXT NOT NULL DEFAULT '',  -- since when it does not hold
    replaced_by INTEGER NOT NULL DEFAULT 0, -- the row that holds instead
    via         INTEGER NOT NULL DEFAULT 0,
    people      TEXT NOT NULL DEFAULT ''
);
CREATE INDEX decided_line ON decided (line, id);
CREATE INDEX decided_session ON decided (session_id);
CREATE INDEX decided_user ON decided (user_id);
CREATE TRIGGER sessions_text AFTER UPDATE OF title, closing ON sessions WHEN old.title <> new.title OR old.closing <> new.closing
BEGIN
    DELETE FROM session_texts WHERE session_id = new.id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || coalesce((SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id), '')
        FROM sessions s WHERE s.id = new.id AND (s.title <> '' OR s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id AND d.content <> ''));
END;
CREATE TRIGGER sessions_text_delete AFTER DELETE ON sessions
BEGIN
    DELETE FROM decided WHERE session_id = old.id;
    DELETE FROM session_texts WHERE session_id = old.id;
END;
CREATE TRIGGER decided_text_insert AFTER INSERT ON decided
BEGIN
    DELETE FROM session_texts WHERE session_id = new.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || (SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id)
        FROM sessions s WHERE s.id = new.session_id;
END;
CREATE TRIGGER decided_text_update AFTER UPDATE OF content ON decided WHEN old.content <> new.content
BEGIN
    DELETE FROM session_texts WHERE session_id = new.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || (SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id)
        FROM sessions s WHERE s.id = new.session_id;
END;
CREATE TRIGGER decided_text_delete AFTER DELETE ON decided
BEGIN
    DELETE FROM session_texts WHERE session_id = old.session_id;
    INSERT INTO session_texts (session_id, content)
        SELECT s.id, s.title || char(10) || s.closing || char(10) || coalesce((SELECT group_concat(content, char(10)) FROM decided d WHERE d.session_id = s.id), '')
        FROM sessions s WHERE s.id = old.session_id AND (s.title <> '' OR s.closing <> '' OR EXISTS (SELECT 1 FROM decided d WHERE d.session_id = s.id AND d.content <> ''));
END;
CREATE TABLE imports (
    digest TEXT PRIMARY KEY, -- of what it reads
    total  INTEGER NOT NULL, -- messages in it
    stored INTEGER NOT NULL, -- of these, in order, so far
    began  TEXT NOT NULL,
    at     TEXT NOT NULL     -- when it stored the last
) WITHOUT ROWID;
CREATE INDEX sessions_begun ON sessions (created_at);
CREATE TABLE web_logins (
    id         TEXT PRIMARY KEY,                                 -- what lists call it
    hash       BLOB NOT NULL UNIQUE,                             -- of the link's code, or of the cookie
    state      TEXT NOT NULL CHECK (state IN ('link', 'open')),
    user_id    TEXT NOT NULL,
    platform   TEXT NOT NULL,                                    -- the direct chat
    channel    TEXT NOT NULL,
    browser    TEXT NOT NULL DEFAULT '',                         -- its kind and system, in words of ours
    created_at TEXT NOT NULL,
    used_at    TEXT NOT NULL,
    until      TEXT NOT NULL
);
CREATE INDEX web_logins_user ON web_logins (user_id);
CREATE TABLE web_files (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name    TEXT NOT NULL,
    data    BLOB NOT NULL,
    at      TEXT NOT NULL
);
CREATE INDEX web_files_user ON web_files (user_id);
CREATE TABLE hooks (
    name     TEXT PRIMARY KEY,
    secret   TEXT NOT NULL,             -- with which its sender proves who it is
    platform TEXT NOT NULL,             -- where it speaks
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    direct   INTEGER NOT NULL,          -- that is a chat with one person
    does     TEXT NOT NULL,             -- say, ask or keep
    template TEXT NOT NULL,
    by_id    TEXT NOT NULL,             -- the owner
    at       TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE hook_pauses (
    name TEXT PRIMARY KEY,
    at   TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE hook_deliveries (
    hook     TEXT NOT NULL,
    delivery TEXT NOT NULL,             -- the sender's name for it, or one of its bytes and time
    digest   TEXT NOT NULL,             -- of its bytes
    platform TEXT NOT NULL,             -- where it went
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (hook, delivery)
) WITHOUT ROWID;
CREATE INDEX hook_digests ON hook_deliveries (hook, digest, at);
CREATE TABLE api_tokens (
    id         TEXT PRIMARY KEY,         -- what lists call it
    hash       BLOB NOT NULL UNIQUE,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,            -- as the person called it
    created_at TEXT NOT NULL,
    used_at    TEXT NOT NULL DEFAULT ''  -- '' is never
);
CREATE INDEX api_tokens_user ON api_tokens (user_id);
CREATE TABLE api_requests (
    id       TEXT PRIMARY KEY,           -- of the message in the inbox
    user_id  TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    thread   TEXT NOT NULL,
    twin     TEXT NOT NULL,              -- the same for requests that may be one
    digest   TEXT NOT NULL,              -- of what was asked
    state    TEXT NOT NULL CHECK (state IN ('open', 'given')), -- the whole answer was written to a client
    answer   TEXT NOT NULL DEFAULT '',   -- its parts, as JSON
    at       TEXT NOT NULL
);
CREATE INDEX api_requests_twin ON api_requests (twin, at);
CREATE INDEX api_requests_place ON api_requests (platform, channel, thread, at);
CREATE INDEX api_requests_user ON api_requests (user_id);
CREATE TABLE proposed (
    id      INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    digest  TEXT NOT NULL, -- of what it says, so that it is proposed once
    content TEXT NOT NULL, -- '' once they answered
    source  TEXT NOT NULL, -- the file
    at      TEXT NOT NULL
);
CREATE UNIQUE INDEX proposed_once ON proposed (user_id, digest);
CREATE TABLE "policies" (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    listen   TEXT NOT NULL CHECK (listen IN ('', 'mention', 'ambient', 'all', 'off')),
    who      TEXT NOT NULL DEFAULT '' CHECK (who IN ('', 'admins', 'owner')),
    tools    TEXT, -- names with commas between; NULL is all
    PRIMARY KEY (platform, channel)
) WITHOUT ROWID;
CREATE TABLE listening (
    user_id  TEXT NOT NULL,             -- '' is the place as a whole
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,             -- '' is everywhere
    state    TEXT NOT NULL CHECK (state IN ('told', 'out', 'over')), -- 'over': it read along there once
    at       TEXT NOT NULL,
    PRIMARY KEY (platform, channel, user_id)
) WITHOUT ROWID;
CREATE INDEX listening_user ON listening (user_id);
CREATE TABLE unasked (
    day      TEXT NOT NULL,
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    n        INTEGER NOT NULL,
    PRIMARY KEY (day, platform, channel)
) WITHOUT ROWID;
CREATE UNIQUE INDEX fact_changes_number ON fact_changes (user_id, number) WHERE number > 0;
CREATE TRIGGER fact_changes_number AFTER INSERT ON fact_changes WHEN new.number = 0 BEGIN
    INSERT INTO numbers (kind, book, last) VALUES ('fact_changes', new.user_id,
            1 + coalesce((SELECT max(number) FROM fact_changes WHERE user_id = new.user_id AND number > 0), 0))
        ON CONFLICT (kind, book) DO UPDATE SET last = last + 1;
    UPDATE fact_changes SET number = (SELECT last FROM numbers WHERE kind = 'fact_changes' AND book = new.user_id) WHERE id = new.id;
END;
INSERT INTO key_facts_fts (key_facts_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO session_texts_fts (session_texts_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO sqlite_sequence (name, seq) VALUES ('decided', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('fact_changes', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('inbox', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', 0);
INSERT INTO secrets (name, value) VALUES ('nonce', randomblob(16));
PRAGMA user_version = 60;
