-- The words of messages, for the history's search (docs/decisions/055-word-search.md). Messages are taken into it in
-- batches of about 2,048 ids that follow each other, by the worker; what is after word_marks.upto is looked through
-- by its text.

-- The messages of a batch in the order of their ids: what a place in message_words means.
create table word_batches (
  account_id  uuid not null,
  -- The last id; and the first.
  upto        uuid not null,
  low         uuid not null,
  ids         uuid[] not null,
  primary key (account_id, upto)
);
call tenant_table('word_batches', 'select, insert, delete');

-- Which messages of a batch have a word: as bits, one a place; few of them as places, with their ids. What begins with
-- '=' is a direction, a type or a token.
create table message_words (
  account_id  uuid not null,
  word        text collate "C" not null,
  upto        uuid not null,
  places      smallint[],
  ids         uuid[],
  bits        bit varying,
  primary key (account_id, word, upto),
  constraint bits_or_places check ((bits is null) = (places is not null) and (places is null) = (ids is null))
);
call tenant_table('message_words', 'select, insert, update, delete');

-- Up to which id an account's messages stand in batches. What was stored below it later has an event after the position
-- until it has a batch.
create table word_marks (
  account_id  uuid primary key,
  upto        uuid not null,
  position    bigint not null
);
call tenant_table('word_marks', 'select, insert, update, delete');

-- Messages that came to be and are not published yet.
create view unpublished_messages with (security_invoker = true) as
  select o.account_id, i.message_id
  from outbox o cross join lateral unnest(o.message_ids, o.statuses_before) as i(message_id, status_before)
  where o.types is not null and i.status_before is null;
grant select on unpublished_messages to kabari_app;
