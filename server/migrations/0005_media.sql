-- Files: asked for, uploaded to a staging place, verified, and then served from their key.

create table uploads (
  workspace_id uuid not null,
  key text not null,
  product_id uuid not null,
  content_type text not null,
  content_length integer not null,
  created_at timestamptz(3) not null default now(),
  attached_at timestamptz(3),
  primary key (workspace_id, key)
);
create index uploads_unattached on uploads (created_at) where attached_at is null;

-- Files to be removed: published ones whose image or product is gone, and staged ones whose address has run out by then.
-- Written with the change that dooms them; whoever has removed the file removes the row.
create table doomed_files (
  workspace_id uuid not null,
  key text not null,
  staged boolean not null default false,
  remove_at timestamptz(3) not null default now(),
  primary key (workspace_id, key, staged)
);
create index doomed_files_due on doomed_files (remove_at);
