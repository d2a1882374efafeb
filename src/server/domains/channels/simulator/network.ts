import { backoff } from '#server/infra/backoff.ts';
import * as z from 'zod/mini';
import type {
  Channel,
  Outgoing,
  Receipt,
  SendResult,
  Sinks,
  MessageBody,
} from '#server/domains/channels/channels.ts';
import { type ConnectDeps, connectLink, tokenOfPhone } from '#server/domains/tokens/tokens.ts';
import { type Sql, isTransient, type Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Library } from '#server/domains/media/media.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Pace, type Plan, answerKinds, planFor, type AnswerKind } from './outcomes.ts';
import { bindScope } from '#server/infra/postgres/distribution/scope.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageType } from '#contract/messages.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import type { MediaKind } from '#contract/media.ts';
import { crc32, deflateSync } from 'node:zlib';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import { newId } from '#server/infra/ids.ts';
import { intervalNow } from '#server/infra/polling.ts';

export type NetworkDeps = {
  allAccountsSql: Sql;
  pace: Pace;
  connecting: ConnectDeps;
  library: Pick<Library, 'take'>;
  report: (error: unknown) => void;
};

export type Network = Channel & { wake(afterMs: number): void };

/** Timeout of the network: shorter if time runs faster, but never so short that it races. */
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MIN = 2_000;
const RETRY_MS = 500;

/** Opens the network. Phones store everything in the database, so a stop loses nothing. */
export function openNetwork(deps: NetworkDeps): Network {
  const { allAccountsSql, pace, report } = deps;
  let sinks: Sinks | undefined;
  const ticker = new Ticker(
    allAccountsSql,
    (due) => {
      if (!sinks) throw new Error('the simulator has something due before it was started');
      return handleDue(deps, sinks, due);
    },
    report,
  );
  const writer = new LineWriter(allAccountsSql, (firstDueMs) => ticker.wake(firstDueMs));
  const quicker = pace.speed === 0 ? 0 : TIMEOUT_MS / pace.speed;

  return {
    name: 'simulator',
    preallocates: true,
    timeoutMs: Math.min(TIMEOUT_MS, Math.max(quicker, TIMEOUT_MS_MIN)),
    send: (message, signal) => deliver(writer, message, planFor(message, pace), signal),
    async start(channelSinks) {
      sinks = channelSinks;
      ticker.start();
    },
    close: () => ticker.close(),
    wake: (afterMs) => ticker.wake(afterMs),
  };
}

async function deliver(
  writer: LineWriter,
  message: Outgoing,
  plan: Plan,
  signal: AbortSignal,
): Promise<SendResult> {
  switch (plan.outcome) {
    case 'silent':
      return silence(signal);
    case 'accepted': {
      const written = await writer.write(message, plan).catch(awayIfTransient);
      // The same id is one message: otherwise two database restarts would use up its tries.
      if (written === 'away') return { outcome: 'later', afterMs: RETRY_MS, failure: 'no_answer' };
      if (written === 'blocked') return { outcome: 'failed', failure: 'blocked' };
      return { outcome: 'sent' };
    }
    default:
      return plan;
  }
}

function awayIfTransient(error: unknown): 'away' {
  if (isTransient(error)) return 'away';
  throw error;
}

function silence(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  return promise;
}

/** Delivers due rows: receipts together, the rest one by one. Returns those not stored. */
async function handleDue(deps: NetworkDeps, sinks: Sinks, due: readonly Due[]): Promise<Set<Due>> {
  const failed = new Set<Due>();
  const receipts = new Map(due.flatMap(receiptFrom));
  try {
    const unstored = receipts.size > 0 ? await sinks.receipts([...receipts.keys()]) : [];
    for (const { item } of unstored) {
      const one = receipts.get(item);
      if (one) failed.add(one);
    }
    if (unstored[0]) deps.report(unstored[0].error);
  } catch (error) {
    deps.report(error);
    for (const one of receipts.values()) failed.add(one);
  }
  for (const one of due) {
    try {
      if (one.kind === 'inbound') await sendReply(deps, sinks, one);
      else if (one.kind === 'connect') await connectPhone(deps, one);
    } catch (error) {
      deps.report(error);
      failed.add(one);
    }
  }
  return failed;
}

