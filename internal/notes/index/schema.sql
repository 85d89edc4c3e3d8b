-- The index of a vault. It can be deleted at any time; it is never migrated,
-- another version is built anew. Text lives in sections alone: the word indexes
-- hold no copy of it.

CREATE TABLE meta ( -- one row
    complete INTEGER NOT NULL, -- was everything looked at once
    model    TEXT NOT NULL, -- that made the vectors
    parser   TEXT NOT NULL  -- that read the code
);
INSERT INTO meta VALUES (0, '', '');

CREATE TABLE docs (
    id      INTEGER PRIMARY KEY,
    source  TEXT NOT NULL,
    path    TEXT NOT NULL,
    folded  TEXT NOT NULL, -- the path as names are compared
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL, -- what links find it by
    title   TEXT NOT NULL,
    skipped TEXT NOT NULL, -- why nothing of it is indexed, '' when it is
    partly  TEXT NOT NULL, -- what of it is not indexed, '' when that is nothing
    day     INTEGER NOT NULL, -- that it is of, in days since 1970; 0 where it names none
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,
    hash    BLOB NOT NULL,
    UNIQUE (source, path)
);
CREATE INDEX docs_name ON docs (name);
CREATE INDEX docs_folded ON docs (folded);
CREATE INDEX docs_newest ON docs (kind, mtime);

CREATE TABLE sections (
    id      INTEGER PRIMARY KEY,
    doc     INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
    heading TEXT NOT NULL,
    line    INTEGER NOT NULL,
    page    INTEGER NOT NULL, -- of a document, from 1; 0 where there are none
    hash    BLOB NOT NULL, -- of what it means: kind, title, heading and text
    text    TEXT NOT NULL
);
CREATE INDEX sections_doc ON sections (doc);
CREATE INDEX sections_hash ON sections (hash);

-- What sections mean. A file that changed leaves those of its other sections.
CREATE TABLE vectors (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);

CREATE TABLE tags (doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE, tag TEXT NOT NULL, PRIMARY KEY (doc, tag)) WITHOUT ROWID;
-- What files link, as it is written, by the name it ends in; kind is how (links.Kind).
CREATE TABLE links (doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE, target TEXT NOT NULL, written TEXT NOT NULL, kind INTEGER NOT NULL, PRIMARY KEY (doc, target, written, kind)) WITHOUT ROWID;
CREATE INDEX links_target ON links (target);

-- Blocks of notes that have an id, with their words.
CREATE TABLE blocks (doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE, block TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (doc, block)) WITHOUT ROWID;
CREATE INDEX blocks_block ON blocks (block);

-- What people may call a note: file name, title and aliases, in small letters.
CREATE TABLE names (doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE, name TEXT NOT NULL, PRIMARY KEY (doc, name)) WITHOUT ROWID;
CREATE INDEX names_name ON names (name);

-- What stands at the head of notes, key by key, in small letters.
CREATE TABLE properties (doc INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (doc, key, value)) WITHOUT ROWID;
CREATE INDEX properties_key ON properties (key, value);

-- Which folder a source was when files were last found in it: another one that is
-- empty is not there yet, or no longer.
CREATE TABLE folders (source TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE symbols (
    doc   INTEGER NOT NULL REFERENCES docs ON DELETE CASCADE,
    name  TEXT NOT NULL COLLATE NOCASE,
    owner TEXT NOT NULL COLLATE NOCASE,
    line  INTEGER NOT NULL
);
CREATE INDEX symbols_doc ON symbols (doc);
CREATE INDEX symbols_name ON symbols (name);

-- Notes and code apart, so that a word's weight is its weight among its like.
CREATE VIRTUAL TABLE notes_fts USING fts5 (title, heading, tags, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE code_fts USING fts5 (title, heading, tags, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');

-- The words of each section as they are spelled, each behind its kind: tells
-- whether a word stands anywhere that a reader may know of.
CREATE VIRTUAL TABLE spelled_fts USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

-- Each word that ever stood in a section, once, with its letters by threes: a
-- part of a word or a slip of the pen finds the words it may stand for. A word
-- that is gone from all files finds nothing; Scrub takes it out.
CREATE TABLE words (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, word TEXT NOT NULL, UNIQUE (kind, word));
CREATE VIRTUAL TABLE words_fts USING fts5 (word, content = 'words', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1');
CREATE TRIGGER words_insert AFTER INSERT ON words
BEGIN
    INSERT INTO words_fts (rowid, word) VALUES (new.id, new.word);
END;
