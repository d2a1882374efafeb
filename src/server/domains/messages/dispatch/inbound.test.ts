import { expect } from 'vitest';
import type { Inbound } from '#server/domains/channels/channels.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { receiveInbound } from './inbound.ts';

test('an inbound message is stored, whatever its network wrote into it', async ({ sql }) => {
  const { accountId, tokenId } = await customerWith(sql);
  const inbound: Inbound = {
    accountId,
    tokenId,
    from: '6281234567890',
    name: 'A\0ni \uD83D',
    type: 'document',
    body: { caption: 'a\u0000b', filename: '\uDC00.pdf', 'k\0': '👋' },
    at: new Date(),
    providerId: `id\0${newId()}`,
  };
  const names: unknown[] = [];
  const receive = () =>
    receiveInbound(sql, inbound, async (_tx, { name }) => void names.push(name));
  await receive();
  await receive();
  expect(names).toEqual(['A\uFFFDni \uFFFD']);
  expect(await sql`select body from messages`).toEqual([
    { body: { caption: 'a\uFFFDb', filename: '\uFFFD.pdf', 'k\uFFFD': '👋' } },
  ]);
});
