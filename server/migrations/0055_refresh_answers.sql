-- The encrypted token pairs that were returned for refreshes with an Idempotency-Key. They are kept for ten minutes, so
-- that a client that did not receive the response can repeat the request. There is at most one pair per refresh token,
-- because a refresh token can be used only once.
create table oauth_refresh_answers (
  token_hash bytea primary key,
  key_hash bytea not null,
  sealed bytea not null,
  expires_at timestamptz(3) not null
);
create index oauth_refresh_answers_expiry on oauth_refresh_answers (expires_at);
