-- What a person is shown of a login, and how long its previous refresh token may be repeated. All three are null in rows of earlier
-- releases: these began when their refresh token was made, and a used one may not be repeated.
alter table refresh_tokens
  add column started_at timestamptz, -- when the login began
  add column client text,            -- the User-Agent that logged in
  add column used_at timestamptz     -- when the token was exchanged for the next one
;

-- The plans of each agent by their state, which are counted.
create index traces_proposed_by on traces (user_id, proposed_by, status) where type = 'agent_plan' and origin = 'agent';