function receiptFrom(due: Due): [Receipt, Due][] {
  const { kind, accountId, messageId, at } = due;
  const known = accountId !== null && messageId !== null;
  return known && (kind === 'delivered' || kind === 'read')
    ? [[{ accountId, messageId, status: kind, at }, due]]
    : [];
}

const ReplyFacts = z.object({
  lineId: z.uuid(),
  to: z.string(),
  what: z.enum(answerKinds),
  text: z.optional(z.string()),
  fileId: z.optional(z.uuid()),
  quotes: z.optional(z.string()),
});
export type ReplyFacts = z.output<typeof ReplyFacts>;

async function sendReply(deps: NetworkDeps, sinks: Sinks, due: Due): Promise<void> {
  const reply = ReplyFacts.parse(due.facts);
  const holder = await tokenOfPhone(deps.allAccountsSql, 'simulator', reply.to);
  if (!holder) return;
  const { accountId, tokenId } = holder;
  const { quotes } = reply;
  const { type, body } = await answerOf(deps.library, { accountId, ...reply });
  await deps.allAccountsSql`
    insert into sim_lines (phone, line_id, direction, peer, type, body, account_id)
    values (${due.phone}, ${reply.lineId}, 'out', ${reply.to}, ${type}, ${json(body)},
      ${accountId})
    on conflict (phone, line_id) do nothing`;
  await sinks.inbound({
    accountId,
    tokenId,
    from: due.phone,
    type,
    body,
    at: due.at,
    providerId: reply.lineId,
    ...(quotes !== undefined && { quotes }),
  });
}

const ConnectFacts = z.object({ accountId: z.uuid(), linkId: z.uuid() });

async function connectPhone({ connecting }: NetworkDeps, { facts }: Due): Promise<void> {
  try {
    await connectLink(connecting, ConnectFacts.parse(facts));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

type DueKind = 'delivered' | 'read' | 'inbound' | 'connect';

type Due = {
  dueId: string;
  kind: DueKind;
  phone: string;
  accountId: string | null;
  messageId: string | null;
  facts: unknown;
  tries: number;
  at: Date;
};

type DueHandler = (due: readonly Due[]) => Promise<ReadonlySet<Due>>;

const BATCH_MAX = 500;
/** Poll interval without a wake-up: rows may come from other processes. */
const POLL_MS = 500;
/** Least pause between two polls without a full batch: phones are not that punctual. */
const PAUSE_MS = 50;
const ERROR_MS = 1_000;
/** With waits of up to 32 s, gives up after some 25 minutes. */
const TRIES_MAX = 50;
const waitSeconds = (tries: number): number => backoff(tries + 1, { first: 1, max: 32 });

/**
 * Handles due rows, by the database's clock; woken if something is due sooner.
 *
 * A handled row is deleted in the transaction that claimed it, so a process that dies in between leaves it to the next:
 * every row is handled at least once.
 */
class Ticker {
  readonly #allAccountsSql: Sql;
  readonly #handle: DueHandler;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #wakesAtMs = Infinity;
  #polledAtMs = -Infinity;
  #running: Promise<void> | undefined;
  #open = false;
  /** Independent of the caller that wakes it: due rows concern all accounts. */
  readonly #run = bindScope(() => {
    this.#running = this.#poll();
  });

  constructor(allAccountsSql: Sql, handle: DueHandler, report: (error: unknown) => void) {
    this.#allAccountsSql = allAccountsSql;
    this.#handle = handle;
    this.#report = report;
  }

  start() {
    this.#open = true;
    this.wake(0);
  }

  wake(afterMs: number) {
    const atMs = Math.max(performance.now() + afterMs, this.#polledAtMs + PAUSE_MS);
    if (!this.#open || atMs >= this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    if (this.#running) return;
    this.#setTimer();
  }

  async close() {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #setTimer() {
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#wakesAtMs - performance.now());
    this.#timer = setTimeout(this.#run, waitMs);
  }

  async #poll() {
    this.#wakesAtMs = Infinity;
    let nextMs: number;
    try {
      nextMs = await this.#processAll();
    } catch (error) {
      this.#report(error);
      nextMs = ERROR_MS;
    }
    this.#running = undefined;
    this.#polledAtMs = performance.now();
    if (!this.#open) return;
    this.#wakesAtMs = Math.min(this.#wakesAtMs, performance.now() + nextMs);
    this.#setTimer();
  }

  async #processAll(): Promise<number> {
    let nextMs = 0;
    while (nextMs === 0 && this.#open) nextMs = await this.#processBatch();
    return Math.min(intervalNow(POLL_MS), Math.max(nextMs, PAUSE_MS));
  }

  /** @returns the time until the next row is due, in milliseconds; 0 if more may be due now. */
  #processBatch(): Promise<number> {
    return this.#allAccountsSql.begin(async (tx) => {
      const due = await claimDue(tx);
      const failed = due.length === 0 ? new Set<Due>() : await this.#handle(due);
      await this.#postpone(tx, [...failed]);
      const nextMs = await deleteDue(
        tx,
        due.filter((one) => !failed.has(one)),
      );
      return due.length === BATCH_MAX ? 0 : nextMs;
    });
  }

  async #postpone(tx: Tx, failed: readonly Due[]) {
    if (failed.length === 0) return;
    const abandoned = failed.filter(({ tries }) => tries >= TRIES_MAX);
    await deleteDue(tx, abandoned);
    for (const { kind } of abandoned)
      this.#report(new Error(`simulator: a ${kind} failed too often`));
    if (abandoned.length === failed.length) return;
    for (const [tries, some] of Map.groupBy(failed, (one) => one.tries)) {
      await tx`
        update sim_events
        set tries = tries + 1, due_at = statement_timestamp() + make_interval(secs => ${waitSeconds(tries)})
        where due_id = any (${some.map(({ dueId }) => dueId)}::uuid[])`;
    }
  }
}

