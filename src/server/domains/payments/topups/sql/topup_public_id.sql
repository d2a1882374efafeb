-- A top-up's id as it is known outside: TU- and 26 characters of Crockford base32.
create or replace function topup_public_id(p_id uuid) returns text
language sql immutable parallel safe
return (
  select 'TU-' || string_agg(
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(b.bits, i * 5 + 1, 5)::bit(5)::int + 1, 1),
    '' order by i
  )
  from (
    select '00' || ('x' || replace(p_id::text, '-', ''))::bit(128)::text as bits
  ) b, generate_series(0, 25) i
);
