-- The row of a store in event_heads is updated by every step that numbers its events. With room on its page the new
-- version needs no new index entry, and the old one is removed by the next reader; on full pages each look-up read
-- all versions since the last vacuum (0.1 ms after a hundred updates). Applies to pages that are filled from now on.
alter table event_heads set (fillfactor = 25);
