import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '#contract/base/refusals.ts';
import { semaphore } from '#server/infra/semaphore.ts';
import { sameBytes } from './secrets.ts';

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane; about 30 ms on one core. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Concurrent hashes, and callers that may wait for them (docs/threats.md, T5): 76 MiB at most. */
const AT_ONCE = 4;
const WAITING_MAX = 50;
const WAIT_SECONDS = 2;

const tooMany = () => new Refusal('too_many_requests', { seconds: WAIT_SECONDS });
const inTurn = semaphore(AT_ONCE, WAITING_MAX, { refusal: tooMany });

const derive = promisify(argon2);

type Cost = { memory: number; passes: number; parallelism: number };

/** Hashes a password: argon2id as a PHC string, with its own salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };
  const hash = await inTurn(() => argon2id(password, salt, cost, HASH_BYTES));
  return phc(salt, hash);
}

/** Matches no password: compared for unknown users, so that the time is the same. */
const dummyHash = phc(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

/**
 * Takes the same time without `stored` (docs/threats.md, T3).
 *
 * @throws Refusal `too_many_requests` if too many callers are waiting.
 */
export async function passwordFits(password: string, stored: string | undefined): Promise<boolean> {
  const { salt, hash, cost } = readPhc(stored ?? dummyHash);
  const found = await inTurn(() => argon2id(password, salt, cost, hash.length));
  return sameBytes(found, hash) && stored !== undefined;
}

async function argon2id(
  password: string,
  salt: Buffer,
  cost: Cost,
  tagLength: number,
): Promise<Buffer> {
  return derive('argon2id', { message: password, nonce: salt, tagLength, ...cost });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function phc(salt: Buffer, hash: Buffer): string {
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(hash)}`;
}

const phcShape =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function readPhc(text: string): { salt: Buffer; hash: Buffer; cost: Cost } {
  const [, memory, passes, lanes, salt, hash] = phcShape.exec(text) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('not an argon2id PHC string');
  return {
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(lanes) },
  };
}

let guests = 0;

/**
 * Refuses excess sign-ins before any look-up, so that they do not take the database from other users.
 *
 * @throws Refusal `too_many_requests` if as many are in progress as hashes may run and wait.
 */
export async function admitted<T>(work: () => Promise<T>): Promise<T> {
  if (guests >= AT_ONCE + WAITING_MAX) {
    throw tooMany();
  }
  guests += 1;
  try {
    return await work();
  } finally {
    guests -= 1;
  }
}
