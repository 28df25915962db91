-- Converts a batch of claimed deliveries from JSON to rows, with the results of their attempts if there are any.
--
-- The planner expects one row from this function and therefore finds each delivery by its primary key. From a direct
-- call of json_to_recordset it would expect a hundred rows and read all pending deliveries of all stores instead. The
-- function is volatile because PostgreSQL would inline a stable one and use the estimate of json_to_recordset.
create function claimed_deliveries(batch json) returns table (workspace_id uuid, id uuid, claims integer,
    attempts integer, status text, number integer, attempts_left integer, next_at timestamptz, at timestamptz,
    status_code integer, error text, duration_ms integer, response text)
  language sql volatile rows 1
  as $$
    select * from json_to_recordset(batch) as r(workspace_id uuid, id uuid, claims integer, attempts integer, status text,
      number integer, attempts_left integer, next_at timestamptz, at timestamptz, status_code integer, error text,
      duration_ms integer, response text)
  $$;
