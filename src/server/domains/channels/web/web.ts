import type { Channel, Outgoing, SendResult, Sinks } from '#server/domains/channels/channels.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { repeat } from '#server/infra/polling.ts';
import {
  openLeases,
  sealedAuth,
  openAuthStorage,
  LeaseLost,
  type Leases,
  type OwnedSession,
} from './auth.ts';
import { pruneWaiting, sealedInbox } from './receiving.ts';
import { sendMessage } from './sending/send.ts';
import { pruneSent, sealedSent, openSentStorage } from './sending/sent-storage.ts';
import { paceOf } from './sending/pace.ts';
import { type Phones, startPhones } from './sockets/phones.ts';
import type { WebDeps } from './web-deps.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';
import { type AccountData, atOnce, eraseRows } from '#server/infra/account-data.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { LinkFailure } from '#contract/scan.ts';
import type { EngineEvent, EngineSocket } from '#server/domains/channels/web/engine/engine.ts';
import { countAnswers } from '#server/domains/channels/health.ts';
import {
  actionFor,
  backOffMs,
  RESTART_REQUIRED,
} from '#server/domains/channels/web/sockets/close-codes.ts';
import { endSession, eraseSession } from '#server/domains/channels/web/sockets/numbers.ts';
import {
  type NetworkLink,
  scanByNetwork,
  waitingLinks,
  type NetworkQr,
} from '#server/domains/tokens/tokens.ts';
import { bindScope } from '#server/infra/postgres/distribution/scope.ts';

type Linking = {
  wake(): void;
  close(): Promise<void>;
};

const LINKS_MAX = 50;
/** Leases of linking sessions are renewed once in this many polls. */
const RENEW_POLLS = 5;

function startLinking(deps: WebDeps & { leases: Leases; onPaired: () => void }): Linking {
  const { allAccountsSql, leases, report, timings } = deps;
  const running = new Map<string, LinkSession>();
  let polls = 0;
  let isClosed = false;

  const poll = async () => {
    const waiting = await waitingLinks(allAccountsSql, 'web', LINKS_MAX);
    const waitingIds = new Set(waiting.map(({ linkId }) => linkId));
    for (const [linkId, one] of running) {
      if (one.isOver) running.delete(linkId);
      else if (!waitingIds.has(linkId) && !one.isPaired) {
        running.delete(linkId);
        await one.abandon();
      }
    }
    polls += 1;
    if (polls % RENEW_POLLS === 0 && running.size > 0) {
      await leases.renew([...running.values()].map(({ session }) => session));
    }
    for (const link of waiting) {
      if (running.has(link.linkId) || running.size >= LINKS_MAX || isClosed) continue;
      const session = await leases.begin(link);
      if (session) running.set(link.linkId, new LinkSession(deps, link, session));
    }
  };
  const looking = repeat(poll, timings.pollMs, report);
  looking.wake();
  return {
    wake: looking.wake,
    async close() {
      isClosed = true;
      await looking.close();
      await Promise.all([...running.values()].map((one) => one.close()));
    },
  };
}

class LinkSession {
  readonly session: OwnedSession;
  readonly #deps: WebDeps & { leases: Leases; onPaired: () => void };
  readonly #link: NetworkLink;
  #socket: EngineSocket | undefined;
  #current = 0;
  #isFirst = true;
  #rounds = 0;
  #queue: Promise<void> = Promise.resolve();
  #reopening: NodeJS.Timeout | undefined;
  isPaired = false;
  isOver = false;

  constructor(
    deps: WebDeps & { leases: Leases; onPaired: () => void },
    link: NetworkLink,
    session: OwnedSession,
  ) {
    this.#deps = deps;
    this.#link = link;
    this.session = session;
    this.#open();
  }

  async close(): Promise<void> {
    await this.#end();
    await this.#deps.leases.release(this.session).catch(this.#deps.report);
  }

  /** Ends a link that no longer waits; a phone that paired meanwhile keeps its session. */
  async abandon(): Promise<void> {
    await this.#end();
    if (await this.#erase()) return;
    await this.#deps.leases.release(this.session).catch(this.#deps.report);
    this.#deps.onPaired();
  }

  async #end(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.#reopening);
    await this.#socket?.close().catch(this.#deps.report);
    await this.#queue;
  }

