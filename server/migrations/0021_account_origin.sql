-- How an account came to be. Whoever signs up at /partners chooses any e-mail and proves nothing, so an operator who hands
-- a store to an account must be able to see it. Null: created before this was recorded.
alter table users add column created_by text check (created_by in ('command-line', 'sign-up'));
