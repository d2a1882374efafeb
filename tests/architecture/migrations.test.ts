import { prove } from './rules/proof.ts';
import { contractsAreNamed } from './rules/migrations.ts';

const at = (name: string): string => `src/server/migrations/${name}.sql`;

prove([
  [
    'a migration removes nothing that nodes of the previous version need, or names its replacement',
    contractsAreNamed,
    {
      [at('0009_old')]: 'create table words (word text);',
      [at('0101_column')]: 'alter table words drop column word;',
      [at('0102_table')]: 'drop table if exists words;',
      [at('0103_rename')]: 'alter table words rename column word to text;',
      [at('0104_renamed')]: 'alter table words rename to texts;',
      [at('0105_type')]: 'alter table words alter column word type jsonb;',
      [at('0106_required')]: 'alter table words alter word set not null;',
      [at('0107_named')]: '-- contract: 0009_old\ndrop table words;',
      [at('0108_unknown')]: '-- contract: 0008_gone\ndrop table words;',
      [at('0109_later')]: '-- contract: 0110_adds\ndrop table words;',
      [at('0110_adds')]:
        '-- Once it may drop column word.\nalter table words add column text text, drop constraint c;',
    },
    [
      '0101_column.sql drops a column',
      '0102_table.sql drops a table',
      '0103_rename.sql renames',
      '0104_renamed.sql renames',
      '0105_type.sql changes a type',
      '0106_required.sql makes a column required',
      '0108_unknown.sql completes 0008_gone',
      '0109_later.sql completes 0110_adds',
    ],
  ],
]);
