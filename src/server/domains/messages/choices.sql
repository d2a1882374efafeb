-- The newest message of a conversation that has left, or may have, when its receiver may choose from it:
-- `{ id, type, choices, buttons }`, the last two as its body has them. Null when that one lets nobody choose,
-- or none left within 24 hours; reactions are passed over. At most a hundred messages are looked at.
-- Called for texts that come in and may be an answer. Locks nothing. Its order is that of messages_by_peer
-- alone: a plan that is made while tables are empty must not walk through all messages of the account.
create or replace function open_question(p_account uuid, p_token uuid, p_peer text) returns jsonb
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_sort = off as $$
declare
  v_from uuid := uuid_floor(clock_timestamp() - interval '24 hours');
  v_newest record;
begin
  if sees_all() is not true and p_account is distinct from seen_account() then
    return null;
  end if;
  select m.message_id, m.type, m.body into v_newest
    from (
      select message_id, token_id, direction, type, status, body from messages
      where account_id = p_account and peer ~>=~ p_peer and peer ~<=~ p_peer and message_id >= v_from
      order by peer using ~>~, message_id desc limit 100
    ) m
    where m.token_id = p_token and m.direction = 'out' and m.type <> 'reaction'
      and m.status not in ('failed', 'cancelled', 'expired')
      and not exists (
        select from dispatch d
        where d.account_id = p_account and d.message_id = m.message_id
          and (d.attempt = 0 or d.awaits is not null)
      )
    limit 1;
  if (v_newest.body ?| array['choices', 'buttons']) is not true then
    return null;
  end if;
  return jsonb_build_object(
    'id', v_newest.message_id, 'type', v_newest.type, 'choices', v_newest.body -> 'choices',
    'buttons', v_newest.body -> 'buttons'
  );
end
$$;

revoke all on function open_question from public;
grant execute on function open_question to kabari_app;

-- Writes what a message that came in has chosen beside what it says.
-- Called in the transaction that stores the message. Locks its row.
create or replace function attach_choice(p_account uuid, p_message uuid, p_choice jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  update messages set body = body || jsonb_build_object('choice', p_choice)
  where account_id = p_account and message_id = p_message and direction = 'in'
$$;

revoke all on function attach_choice from public;
grant execute on function attach_choice to kabari_app;
