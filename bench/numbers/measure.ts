import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Curve } from 'baileys';
import { flagsOf } from '#bench/lib/server.ts';
import type { AuthStorage } from '#server/domains/channels/web/engine/engine.ts';
import { type Rpc, openRpc } from '#server/domains/channels/web/engine/thread/rpc.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { Customer, sampleSession } from './customer.ts';
import { type Network, openNetwork } from './network.ts';
import type { Memory, ParentCalls, PhoneCalls, StorageCalls } from './process-calls.ts';
import { encryptedFor, messageFrom } from './stanzas.ts';
import { storedPhone } from './stored-phone.ts';

export type Work = {
  idleMs: number;
  known: number;
  sentToKnown: number;
  customers: number;
  /** Messages per customer; each message is answered. */
  messagesEach: number;
};

/** Memory of one process: with its phones only connected, and after their work. */
export type Measured = { idle: Memory; worked: Memory };

type Subject = {
  network: Network;
  process: Rpc<PhoneCalls>;
  numbers: readonly string[];
  work: Work;
};

const program = join(import.meta.dirname, 'phones-process.ts');
const TEXT =
  'Selamat siang, pesanan Anda sudah kami kirim hari ini. Nomor resi menyusul, mohon ditunggu ya.';

const numbered = (prefix: string, nth: number): string => `${prefix}${`${nth}`.padStart(4, '0')}`;
const contactOf = (phone: number, nth: number) => numbered(`62813${100 + phone}`, nth);
const customerOf = (phone: number, nth: number) => numbered(`62857${100 + phone}`, nth);
const newWireId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;

export async function measure(phones: number, work: Work): Promise<Measured> {
  const root = Curve.generateKeyPair();
  const network = await openNetwork(root);
  const session = await sampleSession();
  const numbers = Array.from({ length: phones }, (_, nth) => numbered('62812000', nth));
  const storages = new Map(
    numbers.map((number, phone) => {
      const known = Array.from({ length: work.known }, (_, nth) => contactOf(phone, nth));
      return [number, storedPhone(number, { numbers: known, session })] as const;
    }),
  );
  const child = fork(program, [network.url], {
    execArgv: [...(await flagsOf()), '--expose-gc'],
    env: {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX: '2',
      NETWORK_KEY: Buffer.from(root.public).toString('hex'),
    },
  });
  try {
    const lost = Promise.withResolvers<never>();
    const rpc = openRpc<ParentCalls, PhoneCalls>(portOf(child), {
      ...storing(storages),
      closed: (code) => lost.reject(new Error(`a connection was closed with ${code}`)),
    });
    return await Promise.race([lost.promise, run({ network, process: rpc, numbers, work })]);
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    // Wait until its connections have ended: the next process begins with none.
    await waitFor(() => network.connected === 0);
    await network.close();
  }
}

const portOf = (child: ChildProcess) => ({
  postMessage: (packet: unknown) => void child.send(packet as object),
  on: (event: 'message', listener: (packet: unknown) => void) => child.on(event, listener),
});

function storing(storages: ReadonlyMap<string, AuthStorage>): StorageCalls {
  const of = (number: string): AuthStorage => {
    const storage = storages.get(number);
    if (!storage) throw new Error('no such phone');
    return storage;
  };
  return {
    readCreds: (number) => of(number).readCreds(),
    writeCreds: (number, creds) => of(number).writeCreds(creds),
    readKeys: (number, type, ids) => of(number).readKeys(type, ids),
    writeKeys: (number, changes) => of(number).writeKeys(changes),
  };
}

async function run(subject: Subject): Promise<Measured> {
  const { network, process: holder, numbers, work } = subject;
  await Promise.all(numbers.map((number) => holder.call('open', number)));
  if (network.connected !== numbers.length) {
    throw new Error(`${network.connected} of ${numbers.length} phones are connected`);
  }
  await sleep(work.idleMs);
  const idle = await memoryOf(subject, 0);
  await Promise.all(numbers.map((_, phone) => workOf(subject, phone)));
  return { idle, worked: await memoryOf(subject, work.customers * work.messagesEach) };
}

/** @param receivedEach messages each phone has received, all handed on by the engine. */
async function memoryOf({ process: holder, numbers }: Subject, receivedEach: number) {
  return waitFor(async () => {
    const memory = await holder.call('memory');
    const { open, received } = memory;
    if (open !== numbers.length || received !== receivedEach * numbers.length) {
      throw new Error(`${open} of ${numbers.length} phones are open, ${received} messages came`);
    }
    return memory;
  });
}

async function workOf(subject: Subject, phone: number): Promise<void> {
  const { customers, messagesEach, sentToKnown } = subject.work;
  const { network, numbers } = subject;
  const number = numbers[phone] ?? '';
  const writing: Customer[] = [];
  for (let nth = 0; nth < customers; nth++) {
    const customer = new Customer(customerOf(phone, nth));
    await customer.meet(network.bundleOf(number));
    // Generating a key takes long. Yield, so that the network answers and phones do not give up on it.
    await setImmediate();
    writing.push(customer);
  }
  for (let nth = 0; nth < messagesEach; nth++) {
    for (const customer of writing) await talk(subject, number, customer);
  }
  for (let nth = 0; nth < sentToKnown; nth++) await send(subject, number, contactOf(phone, nth));
}

async function talk(subject: Subject, number: string, customer: Customer): Promise<void> {
  const { network } = subject;
  const id = newWireId();
  const receipt = network.next(id);
  network.deliver(number, messageFrom(customer.number, id, await customer.write(TEXT)));
  const { tag, attrs } = await receipt;
  if (tag !== 'receipt' || attrs['type'] === 'retry') {
    throw new Error(`a phone could not read a message: ${tag} ${attrs['error'] ?? 'retry'}`);
  }
  const answer = encryptedFor(await send(subject, number, customer.number), customer.number);
  const text = answer && (await customer.read(answer));
  if (text !== TEXT) throw new Error('a reply differs from the text that was sent');
}

async function send({ network, process: holder }: Subject, number: string, to: string) {
  const wireId = newWireId();
  const arrived = network.next(wireId);
  const content = { kind: 'text', text: TEXT } as const;
  const answer = await holder.call('send', number, { to, wireId, content, isNewChat: false });
  if (answer.outcome !== 'acknowledged') throw new Error(`a message was ${answer.outcome}`);
  return arrived;
}
