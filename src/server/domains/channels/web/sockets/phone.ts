import type { Restriction } from '#contract/tokens/connection.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sinks } from '#server/domains/channels/channels.ts';
import { countAnswers, liftRestriction } from '#server/domains/channels/health/health.ts';
import {
  connectNumber,
  partNumber,
  restrictNumber,
} from '#server/domains/channels/health/presence.ts';
import { openAuthStorage } from '#server/domains/channels/web/auth/auth-storage.ts';
import {
  LeaseLost,
  type Leases,
  type OwnedSession,
} from '#server/domains/channels/web/auth/sessions.ts';
import type { EngineEvent, EngineSocket } from '#server/domains/channels/web/engine/engine.ts';
import { Receiving } from '#server/domains/channels/web/receiving/receiving.ts';
import { isRestriction } from '#server/domains/channels/web/sending/refusals.ts';
import { openSentStorage } from '#server/domains/channels/web/sending/sent-storage.ts';
import type { WebDeps } from '#server/domains/channels/web/web-deps.ts';
import { connectLink, failLink } from '#server/domains/tokens/tokens.ts';
import { stay } from '#server/infra/postgres/distribution/scope.ts';
import { type CloseAction, type LoginPace, actionFor } from './close-codes.ts';
import { Connection } from './connection.ts';
import { type SessionFacts, becomeLinked, eraseSession } from './numbers.ts';

export type PhoneDeps = WebDeps & {
  leases: Leases;
  sinks: () => Sinks;
  loginPace: LoginPace;
};

type PartAction = Extract<CloseAction, { kind: 'part' }>;

/** Without a word of the network on how long: it is looked at again after a day. */
const RESTRICTED_MS = 24 * 3_600_000;

/** A number that this worker holds: its connection, and what is to be done when something happens on it. */
export class Phone {
  readonly session: OwnedSession;
  readonly #deps: PhoneDeps;
  readonly #connection: Connection;
  readonly #receiving: Receiving;
  /** What happens is done one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #isLinked: boolean;
  #isOver = false;
  firstLinkedAt: Date;
  /** When its lease was last known to be new, as `performance.now()` tells it. */
  renewedAt = performance.now();

  constructor(deps: PhoneDeps, session: OwnedSession, facts: SessionFacts) {
    this.session = session;
    this.#deps = deps;
    this.#isLinked = session.state === 'linked';
    this.firstLinkedAt = facts.firstLinkedAt;
    const storage = stay({
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
      onEvent: stay((event) => this.#enqueue(() => this.#handle(event))),
      onLost: () => this.#lose(),
      onParted: (action) => this.#enqueue(() => this.#part(action)),
      report: deps.report,
    });
  }

  /** The socket while messages of the token can be sent. */
  get openSocket(): EngineSocket | undefined {
    return this.#isLinked && !this.#isOver ? this.#connection.openSocket : undefined;
  }

  /** It has parted, or another worker holds it: it is to be dropped. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the connection; what was happening is finished. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#connection.close();
    await this.#receiving.close();
    await this.#queue;
  }

  /** The token has no such number any more: the session ends, on the phone too. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#connection.socket?.logout().catch(this.#deps.report);
    await this.close();
    await this.#deps.leases
      .whileOwned(this.session, (tx) => eraseSession(tx, this.session))
      .catch(this.#reportUnlessLost);
  }

  /** Whether the session is still ours. It is looked up where its lease may have ended, as of a worker that was frozen. */
  async holdsLease(): Promise<boolean> {
    const { leases, timings } = this.#deps;
    const now = performance.now();
    if (now - this.renewedAt < timings.renewedMsMax) return true;
    const isOurs = (await leases.renew([this.session])).size > 0;
    if (isOurs) this.renewedAt = now;
    else this.#lose();
    return isOurs;
  }

  /** The network has refused a message with this code. */
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

  /** Another worker has the session: the connection ends, and nothing is written. */
  #lose() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.close().catch(this.#deps.report);
  }

  async #handle(event: EngineEvent): Promise<void> {
    switch (event.kind) {
      case 'open':
        return this.#opened(event.phone);
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

  /** What the network says by closing is counted; what only a newer release mends is told. */
  async #closed(event: Extract<EngineEvent, { kind: 'closed' }>): Promise<void> {
    const { code } = event;
    const { allAccountsSql, leases } = this.#deps;
    const answer = { ...this.#ref, code: `close_${code}` };
    await countAnswers(allAccountsSql, [answer], new Date());
    const action = actionFor(event);
    if (action.kind !== 'back_off' || !action.says || !this.#isLinked) return;
    const { says } = action;
    await leases.whileOwned(this.session, (tx) => partNumber(tx, this.#deps, this.#ref, says));
  }

  /** The session becomes its token's; false when the number is another token's, or the link is over. */
  async #link(phone: string): Promise<boolean> {
    const { connecting, leases } = this.#deps;
    const { session } = this;
    try {
      await connectLink(connecting, { accountId: session.accountId, linkId: session.sessionId });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Not awaited: ending waits for what is being done, which is this.
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

  /** Stores what the network restricts; its owner is told when that is new. */
  async #restrict(kind: Restriction, isActive: boolean, untilMs?: number): Promise<void> {
    const until = new Date(untilMs ?? this.#deps.now().getTime() + RESTRICTED_MS);
    await this.#deps.leases.whileOwned(this.session, (tx) =>
      isActive
        ? restrictNumber(tx, this.#deps, this.#ref, { kind, until })
        : liftRestriction(tx, this.#ref, kind),
    );
  }

  /** The network has ended the session, or it cannot be used any more: its owner is told. */
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
      await partNumber(tx, this.#deps, this.#ref, reason);
    });
  }
}
