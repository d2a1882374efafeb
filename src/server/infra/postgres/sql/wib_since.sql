-- The WIB day or month of an instant, as its first day.
create or replace function wib_since(p_grain text, p_at timestamptz) returns date
language sql immutable parallel safe
return date_trunc(p_grain, p_at at time zone 'Asia/Jakarta')::date;
