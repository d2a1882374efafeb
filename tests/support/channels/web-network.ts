import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import type {
  Channel,
  Identified,
  Inbound,
  Receipt,
  Sinks,
} from '#server/domains/channels/channels.ts';
import {
  type StandIn,
  type StandInOptions,
  openStandIn,
} from '#server/domains/channels/web/engine/stand-in.ts';
import {
  type WebDeps,
  openWebChannel,
  usualTimings,
  networkQr,
} from '#server/domains/channels/web/web.ts';
import type { PresenceDeps } from '#server/domains/channels/health.ts';
import { readScan, recordConsent } from '#server/domains/tokens/links/links.ts';
import { createLink } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import type { MediaFacts } from '#server/domains/media/media.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { changeOf } from '#tests/support/database/changes.ts';
import { test as base } from '#tests/support/database/database.ts';
import { type Customer, changeTokens, customerWith } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export const secrets = secretsFrom(Buffer.alloc(32, 7));
const log = openLog({ level: 'silent' });

/** Everything is immediate except leases. */
export const quickTimings: WebDeps['timings'] = {
  ...usualTimings,
  pollMs: 20,
  renewMs: 500,
  spanMs: 40,
  watchMs: 20,
  loginGapMs: 0,
  backOffFactor: 0.01,
  inboxMs: 30,
  waitingMs: 30,
};

type WorkerOptions = {
  timings?: Partial<WebDeps['timings']>;
  engine?: WebDeps['engine'];
  /** The worker's own way to the database. */
  through?: Sql;
};

export type WebWorker = {
  channel: Channel;
  receipts: Receipt[];
  inbound: Inbound[];
  identified: Identified[];
  notices: NumberNotice[];
  reported: unknown[];
  /** While true, inbound messages are refused. */
  isAway: boolean;
};

export type Network = {
  standIn: StandIn;
  ani: Customer;
  startWorker(options?: WorkerOptions): Promise<WebWorker>;
  link(customer: Customer, phone: string): Promise<void>;
  beginLink(customer: Customer, pairingPhone?: string): Promise<{ data: string; nonce: string }>;
  readLink(link: { data: string; nonce: string }): ReturnType<typeof readScan>;
};

/** A stand-in of WhatsApp and workers on it, closed before their database is dropped. */
export const test = base.extend<{ openNetwork: (options?: StandInOptions) => Promise<Network> }>({
  openNetwork: async ({ sql }, use) => {
    const workers: Channel[] = [];
    await use((options) => networkWith(sql, workers, options));
    await Promise.all(workers.map((channel) => channel.close()));
  },
});

export const changeWebSessions = changeOf('web_sessions', ['accountId', 'tokenId', 'owner']);

export const makeWebSession = (
  sql: Sql | Tx,
  { accountId, tokenId }: Pick<Customer, 'accountId' | 'tokenId'>,
) => sql`
  insert into web_sessions (account_id, session_id, token_id, state)
  values (${accountId}, ${newId()}, ${tokenId}, 'linked')`;

/** A customer with some balance, whose token uses the web channel, without a number. */
export async function webCustomer(sql: Sql): Promise<Customer> {
  const customer = await customerWith(sql, { linked: false, saldo: 10_000 });
  await changeTokens(sql, customer, { channel: 'web' });
  return customer;
}

