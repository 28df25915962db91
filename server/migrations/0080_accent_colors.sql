-- The color of a shop's links and buttons, as six hexadecimal digits. If null, the shop has the color of the
-- platform.
alter table workspaces
  add column accent_color text,
  add constraint workspaces_accent_color check (accent_color ~ '^[0-9a-f]{6}$') not valid;
