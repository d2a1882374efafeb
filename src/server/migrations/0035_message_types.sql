-- Templates: texts with variables that were agreed on before, sent by their name. One per name and
-- language of an account.
create table message_templates (
  account_id   uuid not null references accounts,
  template_id  uuid not null,
  name         text not null,
  language     text not null,
  category     text not null check (category in ('utility', 'marketing', 'authentication')),
  header       text,
  body         text not null,
  footer       text,
  buttons      text[] not null default '{}',
  status       text not null check (status in ('approved', 'pending', 'rejected')),
  -- Why it was rejected.
  reason       text,
  created_at   timestamptz not null default now(),
  primary key (account_id, template_id),
  constraint template_name_once unique (account_id, name, language)
);
call tenant_table('message_templates', 'select, insert, update, delete');

-- The reactions to a message: read for each page of a conversation. Other messages are not in it.
create index messages_reactions on messages (account_id, (body->>'message_id'), message_id)
  where type = 'reaction';
