-- How an account was created. A person who signs up at /partners can enter any e-mail without proof, so an operator who
-- assigns a store to an account must be able to see this. Null if the account was created before this was recorded.
alter table users add column created_by text check (created_by in ('command-line', 'sign-up'));
