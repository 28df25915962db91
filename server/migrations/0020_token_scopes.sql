-- An access token may carry fewer scopes than its grant, because a refresh can ask for fewer. Tokens issued before this
-- migration have none of their own and carry the scopes of their grant.
alter table oauth_access_tokens add column scopes text[];

-- How often a grant was refreshed in the hour that began at refreshes_since. A refresh locks the grant, so the count is
-- exact.
alter table oauth_grants add column refreshes_since timestamptz(3), add column refreshes integer not null default 0;
