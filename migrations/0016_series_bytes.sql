-- The size of a series in UTF-8 bytes of compact JSON, as the service counts it, so that the audit can compare it. Text of jsonb
-- has a space after each comma and each colon.

update events e set size = octet_length(l.payload::text) - (
  select coalesce(sum(case jsonb_typeof(part)
    when 'object' then greatest(2 * (select count(*) from jsonb_object_keys(part)) - 1, 0)
    when 'array' then greatest(jsonb_array_length(part) - 1, 0)
    else 0 end), 0)
  from jsonb_path_query(l.payload, 'strict $.**') part)
from ledger l
where l.user_id = e.user_id and l.seq = e.seq and e.recurring;
