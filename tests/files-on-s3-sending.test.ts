import sharp from 'sharp';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { type S3Server, startS3Server } from '#tests/support/files/s3-server.ts';
import { test as base } from '#tests/support/meta/cloud-channel.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { makeDue } from '#tests/support/app/lanes.ts';

const test = base.extend<{ s3: S3Server; env: Record<string, string> }>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  s3: async ({}, use) => {
    const s3 = await startS3Server();
    await use(s3);
    await s3.close();
  },
  env: async ({ s3 }, use) => use(s3.settings('sending')),
});

test('holds a message while its file’s store is away, sends others, and then sends it once', async ({
  ani,
  db,
  meta,
  s3,
}) => {
  const red = { width: 8, height: 8, channels: 3 as const, background: 'red' };
  const { library } = ani.running.container.media;
  const picture = await library.take({
    accountId: ani.accountId,
    bytes: await sharp({ create: red }).png().toBuffer(),
    declared: { name: 'titik.png', type: 'image/png' },
    source: 'api',
  });
  for (const peer of ['6281200000001', '6281200000002']) {
    meta.control.receiveFrom(peer, { type: 'text' });
  }
  await meta.control.settled();
  s3.trouble('drops');
  const send = async (body: object): Promise<string> =>
    (await ani.call('/v1/messages', { body })).body.id;
  const image = { id: publicId('media', picture.fileId) };
  const waits = await send({ to: '6281200000001', type: 'image', image });
  const leaves = await send({ to: '6281200000002', text: { body: 'Halo' } });
  await ani.becomes(leaves, 'read');
  const waiting = () => db.owner`
    select state, attempt, unknowns from dispatch
    where ready_at > clock_timestamp() + interval '20 seconds'`;
  const untried = [{ state: 'ready', attempt: 1, unknowns: 0 }];
  await waitFor(async () => expect(await waiting()).toEqual(untried));

  const tryNow = async () => {
    await makeDue(db.owner);
    ani.running.worker?.lanes.wake([ani.tokenId]);
  };
  await tryNow();
  await waitFor(async () => expect(await waiting()).toEqual(untried));

  s3.trouble(undefined);
  await tryNow();
  await ani.becomes(waits, 'read');
  expect(ani.running.lines.join('\n')).not.toContain('S3RVER');
});
