import type { Sinks } from '#server/domains/channels/channels.ts';
import {
  extendSpans,
  countAnswers,
  liftRestriction,
  connectNumber,
  disconnectNumber,
  restrictNumber,
} from '#server/domains/channels/health.ts';
import {
  type Leases,
  type OwnedSession,
  leaseKey,
  LeaseLost,
  openAuthStorage,
} from '#server/domains/channels/web/auth.ts';
import type { WebDeps } from '#server/domains/channels/web/web-deps.ts';
import {
  type LoginPace,
  openLoginPace,
  type CloseAction,
  actionFor,
  backOffMs,
  TIMED_OUT,
} from './close-codes.ts';
import {
  becomeLinked,
  endSession,
  eraseSession,
  factsOf,
  noteSeen,
  type SessionFacts,
} from './numbers.ts';
import type { Restriction } from '#contract/channels.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  EngineEvent,
  EngineSocket,
  OpenOptions,
  WebEngine,
} from '#server/domains/channels/web/engine/engine.ts';
import { Receiving } from '#server/domains/channels/web/receiving.ts';
import { isRestriction } from '#server/domains/channels/web/sending/refusals.ts';
import { openSentStorage } from '#server/domains/channels/web/sending/sent-storage.ts';
import { connectLink, failLink } from '#server/domains/tokens/tokens.ts';
import { bindScope } from '#server/infra/postgres/distribution/scope.ts';
import { type Repeated, repeat } from '#server/infra/polling.ts';
import type { WebTimings } from './timings.ts';

export type Phones = {
  wake(): void;
  openPhone(tokenId: string): Phone | undefined;
  openTokens(): string[];
  close(): Promise<void>;
};

/** Numbers per worker: the usual 200, and its part of those of a worker that went away. */
const PHONES_MAX = 300;

type PhonesDeps = WebDeps & { leases: Leases; sinks: () => Sinks };

export function startPhones(deps: PhonesDeps): Phones {
  const held = new PhoneSet(deps);
  return {
    wake: () => held.polls.wake(),
    openPhone: (tokenId) => held.open().find(({ session }) => session.tokenId === tokenId),
    openTokens: () => held.open().map(({ session }) => session.tokenId),
    close: () => held.close(),
  };
}

class PhoneSet {
  readonly polls: Repeated;
  readonly #deps: PhonesDeps;
  readonly #phones = new Map<string, Phone>();
  readonly #timers: NodeJS.Timeout[];
  readonly #loginPace: LoginPace;
  /** Sessions taken at a time: as many as log in until the next poll; others take the rest. */
  readonly #claimsMax: number;

