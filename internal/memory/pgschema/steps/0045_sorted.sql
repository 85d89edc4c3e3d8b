ALTER INDEX messages_fts_words SET (gin_pending_list_limit = 64);
ALTER INDEX key_facts_fts_words SET (gin_pending_list_limit = 64);
ALTER INDEX session_texts_fts_words SET (gin_pending_list_limit = 64);