async function networkWith(
  sql: Sql,
  workers: Channel[],
  options: StandInOptions = {},
): Promise<Network> {
  const standIn = openStandIn({ heardMs: 10, ...options });
  const ani = await webCustomer(sql);
  const links = { sql, secrets, subscribers, networkQr: networkQr(secrets) };

  const beginLink: Network['beginLink'] = async ({ accountId, tokenId }, pairingPhone) => {
    const { path } = await createLink(links, accountId, tokenId);
    const data = path.slice('/scan/'.length);
    return { data, ...(await recordConsent(links, data, 'test', pairingPhone)) };
  };
  const readLink: Network['readLink'] = ({ data, nonce }) => readScan(links, data, nonce);
  return {
    standIn,
    ani,
    beginLink,
    readLink,
    async startWorker({ timings, engine = standIn, through = sql } = {}) {
      const worker = workerWith(through, { engine, timings: { ...quickTimings, ...timings } });
      workers.push(worker.channel);
      await worker.channel.start(worker.sinks);
      return worker;
    },
    async link(customer, phone) {
      let link = await beginLink(customer);
      // A worker that was delayed beyond its short lease shows another QR, which is scanned again. A QR is valid for
      // some 40 ms: a link whose QRs all passed unread has failed, as for a person who does not look.
      let scanned: string | undefined;
      await waitFor(async () => {
        const { state, qr } = await readLink(link);
        if (state === 'failed' || state === 'expired') link = await beginLink(customer);
        if (qr && qr.text !== scanned && standIn.scan(qr.text, phone)) scanned = qr.text;
        return state === 'connected';
      });
      await waitFor(() =>
        workers.some(({ numbers }) => numbers?.held().includes(customer.tokenId)),
      );
    },
  };
}

type Take = WebDeps['library']['take'];

const namedBy = ({ name, type: mime }: { name: string; type: string }) => ({ name, mime });

type NumberNotice = Parameters<PresenceDeps['queueNotice']>[1];

/** A library that trusts the declared type of every file. */
const takenFrom = ({ fileId = newId(), declared, bytes }: Parameters<Take>[0]): MediaFacts => ({
  fileId,
  ...namedBy(typeof declared === 'function' ? declared() : declared),
  sizeBytes: Buffer.isBuffer(bytes) ? bytes.length : 0,
  sha256: Buffer.alloc(32),
  previewId: null,
  width: null,
  height: null,
  waveform: null,
  seconds: null,
  createdAt: new Date(),
  expiresAt: new Date(),
});

async function commitOf(sql: Sql, tx: Tx): Promise<() => Promise<boolean>> {
  const [{ id } = { id: '' }] = await tx<{ id: string }[]>`
    select pg_current_xact_id()::text as id`;
  return async () => {
    const [row] = await sql`select pg_xact_status(${id}::xid8) as status`;
    return row?.['status'] === 'committed';
  };
}

function workerWith(sql: Sql, { engine, timings }: Pick<WebDeps, 'engine' | 'timings'>) {
  const reported: unknown[] = [];
  const notices: NumberNotice[] = [];
  const receipts: Receipt[] = [];
  const inbound: Inbound[] = [];
  const identified: Identified[] = [];
  const report = (error: unknown) => void reported.push(error);
  const connecting = {
    allAccountsSql: sql,
    secrets,
    sendSystemText: async () => undefined,
    report,
    subscribers,
  };
  const channel = openWebChannel({
    allAccountsSql: sql,
    secrets,
    // Workers share one network, which outlives them.
    engine: { open: (given) => engine.open(given), close: async () => undefined },
    connecting,
    library: { take: async (given) => takenFrom(given) },
    readFile: async () => undefined,
    subscribers,
    startEach: (start) => [start()],
    queueNotice: async (tx, notice) => {
      const isCommitted = await commitOf(sql, tx);
      // A test that sees the notice also sees its cause.
      waitFor(isCommitted).then(
        () => notices.push(notice),
        () => undefined,
      );
    },
    now: () => new Date(),
    log,
    report,
    timings,
  });
  const worker = { channel, receipts, inbound, identified, notices, reported, isAway: false };
  const sinks: Sinks = {
    receipts: async (given) => {
      if (worker.isAway) throw new Error('away');
      receipts.push(...given);
      return [];
    },
    inbound: async (given) => {
      if (worker.isAway) throw new Error('away');
      inbound.push(given);
    },
    identified: async (known) => void identified.push(known),
  };
  return Object.assign(worker, { sinks });
}
