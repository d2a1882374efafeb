-- What of a message is searched by words. Called by the indexing of words and by the search.
-- Stable, as concat_ws is: so it becomes a part of the statement that calls it.
create or replace function message_text(p_type text, p_body jsonb) returns text
language sql stable parallel safe as $$
  select case p_type
    when 'text' then concat_ws(' ', p_body ->> 'text', p_body -> 'choice' ->> 'title')
    else concat_ws(' ', p_body ->> 'text', p_body ->> 'caption', p_body ->> 'filename', p_body ->> 'name',
      p_body ->> 'address', p_body ->> 'header', p_body ->> 'footer')
  end
$$;

revoke all on function message_text from public;
grant execute on function message_text to kabari_app;
