import { publicId } from '#contract/base/ids.ts';
import type { Call } from '#server/infra/acts.ts';
import { supportActs } from '#server/domains/support/support.ts';
import type { RunningApp } from '#tests/support/app/running-app.ts';

type Asking = {
  accountId: string;
  ask: (act: string, fields?: Record<string, unknown>) => ReturnType<RunningApp['ask']>;
  words: { asked: string; replied: string; file: string; note: string };
};

/** Asks customer service, gets a file and rates it; an operator leaves a note with a file. */
export async function askSupport(
  running: RunningApp,
  { accountId, ask, words }: Asking,
): Promise<void> {
  const { support, media, pools } = running.container;
  const { systemAccountId } = support.deps;
  const [operator] = await pools.allAccountsSql<{ user_id: string }[]>`
    select user_id from users where account_id = ${systemAccountId} and role = 'operator'
    order by user_id limit 1`;
  const person = { accountId: systemAccountId, userId: operator?.user_id ?? '' };
  const handlers = new Map(supportActs(support.deps).map((one) => [one.act.name, one.handle]));
  const operate = async (act: string, input: Record<string, unknown>) => {
    const call = { caller: { kind: 'person', ...person } } as unknown as Call;
    await handlers.get(act)?.(call, { account_id: accountId, ...input } as never);
  };
  const upload = async (text: string) => {
    const bytes = Buffer.from(text);
    const uploadId = await media.uploads.take(person, {
      purpose: 'chat',
      declared: '',
      name: 'jawaban.txt',
      lengthBytes: bytes.length,
      bytes: (async function* () {
        yield bytes;
      })(),
    });
    return publicId('upload', uploadId);
  };
  const message_id = () => crypto.randomUUID();
  const sent = await ask('support_send', { message_id: message_id(), text: words.asked });
  if (sent.body.code !== 1) throw new Error(sent.body.msg);
  const note = { text: words.note, upload: await upload(words.note), internal: '1' };
  await operate('operator_support_send', { message_id: message_id(), ...note });
  await operate('operator_support_send', {
    message_id: message_id(),
    text: words.replied,
    upload: await upload(words.file),
  });
  await operate('operator_support_close', {});
  await ask('support_rate', { score: '5', comment: words.asked });
}
