-- A new secret of a webhook signs beside the previous one for a while, so that its endpoint can be changed without a lost message.
alter table webhooks add column previous_secret text, add column previous_until timestamptz;