  constructor(deps: PhonesDeps) {
    this.#deps = deps;
    const { timings, report } = deps;
    this.#loginPace = openLoginPace(timings.loginGapMs);
    this.#claimsMax = Math.ceil(timings.pollMs / timings.loginGapMs);
    this.#timers = [
      setInterval(() => void this.#renew(), timings.renewMs),
      setInterval(() => void this.#extendSpans().catch(report), timings.spanMs),
    ];
    this.polls = repeat(() => this.#claimAndEnd(), timings.pollMs, report);
    this.polls.wake();
  }

  open(): Phone[] {
    return [...this.#phones.values()].filter(({ openSocket }) => openSocket !== undefined);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.polls.close();
    await Promise.all([...this.#phones.values()].map((phone) => this.#release(phone)));
  }

  async #claimAndEnd(): Promise<void> {
    const { allAccountsSql, leases } = this.#deps;
    for (const phone of this.#phones.values()) {
      if (phone.isOver) await this.#release(phone);
    }
    await this.#endUnwanted();
    const free = Math.min(PHONES_MAX - this.#phones.size, this.#claimsMax);
    const claimed = free > 0 ? await leases.claim(free) : [];
    if (claimed.length === 0) return;
    const facts = await factsOf(allAccountsSql, claimed);
    const loginPace = this.#loginPace;
    for (const session of claimed) {
      const known = facts.get(session.sessionId);
      if (!known) continue;
      if (known.shouldConnect) {
        this.#phones.set(
          leaseKey(session),
          new Phone({ ...this.#deps, loginPace }, session, known),
        );
      } else if (known.isOver) {
        await leases.whileOwned(session, (tx) => endSession(tx, this.#deps, session));
      } else {
        await leases.release(session);
      }
    }
  }

  /** Logs out sessions of tokens without a number, and closes those of suspended accounts. */
  async #endUnwanted(): Promise<void> {
    const phones = [...this.#phones.values()];
    if (phones.length === 0) return;
    const facts = await factsOf(
      this.#deps.allAccountsSql,
      phones.map(({ session }) => session),
    );
    for (const phone of phones) {
      const known = facts.get(phone.session.sessionId);
      if (known) phone.firstLinkedAt = known.firstLinkedAt;
      if (known?.shouldConnect) continue;
      if (known?.isOver) await this.#end(phone);
      else await this.#release(phone);
    }
  }

  async #end(phone: Phone): Promise<void> {
    this.#phones.delete(leaseKey(phone.session));
    await phone.end();
  }

  async #release(phone: Phone): Promise<void> {
    this.#phones.delete(leaseKey(phone.session));
    await phone.close();
    await this.#deps.leases.release(phone.session).catch(this.#deps.report);
  }

  /** Renews all leases in one call; gives up a number of another worker without a write. */
  async #renew(): Promise<void> {
    const phones = [...this.#phones.values()];
    if (phones.length === 0) return;
    const { leases, log, timings } = this.#deps;
    const renewingAt = performance.now();
    try {
      const owned = await leases.renew(phones.map(({ session }): OwnedSession => session));
      for (const phone of phones) {
        if (owned.has(leaseKey(phone.session))) phone.renewedAt = renewingAt;
        else await this.#giveUp(phone);
      }
    } catch (error) {
      log.warn({ err: error }, 'leases of WhatsApp Web cannot be renewed');
      for (const phone of phones) {
        if (renewingAt - phone.renewedAt > timings.renewedMsMax) await this.#giveUp(phone);
      }
    }
  }

  async #giveUp(phone: Phone): Promise<void> {
    this.#phones.delete(leaseKey(phone.session));
    await phone.close();
  }

  async #extendSpans(): Promise<void> {
    const sessions = this.open().map(({ session }) => session);
    if (sessions.length === 0) return;
    await extendSpans(this.#deps.allAccountsSql, sessions, new Date());
    await noteSeen(this.#deps.allAccountsSql, sessions);
  }
}

type PartAction = Extract<CloseAction, { kind: 'part' }>;

/** Assumed restriction if the network names no end: checked again after a day. */
const RESTRICTED_MS = 24 * 3_600_000;

class Phone {
  readonly session: OwnedSession;
  readonly #deps: PhonesDeps & { loginPace: LoginPace };
  readonly #connection: Connection;
  readonly #receiving: Receiving;
  #queue: Promise<void> = Promise.resolve();
  #isLinked: boolean;
  #isOver = false;
  firstLinkedAt: Date;
  /** Last time that its lease was known to be new, by `performance.now()`. */
  renewedAt = performance.now();

  constructor(
    deps: PhonesDeps & { loginPace: LoginPace },
    session: OwnedSession,
    facts: SessionFacts,
  ) {
    this.session = session;
    this.#deps = deps;
    this.#isLinked = session.state === 'linked';
    this.firstLinkedAt = facts.firstLinkedAt;
    const storage = bindScope({
      auth: openAuthStorage(deps, session, () => this.#lose()),
      sent: openSentStorage(deps, session),
    });
    this.#receiving = new Receiving(deps, session, {
      socket: () => this.openSocket,
      linkedAt: facts.createdAt,
      lastSeenAt: facts.lastSeenAt ?? undefined,
    });
    this.#connection = new Connection({
      engine: deps.engine,
      timings: deps.timings,
      mayOpen: async () => (await deps.leases.renew([session])).size > 0,
      loginPace: deps.loginPace,
      storage,
      onEvent: bindScope((event) => this.#enqueue(() => this.#handle(event))),
      onLost: () => this.#lose(),
      onParted: (action) => this.#enqueue(() => this.#part(action)),
      report: deps.report,
    });
  }

  get openSocket(): EngineSocket | undefined {
    return this.#isLinked && !this.#isOver ? this.#connection.openSocket : undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the connection, after running work is finished. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#connection.close();
    await this.#receiving.close();
    await this.#queue;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#connection.socket?.logout().catch(this.#deps.report);
    await this.close();
    await this.#deps.leases
      .whileOwned(this.session, (tx) => endSession(tx, this.#deps, this.session))
      .catch(this.#reportUnlessLost);
  }

  /** Whether the session is still ours; checked if the lease may have ended, as after a freeze. */
  async holdsLease(): Promise<boolean> {
    const { leases, timings } = this.#deps;
    const now = performance.now();
    if (now - this.renewedAt < timings.renewedMsMax) return true;
    const isOurs = (await leases.renew([this.session])).size > 0;
    if (isOurs) this.renewedAt = now;
    else this.#lose();
    return isOurs;
  }

  async refused(code: number): Promise<void> {
    const { session } = this;
    const { allAccountsSql } = this.#deps;
    await countAnswers(
      allAccountsSql,
      [{ ...session, channel: 'web', code: `${code}` }],
      new Date(),
    );
    if (isRestriction(code)) await this.#restrict('new_chats', true);
  }

  get #ref() {
    const { accountId, tokenId } = this.session;
    return { accountId, tokenId, channel: 'web' as const };
  }

  #enqueue(work: () => Promise<void>) {
    this.#queue = this.#queue.then(work).catch(this.#reportUnlessLost);
  }

  readonly #reportUnlessLost = (error: unknown) => {
    if (error instanceof LeaseLost) this.#lose();
    else this.#deps.report(error);
  };

  #lose() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.close().catch(this.#deps.report);
  }

  async #handle(event: EngineEvent): Promise<void> {
    switch (event.kind) {
      case 'open':
        return this.#opened(event.phone).catch((error: unknown) => {
          this.#connection.retry();
          throw error;
        });
      case 'messages':
        return this.#receiving.messages(event);
      case 'receipts':
        return this.#receipts(event);
      case 'numbers':
        return this.#receiving.numbers(event.numbers);
      case 'time_lock':
        return this.#restrict('new_chats', event.isActive, event.untilMs);
      case 'capping':
        return this.#restrict('capped', event.isCapped, event.untilMs);
      case 'closed':
        return this.#closed(event);
      case 'heard':
      case 'paired':
      case 'pairing_code':
      case 'passkey':
      case 'qr':
        return;
    }
  }

