-- The day on which a boleto (bank slip) of the sandbox gateway is due. Null for other methods and for payments of
-- earlier releases.
alter table sandbox_payments add column due_on date;
