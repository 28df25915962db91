-- The day on which a boleto of the sandbox is due. Null for other methods and for payments of earlier releases.
alter table sandbox_payments add column due_on date;