  async #opened(phone: string): Promise<void> {
    if (!this.#isLinked) {
      if (!(await this.#link(phone))) return;
      this.#isLinked = true;
    }
    await this.#deps.leases.whileOwned(this.session, (tx) =>
      connectNumber(tx, this.#deps, this.#ref),
    );
    this.#receiving.opened();
  }

  /** Counts the close code, and reports one that only a newer release solves. */
  async #closed(event: Extract<EngineEvent, { kind: 'closed' }>): Promise<void> {
    const { code } = event;
    const { allAccountsSql, leases } = this.#deps;
    const answer = { ...this.#ref, code: `close_${code}` };
    await countAnswers(allAccountsSql, [answer], new Date());
    const action = actionFor(event);
    if (action.kind !== 'back_off' || !action.says || !this.#isLinked) return;
    const { says } = action;
    await leases.whileOwned(this.session, (tx) =>
      disconnectNumber(tx, this.#deps, this.#ref, says),
    );
  }

  async #link(phone: string): Promise<boolean> {
    const { connecting, leases } = this.#deps;
    const { session } = this;
    try {
      await connectLink(connecting, { accountId: session.accountId, linkId: session.sessionId });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Not awaited: ending waits for running work, which includes this.
      this.end().catch(this.#deps.report);
      return false;
    }
    await leases.whileOwned(session, (tx) => becomeLinked(tx, session, phone));
    return true;
  }

  async #receipts({ receipts }: Extract<EngineEvent, { kind: 'receipts' }>): Promise<void> {
    for (const { code } of receipts) if (code !== undefined) await this.refused(code);
    await this.#receiving.receipts(receipts);
  }

  async #restrict(kind: Restriction, isActive: boolean, untilMs?: number): Promise<void> {
    const until = new Date(untilMs ?? this.#deps.now().getTime() + RESTRICTED_MS);
    await this.#deps.leases.whileOwned(this.session, (tx) =>
      isActive
        ? restrictNumber(tx, this.#deps, this.#ref, { kind, until })
        : liftRestriction(tx, this.#ref, kind),
    );
  }

  async #part({ reason, erase }: PartAction): Promise<void> {
    const { connecting, leases } = this.#deps;
    const { accountId, sessionId } = this.session;
    this.#isOver = true;
    await leases.whileOwned(this.session, async (tx) => {
      if (erase) await eraseSession(tx, this.session);
      if (!this.#isLinked) {
        await failLink(tx, connecting.subscribers, { accountId, linkId: sessionId });
        return;
      }
      await disconnectNumber(tx, this.#deps, this.#ref, reason);
    });
  }
}

type ConnectionDeps = {
  engine: WebEngine;
  timings: WebTimings;
  /** Whether the session is still ours: connecting otherwise would disconnect its holder. */
  mayOpen: () => Promise<boolean>;
  loginPace: LoginPace;
  storage: Pick<OpenOptions, 'auth' | 'sent'>;
  onEvent: (event: EngineEvent) => void;
  onParted: (action: Extract<CloseAction, { kind: 'part' }>) => void;
  onLost: () => void;
  report: (error: unknown) => void;
};

const YIELDS_MS = 10 * 60_000;

/** A session's connection: reopened as its close codes require, or when it is silent too long. */
class Connection {
  readonly #deps: ConnectionDeps;
  #socket: EngineSocket | undefined;
  /** Counts connections, so that late events of an earlier one are ignored. */
  #current = 0;
  #isOpen = false;
  #isEnded = false;
  #tries = 0;
  #yieldedAt: readonly number[] = [];
  #heardAt = 0;
  #watchedAt = performance.now();
  #isWaiting = false;
  #reopening: NodeJS.Timeout | undefined;
  readonly #watching: NodeJS.Timeout;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#watching = setInterval(() => this.#checkSilence(), deps.timings.watchMs);
    this.#openPaced();
  }

  get openSocket(): EngineSocket | undefined {
    return this.#isOpen ? this.#socket : undefined;
  }

  get socket(): EngineSocket | undefined {
    return this.#socket;
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#watching);
    clearTimeout(this.#reopening);
    await this.#drop();
  }

  /** Closes the connection, and opens another one later. */
  retry(): void {
    if (this.#isEnded) return;
    const socket = this.#socket;
    this.#reopen(actionFor({ code: TIMED_OUT }));
    socket?.close().catch(this.#deps.report);
  }

  #openPaced() {
    const { loginPace } = this.#deps;
    const waitMs = loginPace.waitMs();
    if (waitMs <= 0 && !loginPace.isHeldUp) return this.#open();
    this.#isWaiting = true;
    this.#reopening = setTimeout(() => {
      if (loginPace.isHeldUp) this.#openPaced();
      else this.#open();
    }, waitMs);
  }

  #open() {
    this.#current += 1;
    const current = this.#current;
    this.#isWaiting = false;
    this.#heardAt = performance.now();
    const onEvent = (event: EngineEvent) => {
      if (current !== this.#current || this.#isEnded) return;
      this.#handle(event);
    };
    const { engine, loginPace, mayOpen, storage } = this.#deps;
    const open = async () => ((await mayOpen()) ? engine.open({ ...storage, onEvent }) : undefined);
    loginPace.run(open).then(
      (socket) => {
        if (!socket) this.#lose();
        else if (current === this.#current && !this.#isEnded) this.#socket = socket;
        else socket.close().catch(this.#deps.report);
      },
      (error: unknown) => {
        this.#deps.report(error);
        if (current === this.#current && !this.#isEnded) this.#reopen(actionFor({ code: 0 }));
      },
    );
  }

  #handle(event: EngineEvent) {
    this.#heardAt = performance.now();
    if (event.kind === 'heard') return;
    if (event.kind === 'open') {
      this.#isOpen = true;
      this.#tries = 0;
    }
    if (event.kind === 'closed') this.#isOpen = false;
    this.#deps.onEvent(event);
    if (event.kind === 'closed') this.#reopen(actionFor(event));
  }

  #reopen(action: CloseAction) {
    this.#current += 1;
    this.#isWaiting = true;
    this.#isOpen = false;
    this.#socket = undefined;
    this.#tries += 1;
    if (action.kind === 'part') return this.#part(action);
    if (action.kind === 'retry' && this.#tries > action.triesMax) {
      return this.#part({ kind: 'part', reason: action.reason, erase: false });
    }
    if (action.kind === 'yield' && this.#yields() > action.timesMax) {
      return this.#part({ kind: 'part', reason: action.reason, erase: false });
    }
    const { backOffFactor } = this.#deps.timings;
    const leastMs = 'leastMs' in action ? action.leastMs : 1_000;
    const waitMs = action.kind === 'reconnect' ? 0 : backOffMs(this.#tries, leastMs);
    this.#reopening = setTimeout(() => this.#openPaced(), waitMs * backOffFactor);
  }

  #yields(): number {
    const now = performance.now();
    this.#yieldedAt = [...this.#yieldedAt, now].filter((at) => now - at < YIELDS_MS);
    return this.#yieldedAt.length;
  }

  #lose() {
    this.#isEnded = true;
    clearInterval(this.#watching);
    this.#deps.onLost();
  }

  #part(action: Extract<CloseAction, { kind: 'part' }>) {
    this.#isEnded = true;
    clearInterval(this.#watching);
    this.#deps.onParted(action);
  }

  /** A connection may be dead without an event. */
  #checkSilence() {
    const { silenceMs, renewedMsMax } = this.#deps.timings;
    const now = performance.now();
    const wasFrozen = now - this.#watchedAt > renewedMsMax;
    this.#watchedAt = now;
    if (wasFrozen) this.#checkLease();
    if (this.#isWaiting) return;
    if (performance.now() - this.#heardAt < silenceMs) return;
    this.#deps.onEvent({ kind: 'closed', code: TIMED_OUT });
    this.retry();
  }

  /** A frozen process may have lost its sessions: checks before it continues. */
  #checkLease() {
    this.#deps.mayOpen().then(
      (isOurs) => {
        if (!isOurs && !this.#isEnded) this.#lose();
      },
      // Checked again before each message, and at each renewal of leases.
      this.#deps.report,
    );
  }

  async #drop() {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isOpen = false;
    await socket?.close().catch(this.#deps.report);
  }
}
