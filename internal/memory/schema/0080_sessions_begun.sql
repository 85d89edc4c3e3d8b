-- Lists of sessions go by when they began, which for imported ones is long before their row.
CREATE INDEX sessions_begun ON sessions (created_at);
