-- What a model at an endpoint was found not to take, so that no message pays for
-- the lesson again. endpoint is a base URL without what is secret of it; quirk is
-- a name of internal/llm/openai. Rows are read for a month: servers change.
CREATE TABLE quirks (
    endpoint TEXT NOT NULL,
    model    TEXT NOT NULL,
    quirk    TEXT NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (endpoint, model, quirk)
) WITHOUT ROWID;
