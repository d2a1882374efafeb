import { expect } from 'vitest';
import type { ConversationMessage } from '#contract/messages.ts';
import { publicId } from '#contract/base/ids.ts';
import { callerOf } from '#tests/support/app/api-caller.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { linkPhone, makeSession } from '#tests/support/people/people.ts';

async function shopOf(running: RunningApp, db: Parameters<typeof callerOf>[1]) {
  const caller = await callerOf(running, db, { saldo: 10_000 });
  const { token } = await makeSession(db.allAccountsSql, caller);
  await linkPhone(db.allAccountsSql, caller);
  const thread = async (peer: string): Promise<ConversationMessage[]> => {
    const fields = { token, token_id: publicId('token', caller.tokenId), peer };
    return (await running.ask('conversation_messages', fields)).body.data;
  };
  const answerOf = async (to: string): Promise<ConversationMessage> => {
    const body = { to, type: 'text', text: { body: 'Kirim contohnya' } };
    expect((await caller.call('/v1/messages', { body })).status).toBe(202);
    return waitFor(async () => {
      const answer = (await thread(to)).find(({ direction }) => direction === 'in');
      if (!answer) throw new Error('no answer yet');
      return answer;
    });
  };
  return { caller, thread, answerOf };
}

const local = expect.stringMatching(/^\/files\/fil_/);

test('shows messages from phones in the thread with the known facts of each file', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ works: true });
  const { answerOf } = await shopOf(running, db);
  const [picture, film, voice, document, sticker, place, contact] = await Promise.all(
    ['08', '11', '12', '13', '14', '15', '16'].map((end) => answerOf(`628000000${end}`)),
  );
  expect(picture?.content).toMatchObject({ type: 'png', url: local, external: false });
  expect(picture?.content.file).toMatchObject({ size: expect.any(Number), missing: null });
  expect(film?.content).toMatchObject({ type: 'mp4', url: local });
  expect(voice?.content.file?.waveform).toHaveLength(64);
  expect(voice?.content.file?.seconds).toBeCloseTo(7.4, 1);
  expect(document?.content).toMatchObject({ type: 'pdf', filename: 'pesanan.pdf', url: local });
  expect(sticker?.content).toMatchObject({ type: 'sticker', url: local });
  expect(place?.content.place).toMatchObject({ name: 'Monas', address: 'Jakarta Pusat' });
  expect(contact?.content).toMatchObject({ type: 'vcard', name: 'Bu Sari' });
  for (const one of [picture, film, voice, document, sticker]) {
    const shown = await running.app.inject({ url: one?.content.url ?? '' });
    expect(shown.statusCode).toBe(200);
  }
});

test('keeps a file for its days after it came, then shows it as deleted', async ({
  openApp,
  db,
}) => {
  const running = await openApp({
    works: true,
    env: { MEDIA_RETENTION_DAYS: '30', CLOCK: 'movable' },
  });
  const { thread, answerOf, caller } = await shopOf(running, db);
  const peer = '62800000008';
  const { content } = await answerOf(peer);
  const { clock } = running.container.infra;
  const { library } = running.container.media;
  const days = (n: number) => clock.move?.(new Date(clock.now().getTime() + n * 86_400_000));
  const shown = async () =>
    (await thread(peer)).find(({ direction }) => direction === 'in')?.content;
  days(29);
  await library.sweep();
  expect(await shown()).toMatchObject({ url: local, file: { missing: null } });
  days(2);
  await library.sweep();
  expect(await shown()).toMatchObject({
    caption: 'Ini buktinya',
    url: null,
    file: { missing: 'expired', preview: null },
  });
  expect((await running.app.inject({ url: content.url ?? '' })).statusCode).toBe(404);
  const { body } = await caller.call(`/v1/messages?direction=in`);
  expect(body.data[0].content).toMatchObject({ link: null, expires_at: null });
});
