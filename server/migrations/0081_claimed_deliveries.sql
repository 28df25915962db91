-- Returns the rows of a batch of claimed deliveries, with the results of their attempts if there are any.
--
-- The planner expects one row of this function and therefore finds each delivery by its primary key. For a direct call
-- of json_to_recordset it expects a hundred rows, and it read all pending deliveries of all stores instead. The
-- function is volatile because PostgreSQL would inline a stable one, with the estimate of json_to_recordset.
create function claimed_deliveries(batch json) returns table (workspace_id uuid, id uuid, claims integer,
    attempts integer, status text, number integer, attempts_left integer, next_at timestamptz, at timestamptz,
    status_code integer, error text, duration_ms integer, response text)
  language sql volatile rows 1
  as $$
    select * from json_to_recordset(batch) as r(workspace_id uuid, id uuid, claims integer, attempts integer, status text,
      number integer, attempts_left integer, next_at timestamptz, at timestamptz, status_code integer, error text,
      duration_ms integer, response text)
  $$;