  /** @returns false if the session remains, because a phone has paired. */
  async #erase(): Promise<boolean> {
    const { session } = this;
    try {
      return await this.#deps.leases.whileOwned(session, (tx) =>
        eraseSession(tx, session, 'linking'),
      );
    } catch (error) {
      this.#reportUnlessLost(error);
      return true;
    }
  }

  #open() {
    this.#current += 1;
    this.#isFirst = true;
    const current = this.#current;
    const { pairingPhone } = this.#link;
    const onEvent = bindScope((event: EngineEvent) => {
      if (current !== this.#current || this.isOver) return;
      this.#enqueue(() => this.#handle(event));
    });
    this.#deps.engine
      .open({
        auth: bindScope(openAuthStorage(this.#deps, this.session, () => this.#lose())),
        sent: bindScope(openSentStorage(this.#deps, this.session)),
        ...(pairingPhone !== null && { pairingPhone }),
        onEvent,
      })
      .then(
        (socket) => {
          if (current === this.#current && !this.isOver) this.#socket = socket;
          else socket.close().catch(this.#deps.report);
        },
        (error: unknown) => {
          this.#deps.report(error);
          if (current === this.#current) this.#enqueue(() => this.#closed({ code: 0 }));
        },
      );
  }

  #enqueue(work: () => Promise<void>) {
    this.#queue = this.#queue.then(work).catch(this.#reportUnlessLost);
  }

  readonly #reportUnlessLost = (error: unknown) => {
    if (error instanceof LeaseLost) this.#lose();
    else this.#deps.report(error);
  };

  #lose() {
    this.isOver = true;
    clearTimeout(this.#reopening);
    this.#socket?.close().catch(this.#deps.report);
  }

  async #handle(event: EngineEvent): Promise<void> {
    const { leases, secrets } = this.#deps;
    const { session } = this;
    switch (event.kind) {
      case 'qr': {
        const isFirst = this.#isFirst;
        this.#isFirst = false;
        const { text } = event;
        return leases.whileOwned(session, (tx) => storeQr(tx, secrets, session, { text, isFirst }));
      }
      case 'pairing_code':
        return leases.whileOwned(session, (tx) =>
          storePairingCode(tx, secrets, session, event.code),
        );
      case 'paired':
        return this.#paired(event.phone);
      // Its pairing could not be stored when it came.
      case 'open':
        try {
          await this.#paired(event.phone);
        } finally {
          // If it fails again, the next connection repeats it.
          await this.#socket?.close().catch(this.#deps.report);
          await this.#closed({ code: RESTART_REQUIRED });
        }
        return;
      case 'passkey':
        await this.#fail('passkey', 'passkey');
        return this.#socket?.close();
      case 'closed':
        return this.#closed(event);
      default:
        return;
    }
  }

  /** A phone has paired; the network closes this connection next, and the session's own begins. */
  async #paired(phone: string): Promise<void> {
    const { connecting } = this.#deps;
    const { accountId, sessionId: linkId } = this.session;
    try {
      await scanByNetwork(connecting, { accountId, linkId }, phone, (tx) =>
        becomePaired(tx, this.session),
      );
      this.isPaired = true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.isOver = true;
      await this.#socket?.logout().catch(this.#deps.report);
      await this.#socket?.close().catch(this.#deps.report);
      await this.#erase();
    }
  }

  /** Ends the link if no QR helps; its page and the operator's show the reason. */
  async #fail(failure: LinkFailure, code: string): Promise<void> {
    const { allAccountsSql, leases, log } = this.#deps;
    const { session } = this;
    const { accountId, tokenId } = session;
    this.isOver = true;
    log.warn({ reason: [failure, code], token: tokenId }, 'a number cannot be linked');
    const answer = { accountId, tokenId, channel: 'web' as const, code };
    await countAnswers(allAccountsSql, [answer], new Date());
    await leases.whileOwned(session, (tx) => endSession(tx, this.#deps, session, failure));
  }

  async #closed(event: Pick<Extract<EngineEvent, { kind: 'closed' }>, 'code'>): Promise<void> {
    if (this.isOver) return;
    this.#socket = undefined;
    const action = actionFor(event);
    if (action.kind === 'back_off' && action.says) {
      return this.#fail('outdated', `close_${event.code}`);
    }
    if (this.isPaired) {
      this.isOver = true;
      await this.#deps.leases.release(this.session);
      this.#deps.onPaired();
      return;
    }
    // The QRs of one connection are used up after some minutes; the next come with another, while the link lasts.
    this.#rounds += 1;
    const waitMs = backOffMs(this.#rounds, 1_000) * this.#deps.timings.backOffFactor;
    this.#reopening = setTimeout(() => this.#open(), waitMs);
    await this.#deps.leases.whileOwned(this.session, (tx) => clearCodes(tx, this.session));
  }
}

/** The network shows its first QR for a minute, and each later one for 20 seconds. */
const FIRST_SECONDS = 60;
const LATER_SECONDS = 20;

type Kind = 'qr' | 'pairing code';

const contextOf = (accountId: string, sessionId: string, kind: Kind) =>
  `web_sessions:${accountId}:${sessionId}:${kind}`;

const sealedCode = (column: 'qr' | 'pairing_code', kind: Kind): SealedColumn => ({
  table: 'web_sessions',
  column,
  key: ['account_id', 'session_id'],
  context: ({ account_id = '', session_id = '' }) => contextOf(account_id, session_id, kind),
});

const sealedCodes: readonly SealedColumn[] = [
  sealedCode('qr', 'qr'),
  sealedCode('pairing_code', 'pairing code'),
];

async function storeQr(
  tx: Tx,
  secrets: Secrets,
  { accountId, sessionId }: OwnedSession,
  { text, isFirst }: { text: string; isFirst: boolean },
): Promise<void> {
  const seconds = isFirst ? FIRST_SECONDS : LATER_SECONDS;
  await tx`
    update web_sessions set qr = ${secrets.seal(text, contextOf(accountId, sessionId, 'qr'))},
      qr_expires_at = clock_timestamp() + ${`${seconds} seconds`}::interval
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

async function storePairingCode(
  tx: Tx,
  secrets: Secrets,
  { accountId, sessionId }: OwnedSession,
  code: string,
): Promise<void> {
  const sealed = secrets.seal(code, contextOf(accountId, sessionId, 'pairing code'));
  await tx`
    update web_sessions set pairing_code = ${sealed}
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

async function clearCodes(tx: Tx, { accountId, sessionId }: OwnedSession): Promise<void> {
  await tx`
    update web_sessions set qr = null, qr_expires_at = null, pairing_code = null
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

async function becomePaired(tx: Tx, { accountId, sessionId }: OwnedSession): Promise<void> {
  await tx`
    update web_sessions set state = 'paired', qr = null, qr_expires_at = null, pairing_code = null
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

export const networkQr =
  (secrets: Secrets): NetworkQr =>
  async (tx, { accountId, linkId }) => {
    const [row] = await tx<{ qr: Buffer; until: Date; pairing_code: Buffer | null }[]>`
      select qr, qr_expires_at as until, pairing_code from web_sessions
      where account_id = ${accountId} and session_id = ${linkId} and state = 'linking'
        and qr is not null`;
    if (!row) return null;
    const opened = (sealed: Uint8Array, kind: Kind) =>
      secrets.open(sealed, contextOf(accountId, linkId, kind))?.toString('utf8');
    const text = opened(row.qr, 'qr');
    if (text === undefined) return null;
    const code = row.pairing_code && opened(row.pairing_code, 'pairing code');
    return { text, pairing_code: code ?? null, expires_at: row.until };
  };

/**
 * Account data of WhatsApp Web: numbers, and since when they are linked. Sessions, keys and contents are secrets;
 * messages and chats are in the history.
 */
export const webAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  subjects: (accountId) => [
    { name: 'nomor-whatsapp-web', rows: () => atOnce(() => numbersOf(allAccountsSql, accountId)) },
  ],
  erase: async ({ accountId }) => {
    for (const table of [
      'web_inbox',
      'web_sent',
      'web_chats',
      'web_numbers',
      'web_keys',
      'web_sessions',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

async function numbersOf(sql: Sql, accountId: string): Promise<Record<string, unknown>[]> {
  const found = await sql<{ token_id: string; phone: string; first_linked_at: Date }[]>`
    select token_id, phone, first_linked_at from web_numbers
    where account_id = ${accountId} order by token_id, phone`;
  return found.map(({ token_id, ...facts }) => ({ token: publicId('token', token_id), ...facts }));
}

export { openStandIn } from './engine/stand-in.ts';
export { openThreadedEngine } from './engine/thread/threaded-engine.ts';
export { usualTimings } from './sockets/timings.ts';
export type { WebDeps } from './web-deps.ts';

export const sealedWeb: readonly SealedColumn[] = [
  ...sealedAuth,
  ...sealedCodes,
  sealedSent,
  sealedInbox,
];

export async function pruneWeb(allAccountsSql: Sql): Promise<void> {
  await pruneSent(allAccountsSql);
  await pruneWaiting(allAccountsSql);
}

const TIMEOUT_MARGIN_MS = 10_000;
const AWAY_MS = 5_000;
const MINUTE_MS = 60_000;

type Started = { phones: Phones; linking: Linking };

/** Opens the channel `web`: numbers linked as devices of WhatsApp Web. */
export function openWebChannel(deps: WebDeps): Channel {
  const leases = openLeases(deps.allAccountsSql, newId());
  let started: readonly Started[] = [];
  const openPhone = (tokenId: string) => {
    for (const { phones } of started) {
      const phone = phones.openPhone(tokenId);
      if (phone) return phone;
    }
    return undefined;
  };

  return {
    name: 'web',
    preallocates: true,
    timeoutMs: deps.timings.sendMs + TIMEOUT_MARGIN_MS,
    numbers: {
      held: () => started.flatMap(({ phones }) => phones.openTokens()),
      paceMs: (tokenId) => {
        const phone = openPhone(tokenId);
        return phone ? MINUTE_MS / paceOf(phone.firstLinkedAt, new Date()).perMinute : 0;
      },
    },
    send(message, signal) {
      const phone = openPhone(message.tokenId);
      return phone ? sendMessage(deps, phone, message, signal) : away(message);
    },
    async start(sinks: Sinks) {
      started = deps.startEach(() => {
        const phones = startPhones({ ...deps, leases, sinks: () => sinks });
        const linking = startLinking({ ...deps, leases, onPaired: () => phones.wake() });
        return { phones, linking };
      });
    },
    async close() {
      const running = started;
      started = [];
      await Promise.all(running.map(({ linking }) => linking.close()));
      await Promise.all(running.map(({ phones }) => phones.close()));
      await deps.engine.close();
    },
  };
}

const away = async (_message: Outgoing): Promise<SendResult> => ({
  outcome: 'later',
  afterMs: AWAY_MS,
  failure: 'not_linked',
});