/** Claims due rows that no other process has locked, except those of offline phones. */
const claimDue = (tx: Tx) => tx<Due[]>`
  select due_id as "dueId", kind, phone, account_id as "accountId", message_id as "messageId", facts,
    tries, greatest(due_at, clock_timestamp() - interval '1 second') as at
  from sim_events d
  where due_at <= clock_timestamp()
    and not exists (select from sim_phones p where p.phone = d.phone and p.offline)
  order by due_at limit ${BATCH_MAX} for update skip locked`;

/** @returns the time until the next of the other rows is due, in milliseconds. */
async function deleteDue(tx: Tx, due: readonly Due[]): Promise<number> {
  const dueIds = due.map(({ dueId }) => dueId);
  const [next] = await tx<{ ms: number }[]>`
    with gone as (delete from sim_events where due_id = any (${dueIds}::uuid[]))
    select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as ms
    from sim_events d
    where due_id <> all (${dueIds}::uuid[])
      and not exists (select from sim_phones p where p.phone = d.phone and p.offline)
    order by due_at limit 1`;
  return next?.ms ?? Infinity;
}

const WIDTH = 240;
const HEIGHT = 320;
const BACKGROUND = [0x2f, 0x6f, 0x5e] as const;
const PAPER = [0xfb, 0xfa, 0xf5] as const;
const INK = [0x3a, 0x3f, 0x44] as const;

type Colour = readonly [number, number, number];
type Box = { x: number; y: number; width: number; height: number; colour: Colour };

const boxes: readonly Box[] = [
  { x: 40, y: 24, width: 160, height: 272, colour: PAPER },
  { x: 84, y: 44, width: 72, height: 12, colour: INK },
  ...[84, 108, 132, 156, 180].flatMap((y, row) => [
    { x: 56, y, width: 56 + ((row * 17) % 32), height: 6, colour: INK },
    { x: 158, y, width: 26, height: 6, colour: INK },
  ]),
  { x: 56, y: 212, width: 128, height: 2, colour: INK },
  { x: 56, y: 230, width: 48, height: 10, colour: INK },
  { x: 134, y: 230, width: 50, height: 10, colour: INK },
];

let drawn: Buffer | undefined;

/** The picture that …008 answers with: a PNG of 240 × 320, drawn on first use. */
export function picture(): Buffer {
  drawn ??= png(WIDTH, HEIGHT, pixels());
  return drawn;
}

