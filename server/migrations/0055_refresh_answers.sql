-- The token pair that a refresh with an Idempotency-Key was answered with, for the ten minutes in which the client may ask
-- again because the answer was lost. Sealed; one per refresh token, which is used once.
create table oauth_refresh_answers (
  token_hash bytea primary key,
  key_hash bytea not null,
  sealed bytea not null,
  expires_at timestamptz(3) not null
);
create index oauth_refresh_answers_expiry on oauth_refresh_answers (expires_at);
