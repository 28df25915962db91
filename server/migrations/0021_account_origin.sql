-- How an account came to be. A person who signs up at /partners can enter any e-mail without proof, so an operator who hands
-- a store to an account must be able to see it. Null: created before this was recorded.
alter table users add column created_by text check (created_by in ('command-line', 'sign-up'));
