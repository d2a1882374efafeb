import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { UnreadableList } from '#contract/base/refusals.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TURN_WAIT_MS, semaphore } from '#server/infra/semaphore.ts';
import type { Recipient, RecipientList } from './judge.ts';

/** Messages of the list process: a request, its answer, then batches of recipients. */
export type ListRequest = { bytes: Uint8Array; isSheet: boolean; cpuMsMax: number };
export type ListAnswer = (Omit<RecipientList, 'recipients'> & { count: number }) | UnreadableList;
export type ListTurn = { from: number };

/** A list within its limits takes a second or two of CPU. */
const CPU_MS_MAX = 5_000;
/** For a process that hangs without using CPU, or gets none. */
const WALL_MS_MAX = 30_000;
const MEMORY_MB_MAX = 512;

const enter = semaphore(2, 8, { waitMs: TURN_WAIT_MS, waitingEachMax: 2, atOnceEach: 1 });

const ARCHIVE = [0x50, 0x4b, 0x03, 0x04] as const;

/**
 * Reads a list of recipients, CSV or XLSX, in a child process, so that no file can block or crash this one. A thread
 * that runs out of memory may end all others with it.
 *
 * @throws Refusal `recipients_unreadable`; `busy` if too many wait
 */
export async function readList(
  bytes: Uint8Array,
  accountId: string,
  cpuMsMax = CPU_MS_MAX,
): Promise<RecipientList> {
  const isSheet = ARCHIVE.every((byte, place) => bytes[place] === byte);
  const list = await enter(() => readApart({ bytes, isSheet, cpuMsMax }), { owner: accountId });
  if (typeof list === 'string') throw new Refusal('recipients_unreadable', { why: list });
  return list;
}

async function readApart(request: ListRequest): Promise<RecipientList | UnreadableList> {
  const child = fork(fileURLToPath(new URL('list-process.ts', import.meta.url)), {
    execArgv: [`--max-old-space-size=${MEMORY_MB_MAX}`, '--disable-proto=delete'],
    // The child needs none of the secrets here.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise: broken, resolve: breaks } = Promise.withResolvers<'broken'>();
  const fail = () => breaks('broken');
  const late = setTimeout(fail, WALL_MS_MAX);
  child.on('error', fail).once('exit', fail);
  const ask = async <Answer>(what: ListRequest | ListTurn): Promise<Answer | 'broken'> => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    child.once('message', (message) => resolve(message as Answer));
    // A message that cannot be sent shows as the end of the process.
    child.send(what, () => undefined);
    return Promise.race([promise, broken]);
  };
  try {
    const answer = await ask<ListAnswer>(request);
    if (typeof answer === 'string') return answer;
    const { count, ...list } = answer;
    const recipients: Recipient[] = [];
    while (recipients.length < count) {
      const lot = await ask<readonly Recipient[]>({ from: recipients.length });
      if (lot === 'broken') return lot;
      recipients.push(...lot);
    }
    return { ...list, recipients };
  } finally {
    clearTimeout(late);
    child.kill('SIGKILL');
  }
}
