-- The sequencer updates the row of a store in event_heads each time it numbers events. If the page has free space, the
-- new version of the row needs no new index entry, and a later reader removes the old version. On full pages, each
-- lookup had to read all versions since the last vacuum (0.1 ms after a hundred updates). The setting applies to pages
-- that are filled from now on.
alter table event_heads set (fillfactor = 25);
