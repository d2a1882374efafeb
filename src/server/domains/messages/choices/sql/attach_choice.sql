-- Writes what a message that came in has chosen beside what it says.
-- Called in the transaction that stores the message. Locks its row.
create or replace function attach_choice(p_account uuid, p_message uuid, p_choice jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  update messages set body = body || jsonb_build_object('choice', p_choice)
  where account_id = p_account and message_id = p_message and direction = 'in'
$$;

revoke all on function attach_choice from public;
grant execute on function attach_choice to kabari_app;
