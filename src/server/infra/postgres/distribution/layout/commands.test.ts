import { expect, test } from 'vitest';
import { commandsOf, isOfNewTable } from './commands.ts';

test('splits commands, but not within texts, bodies and comments', () => {
  expect(
    commandsOf(`
      create table a (n int); -- once; and for all
      insert into a values (';'), ('it''s');
      do $$ begin perform 1; end $$;`),
  ).toEqual([
    'create table a (n int)',
    "insert into a values (';'), ('it''s')",
    'do $$ begin perform 1; end $$',
  ]);
  expect(() => commandsOf("select 1; /* it's; */")).toThrow('write -- and $$');
  expect(() => commandsOf('do $body$ begin; end $body$')).toThrow('write -- and $$');
});

const placed = new Set(['tokens', 'messages', 'accounts']);

test.each([
  'create table words (n int)',
  'create unlogged table words (n int)',
  'create table if not exists words (account_id uuid references accounts)',
  'alter table words add foreign key (account_id, token_id) references tokens',
  'alter table tokens add constraint tokens_word foreign key (account_id, word) references words (account_id, n)',
  'alter table only public.tokens add constraint "one" foreign key (n) references public.words (n) not valid',
  'alter table if exists words add foreign key (n) references accounts on delete cascade',
])('is of a new table: %s', (command) => {
  expect(isOfNewTable(command, placed)).toBe(true);
});

test.each([
  'create table messages_2027_01 partition of messages for values from (1) to (2)',
  'alter table tokens add foreign key (account_id, message_id) references messages (account_id, message_id)',
  'alter table public.tokens add foreign key (account_id) references public.accounts',
  'alter table tokens add column word int',
  'alter table tokens add column n int, add foreign key (n) references words',
  'create index on words (n)',
  'insert into words select 1 from tokens',
])('is not: %s', (command) => {
  expect(isOfNewTable(command, placed)).toBe(false);
});
