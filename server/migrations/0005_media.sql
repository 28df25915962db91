-- Files. A client requests an upload and uploads the file to a staging area. The file is verified and then served under
-- its key.

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

-- Files to be deleted: published files that belong to no image, and staged files, once their upload URL has expired. A
-- row is written in the transaction that makes its file unnecessary, and deleted after the file was deleted.
create table doomed_files (
  workspace_id uuid not null,
  key text not null,
  staged boolean not null default false,
  remove_at timestamptz(3) not null default now(),
  primary key (workspace_id, key, staged)
);
create index doomed_files_due on doomed_files (remove_at);
