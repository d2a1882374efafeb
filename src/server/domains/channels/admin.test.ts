import { expect } from 'vitest';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { answersByCode, countAnswers } from '#server/domains/channels/health.ts';

test('reports no meaning for an unknown code', async ({ sql, db }) => {
  const number = await customerWith(sql);
  const at = new Date('2026-11-24T02:00:00Z');
  const answers = ['139999', '131051'].map(
    (code) => ({ ...number, channel: 'cloud', code }) as const,
  );
  await countAnswers(db.allAccountsSql, answers, at);
  const found = await answersByCode(db.allAccountsSql, at);
  expect(found.map(({ code, does, failure }) => [code, does, failure])).toEqual([
    ['131051', 'fail', 'rejected'],
    ['139999', null, null],
  ]);
});
