import type { Sinks } from '#server/domains/channels/channels.ts';
import { extendSpans } from '#server/domains/channels/health/health.ts';
import {
  type Leases,
  type OwnedSession,
  leaseKey,
} from '#server/domains/channels/web/auth/sessions.ts';
import type { WebDeps } from '#server/domains/channels/web/web-deps.ts';
import { type LoginPace, openLoginPace } from './close-codes.ts';
import { eraseSession, factsOf, noteSeen } from './numbers.ts';
import { Phone } from './phone.ts';

/** The numbers that this worker holds. */
export type Phones = {
  /** There may be a session to take. */
  wake(): void;
  /** The token's number, while messages can be sent by it. */
  openPhone(tokenId: string): Phone | undefined;
  /** Tokens whose numbers can send now. */
  openTokens(): string[];
  /** Ends the connections and gives the sessions back. */
  close(): Promise<void>;
};

/** Numbers of one worker at most: its usual 200, and its part of the numbers of a worker that went away. */
const PHONES_MAX = 300;

/** Takes sessions that nobody holds, connects them, and keeps holding them. */
export function startPhones(deps: WebDeps & { leases: Leases; sinks: () => Sinks }): Phones {
  const held = new PhoneSet(deps);
  return {
    wake: () => held.poll(),
    openPhone: (tokenId) => held.open().find(({ session }) => session.tokenId === tokenId),
    openTokens: () => held.open().map(({ session }) => session.tokenId),
    close: () => held.close(),
  };
}

class PhoneSet {
  readonly #deps: WebDeps & { leases: Leases; sinks: () => Sinks };
  readonly #phones = new Map<string, Phone>();
  readonly #timers: NodeJS.Timeout[];
  readonly #loginPace: LoginPace;
  /** Sessions taken at a time: as many as can log in until the next poll, so that workers share what is free. */
  readonly #claimsMax: number;
  #work: Promise<void> = Promise.resolve();
  #isPolling = false;
  #isClosed = false;

  constructor(deps: WebDeps & { leases: Leases; sinks: () => Sinks }) {
    this.#deps = deps;
    const { timings, report } = deps;
    this.#loginPace = openLoginPace(timings.loginGapMs);
    this.#claimsMax = Math.ceil(timings.pollMs / timings.loginGapMs);
    this.#timers = [
      setInterval(() => this.poll(), timings.pollMs),
      setInterval(() => void this.#renew(), timings.renewMs),
      setInterval(() => void this.#extendSpans().catch(report), timings.spanMs),
    ];
    this.poll();
  }

  open(): Phone[] {
    return [...this.#phones.values()].filter(({ openSocket }) => openSocket !== undefined);
  }

  poll(): void {
    if (this.#isPolling || this.#isClosed) return;
    this.#isPolling = true;
    this.#work = this.#claimAndEnd()
      .catch(this.#deps.report)
      .finally(() => {
        this.#isPolling = false;
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#work;
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
      if (known.isWanted) {
        this.#phones.set(
          leaseKey(session),
          new Phone({ ...this.#deps, loginPace }, session, known),
        );
      } else if (known.isOver) {
        await leases.whileOwned(session, (tx) => eraseSession(tx, session));
      } else {
        await leases.release(session);
      }
    }
  }

  /** Logs out the sessions of tokens that have no number any more, and closes those of suspended accounts. */
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
      if (known?.isWanted) continue;
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

  /** Renews all leases in one call; a number that is another worker's by now is given up without a write. */
  async #renew(): Promise<void> {
    const phones = [...this.#phones.values()];
    if (phones.length === 0) return;
    const { leases, log, timings } = this.#deps;
    const askedAt = performance.now();
    try {
      const owned = await leases.renew(phones.map(({ session }): OwnedSession => session));
      for (const phone of phones) {
        if (owned.has(leaseKey(phone.session))) phone.renewedAt = askedAt;
        else await this.#giveUp(phone);
      }
    } catch (error) {
      log.warn({ err: error }, 'leases of WhatsApp Web cannot be renewed');
      for (const phone of phones) {
        if (askedAt - phone.renewedAt > timings.renewedMsMax) await this.#giveUp(phone);
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
