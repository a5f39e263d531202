-- What was said in the chat is a kind of its own: it is more than what somebody wrote down, and is looked for apart from it.
drop index traces_notes;
drop index traces_past_notes;
create index traces_notes on traces (user_id, "timestamp", uid, seq)
  where transition_of is null and type not in ('agent_plan', 'calendar_event') and not tags @> array['chat'];
create index traces_past_notes on traces_past (user_id, "timestamp", uid, seq, until)
  where type not in ('agent_plan', 'calendar_event') and not tags @> array['chat'];
create index traces_chat on traces (user_id, "timestamp", uid, seq)
  where transition_of is null and type not in ('agent_plan', 'calendar_event') and tags @> array['chat'];
create index traces_past_chat on traces_past (user_id, "timestamp", uid, seq, until)
  where type not in ('agent_plan', 'calendar_event') and tags @> array['chat'];
