-- Merchants sign in, approve apps and disconnect them. Integrators register their own apps.

create table sessions (
  id_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- Failed sign-ins are counted for several subjects, such as the account or the network. Each failure adds one row per
-- subject.
create table sign_in_failures (
  subject text not null,
  failed_at timestamptz(3) not null,
  id uuid not null default new_id(),
  primary key (subject, failed_at, id)
);
create index sign_in_failures_age on sign_in_failures (failed_at);

-- Attempts to sign up are limited per network, which is stored as `address`. Each attempt within the limit adds a row.
create table sign_ups (
  address text not null,
  asked_at timestamptz(3) not null,
  id uuid not null default new_id(),
  primary key (address, asked_at, id)
);
create index sign_ups_age on sign_ups (asked_at);

-- Apps that were created on the command line have no owner.
alter table apps add column owner_id uuid references users, add column contact text;
create index apps_owner on apps (owner_id);

-- A grant is created when the merchant approves the app. The app is connected once it has exchanged the code.
alter table oauth_grants add column connected_at timestamptz(3), add column last_used_at timestamptz(3);
update oauth_grants set connected_at = created_at;

create table oauth_codes (
  code_hash bytea primary key,
  workspace_id uuid not null,
  grant_id uuid not null,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3)
);
create index oauth_codes_expiry on oauth_codes (expires_at);
