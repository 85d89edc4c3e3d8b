-- Journeys and variables belong to a person; a session held one journey of nobody in
-- particular. It goes to whose session it is, else to who gave the newest value, else
-- to who spoke when the journey began.
UPDATE sessions SET playbook = json_object('v', 2, 'people', json_object(
    coalesce(
        nullif(user_id, ''),
        (SELECT m.user_id FROM json_each(sessions.playbook, '$.vars') AS v
            JOIN messages AS m ON m.session_id = sessions.id AND m.role = 'user' AND m.message_id = v.value ->> 'source_message_id'
            ORDER BY m.id DESC LIMIT 1),
        (SELECT m.user_id FROM messages AS m WHERE m.session_id = sessions.id AND m.role = 'user'
            ORDER BY abs(julianday(m.at) - coalesce(julianday(sessions.playbook ->> '$.journey.started'), 0)), m.id DESC LIMIT 1),
        ''),
    json_remove(json_set(playbook, '$.journeys', json_array(
        json_extract(playbook, '$.journey'), json_extract(playbook, '$.parked'))),
        '$.v', '$.journey', '$.parked')))
WHERE CASE WHEN json_valid(playbook) THEN playbook ->> '$.v' = 1 END;