function pixels(): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  const whole: Box = { x: 0, y: 0, width: WIDTH, height: HEIGHT, colour: BACKGROUND };
  for (const box of [whole, ...boxes]) {
    for (let y = box.y; y < box.y + box.height; y++) {
      const start = (y * WIDTH + box.x) * 3;
      rgb.fill(Buffer.from(box.colour), start, start + box.width * 3);
    }
  }
  return rgb;
}

/** An image of 8-bit RGB as PNG (RFC 2083): unfiltered rows, deflated together. */
function png(width: number, height: number, rgb: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++)
    rgb.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

type Answer = { type: MessageType; body: MessageBody & Record<string, unknown> };

type AnswerRequest = {
  accountId: string;
  what: AnswerKind;
  text?: string | undefined;
  /** Id of the stored file: the same id twice is the same file. */
  fileId?: string | undefined;
};

type Sample = { type: MediaKind; name: string; bytes: () => Promise<Buffer>; more?: object };

const sample = (name: string) => () => readFile(join(import.meta.dirname, 'samples', name));

const files: Partial<Record<AnswerKind, Sample>> = {
  picture: {
    type: 'image',
    name: 'bukti.png',
    bytes: async () => picture(),
    more: { caption: 'Ini buktinya' },
  },
  video: { type: 'video', name: 'film.mp4', bytes: sample('film.mp4') },
  audio: { type: 'audio', name: 'suara.ogg', bytes: sample('suara.ogg'), more: { voice: true } },
  document: {
    type: 'document',
    name: 'pesanan.pdf',
    bytes: sample('pesanan.pdf'),
    more: { filename: 'pesanan.pdf' },
  },
  sticker: { type: 'sticker', name: 'stiker.webp', bytes: sample('stiker.webp') },
};

async function answerOf(
  library: Pick<Library, 'take'>,
  { accountId, what, text, fileId }: AnswerRequest,
): Promise<Answer> {
  const file = files[what];
  if (file) {
    const { type, name, more } = file;
    const bytes = await file.bytes();
    const taken = await takeInbound(library, {
      accountId,
      kind: type,
      declared: { name, type: '' },
      bytes,
      ...(fileId && { fileId }),
    });
    return { type, body: { ...taken, ...more } };
  }
  switch (what) {
    case 'reaction':
      return { type: 'reaction', body: { emoji: '👍' } };
    case 'location':
      return {
        type: 'location',
        body: { latitude: -6.1754, longitude: 106.8272, name: 'Monas', address: 'Jakarta Pusat' },
      };
    case 'contact':
      return { type: 'contact', body: { name: 'Bu Sari', phone: '6281234567899' } };
    case 'quote':
      return { type: 'text', body: { text: 'Baik, yang ini ya' } };
    default:
      return { type: 'text', body: { text: text ?? 'STOP' } };
  }
}

type AcceptedPlan = Extract<Plan, { outcome: 'accepted' }>;

type Written = 'accepted' | 'blocked';

type Job = {
  message: Outgoing;
  plan: AcceptedPlan;
  resolve: (written: Written) => void;
  reject: (error: unknown) => void;
};
const IN_FLIGHT_MAX = 2;
const SLOW_TIMES = 10;

/**
 * Stores messages on phones, many per statement: those of one turn of the event loop, or queued while two statements
 * are in flight. No timer, so a single message leaves at once.
 */
class LineWriter {
  readonly #allAccountsSql: Sql;
  readonly #onAccepted: (firstDueMs: number) => void;
  #queue: Job[] = [];
  #inFlight = 0;
  #isScheduled = false;

  /** @param onAccepted called after each statement with the milliseconds until its first receipt is due. */
  constructor(allAccountsSql: Sql, onAccepted: (firstDueMs: number) => void) {
    this.#allAccountsSql = allAccountsSql;
    this.#onAccepted = onAccepted;
  }

