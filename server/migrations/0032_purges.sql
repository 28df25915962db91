-- Indexes for the jobs that delete old rows in batches.

create index uploads_attached on uploads (attached_at) where attached_at is not null;
create index oauth_grants_revoked on oauth_grants (revoked_at) where revoked_at is not null;
create index oauth_grants_unconnected on oauth_grants (created_at) where connected_at is null;
create index oauth_access_tokens_grant on oauth_access_tokens (workspace_id, grant_id);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (workspace_id, grant_id);
create index oauth_codes_grant on oauth_codes (workspace_id, grant_id);
