import { expect } from 'vitest';
import { textFrom } from '#server/domains/channels/web/engine/stand-in.ts';
import { never, toPhone } from '#tests/support/app/simulated-network.ts';
import { test, webCustomer } from '#tests/support/channels/web-network.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const PHONES = 50;

const numbered = (start: string, nth: number) => `${start}${String(nth).padStart(4, '0')}`;

test('fifty phones of one worker send and receive, and see only their own messages', async ({
  sql,
  openNetwork,
}) => {
  const { standIn, startWorker, link } = await openNetwork();
  const { channel, inbound } = await startWorker();
  const owners = await Promise.all(
    Array.from({ length: PHONES }, async (_, nth) => ({
      ...(await webCustomer(sql)),
      phone: numbered('628120000', nth),
      peer: numbered('628139999', nth),
    })),
  );
  await Promise.all(owners.map((owner) => link(owner, owner.phone)));
  expect(channel.numbers?.held()).toHaveLength(PHONES);

  const answers = await Promise.all(
    owners.map((owner) => channel.send(toPhone(owner, owner.peer), never)),
  );
  expect(answers).toEqual(owners.map(() => ({ outcome: 'sent' })));
  const arrived = [...standIn.arrived.values()].map(({ from, message: { to } }) => ({ from, to }));
  expect(new Set(arrived.map(({ from, to }) => `${from} ${to}`))).toEqual(
    new Set(owners.map(({ phone, peer }) => `${phone} ${peer}`)),
  );

  for (const { phone, peer } of owners) {
    const messages = [textFrom(peer, `to ${phone}`)];
    standIn.emit(phone, { kind: 'messages', isLive: true, messages });
  }
  await waitFor(() => inbound.length === PHONES);
  const received = inbound.map(
    ({ tokenId, from, body }) => `${tokenId} ${from} ${String(body['text'])}`,
  );
  expect(new Set(received)).toEqual(
    new Set(owners.map(({ tokenId, phone, peer }) => `${tokenId} ${peer} to ${phone}`)),
  );
});
