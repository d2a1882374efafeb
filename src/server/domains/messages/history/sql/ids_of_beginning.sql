-- The ids of p_limit messages after the first p_offset, counted from the newest (from the oldest, unless
-- p_newest), of those from p_from to before p_until with phones that begin with p_digits; in any order.
-- Called by the history's search, for beginnings so common that all their messages are too many to be
-- sorted. Sees what the policy of messages lets its caller see: it is the owner's, because conditions
-- on an expression find no index under a policy.
--
-- Counts messages_by_span: the span at one end of the time first, then twice as many spans each time,
-- until those that hold the page are known; only they are read and sorted.
create or replace function ids_of_beginning(
  p_account uuid, p_digits text, p_from uuid, p_until uuid, p_newest boolean, p_offset int, p_limit int
) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  c_seconds constant numeric := 4194.304;
  -- The spans that are left, those that are looked at now, and the ids that these may hold.
  v_first int;
  v_last int;
  v_low int;
  v_high int;
  v_from uuid;
  v_until uuid;
  v_width int := 1;
  -- Messages before the spans that are looked at; and in these.
  v_before bigint := 0;
  v_messages bigint;
  -- The spans that hold some of the page; messages before them, and in them; what is taken of them.
  v_spans int[];
  v_skipped bigint;
  v_held bigint;
  v_take bigint;
begin
  if sees_all() is not true and p_account is distinct from seen_account() then
    return;
  end if;
  select ('x' || substr(message_id::text, 1, 8))::bit(26)::int into v_first from messages
    where account_id = p_account and message_id >= p_from and message_id < p_until
    order by message_id limit 1;
  select ('x' || substr(message_id::text, 1, 8))::bit(26)::int into v_last from messages
    where account_id = p_account and message_id >= p_from and message_id < p_until
    order by message_id desc limit 1;
  while v_first <= v_last and v_before < p_offset + p_limit loop
    if p_newest then
      v_high := v_last;
      v_low := greatest(v_first, v_last - v_width + 1);
      v_last := v_low - 1;
    else
      v_low := v_first;
      v_high := least(v_last, v_first + v_width - 1);
      v_first := v_high + 1;
    end if;
    v_width := v_width * 2;
    v_from := greatest(p_from, uuid_floor(to_timestamp(v_low * c_seconds)));
    v_until := least(p_until, uuid_floor(to_timestamp((v_high + 1) * c_seconds)));

    select coalesce(sum(n), 0), array_agg(span) filter (where is_held),
      min(before) filter (where is_held), sum(n) filter (where is_held)
    into v_messages, v_spans, v_skipped, v_held
    from (
      select span, n, before, before + n > p_offset and before < p_offset + p_limit as is_held
      from (
        select s.span, c.n, v_before - c.n
          + sum(c.n) over (order by case when p_newest then -s.span else s.span end) as before
        from generate_series(v_low, v_high) as s(span)
        cross join lateral (
          select count(*) as n from messages x
          where x.account_id = p_account
            and ('x' || substr(x.message_id::text, 1, 8))::bit(26)::int = s.span
            and x.peer collate "C" >= p_digits and x.peer collate "C" < (p_digits || ':')
            and x.message_id >= v_from and x.message_id < v_until
        ) c
      ) placed
    ) counted;
    v_before := v_before + v_messages;

    if v_held > 0 then
      v_take := least(v_skipped + v_held, p_offset + p_limit) - greatest(v_skipped, p_offset);
      return query
        select m.message_id from unnest(v_spans) as s(span)
        cross join lateral (
          select x.message_id from messages x
          where x.account_id = p_account
            and ('x' || substr(x.message_id::text, 1, 8))::bit(26)::int = s.span
            and x.peer collate "C" >= p_digits and x.peer collate "C" < (p_digits || ':')
            and x.message_id >= v_from and x.message_id < v_until
          offset 0
        ) m
        order by m.message_id
        offset case
          when p_newest then v_held - v_take - greatest(0, p_offset - v_skipped)
          else greatest(0, p_offset - v_skipped)
        end
        limit v_take;
    end if;
  end loop;
end
$$;

revoke all on function ids_of_beginning from public;
grant execute on function ids_of_beginning to kabari_app;