  write(message: Outgoing, plan: AcceptedPlan): Promise<Written> {
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    this.#queue.push({ message, plan, resolve, reject });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#pump();
      });
    }
    return promise;
  }

  #pump() {
    while (this.#inFlight < IN_FLIGHT_MAX && this.#queue.length > 0)
      void this.#send(this.#nextBatch());
  }

  /** The next batch. A repeated id waits, because a statement may contain an id once. */
  #nextBatch(): Job[] {
    const ids = new Set<string>();
    const batch: Job[] = [];
    const rest: Job[] = [];
    for (const job of this.#queue) {
      if (batch.length < BATCH_MAX && !ids.has(job.message.messageId)) {
        ids.add(job.message.messageId);
        batch.push(job);
      } else rest.push(job);
    }
    this.#queue = rest;
    return batch;
  }

  async #send(batch: readonly Job[]) {
    this.#inFlight += 1;
    try {
      const failed = await eachByItself(batch, (some) => this.#write(some));
      for (const { item, error } of failed) item.reject(error);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  async #write(batch: readonly Job[]) {
    const accepted = await insertLines(this.#allAccountsSql, batch);
    this.#onAccepted(Math.min(...batch.map(({ plan }) => plan.deliveredMs)));
    for (const { message, resolve } of batch) {
      resolve(accepted.has(message.messageId) ? 'accepted' : 'blocked');
    }
  }
}

/**
 * Inserts the lines, and the rows that become due for them, in one statement. A repeated id only adds to its count of
 * submits. Phones that block are left out.
 *
 * @returns the accepted ids
 */
async function insertLines(
  allAccountsSql: Sql,
  batch: readonly Job[],
): Promise<ReadonlySet<string>> {
  const column = <T>(pick: (job: Job) => T) => batch.map(pick);
  const rows = await allAccountsSql<{ id: string }[]>`
    with given as (
      select g.*, case when p.slow then ${SLOW_TIMES} else 1 end as times
      from unnest(
        ${column(({ message }) => message.messageId)}::uuid[],
        ${column(({ message }) => message.accountId)}::uuid[],
        ${column(({ message }) => message.to)}::text[],
        ${column(({ message }) => message.from)}::text[],
        ${column(({ message }) => message.type)}::text[],
        ${column(({ message }) => json(bodyOf(message)))}::jsonb[],
        ${column(({ message }) => message.possibleDuplicate)}::boolean[],
        ${column(({ plan }) => plan.deliveredMs)}::int[],
        ${column(({ plan }) => plan.readMs)}::int[],
        ${column(({ plan }) => plan.reply?.afterMs ?? null)}::int[],
        ${column(replyFacts)}::jsonb[]
      ) as g(id, account_id, phone, peer, type, body, unsure, delivered_ms, read_ms, reply_ms, reply)
      left join sim_phones p on p.phone = g.phone
      where p.blocked is not true
    ), line as (
      insert into sim_lines as l (
        phone, line_id, direction, peer, type, body, account_id, possible_duplicate
      )
      select phone, id, 'in', peer, type, body, account_id, unsure from given
      on conflict (phone, line_id) do update
        set submits = l.submits + 1,
          possible_duplicate = l.possible_duplicate or excluded.possible_duplicate
      returning line_id, submits
    ), due as (
      insert into sim_events (due_id, kind, due_at, phone, account_id, message_id, facts)
      select gen_random_uuid(), d.kind,
        clock_timestamp() + d.after_ms * g.times * interval '1 millisecond',
        g.phone, g.account_id, g.id, d.facts
      from line join given g on g.id = line.line_id
      cross join lateral (values
        ('delivered', g.delivered_ms, null::jsonb),
        ('read', g.read_ms, null),
        ('inbound', g.reply_ms, g.reply)
      ) as d(kind, after_ms, facts)
      where line.submits = 1 and d.after_ms is not null
    )
    select id from given`;
  return new Set(rows.map(({ id }) => id));
}

/** The real text, even if the message's own row only has a mask: the phone shows it in clear. */
const bodyOf = ({ body, text }: Outgoing) => (text === undefined ? body : { text });

const quoting: ReadonlySet<AnswerKind> = new Set(['quote', 'reaction']);

function replyFacts({ message, plan }: Job) {
  if (!plan.reply) return null;
  return json({
    lineId: newId(),
    fileId: newId(),
    to: message.from,
    what: plan.reply.what,
    ...(quoting.has(plan.reply.what) && { quotes: message.messageId }),
  });
}
