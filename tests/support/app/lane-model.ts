export const PRICE = 150;

/** `stop` also pauses the number; `silent` is no answer; an `outage` also pauses the number. */
export const answers = ['sent', 'failed', 'later', 'held', 'stop', 'silent', 'outage'] as const;
export type Answer = (typeof answers)[number];
export const receipts = ['sent', 'delivered', 'read', 'failed'] as const;
const ranks = { queued: 2, sent: 4, failed: 5, cancelled: 5, expired: 5, delivered: 6, read: 7 };
type Status = keyof typeof ranks;
type Outcome = Exclude<Status, 'queued'>;
const isGood = (status: Status) => status === 'sent' || status === 'delivered' || status === 'read';

type Message = {
  id: string;
  phone: number;
  priority: 0 | 1;
  hasTtl: boolean;
  isExpired: boolean;
  status: Status;
  charge: 'held' | 'captured' | 'released';
  failure: string | null;
  state: 'ready' | 'sending' | 'unknown' | 'ended';
  isDue: boolean;
  receipt: 'none' | 'awaited' | 'in vain';
  attempts: number;
  unknowns: number;
  mayArriveTwice: boolean;
};

/** A message given to the channel, in its state at that moment. */
type Try = Pick<Message, 'receipt' | 'attempts' | 'unknowns'> & {
  message: Message;
  isProbe: boolean;
  answer: Answer | 'lost' | undefined;
};
export const hadNoAnswer = ({ answer }: Try) =>
  answer === 'silent' || answer === 'outage' || answer === 'lost';

/** Reference model of a lane: states of messages and money, without a database, workers or time. */
export class Model {
  readonly preallocates: boolean;
  readonly #saldo: number;
  readonly messages: Message[] = [];
  readonly tries: Try[] = [];
  pause: 'none' | 'still' | 'probing' = 'none';

  constructor({ preallocates, saldo }: { preallocates: boolean; saldo: number }) {
    this.preallocates = preallocates;
    this.#saldo = saldo;
  }

  inFlight = () => this.tries.filter(({ answer }) => answer === undefined);
  isResting = () => this.pause === 'still' && this.inFlight().length === 0;
  open = () => this.messages.filter(({ state }) => state !== 'ended');

  place(message: Pick<Message, 'id' | 'phone' | 'priority' | 'hasTtl'>): void {
    this.messages.push({
      ...message,
      isExpired: false,
      status: 'queued',
      charge: 'held',
      failure: null,
      state: 'ready',
      isDue: true,
      receipt: 'none',
      attempts: 0,
      unknowns: 0,
      mayArriveTwice: false,
    });
  }

  /** Hands out messages that may leave: the first per phone; an urgent message overtakes. */
  claim(): void {
    for (;;) {
      if (this.pause === 'still' || (this.pause === 'probing' && this.inFlight().length > 0))
        return;
      const open = this.open();
      const due = open.filter(
        ({ id, state, isDue, phone, priority }) =>
          state !== 'sending' &&
          isDue &&
          !open.some((one) => one.phone === phone && one.id < id && one.priority <= priority),
      );
      due.sort((one, other) => one.priority - other.priority);
      if (due.length === 0) return;
      for (const message of this.pause === 'probing' ? due.slice(0, 1) : due) this.#begin(message);
    }
  }

  #begin(message: Message): void {
    message.attempts += 1;
    message.state = 'sending';
    const { receipt, attempts, unknowns } = message;
    if (message.isExpired && receipt === 'none') this.settle(message, 'expired', null);
    else if (message.isExpired && receipt === 'awaited') this.#awaitReceipt(message);
    else if (message.isExpired || unknowns > 1) this.settle(message, 'failed', 'no_answer');
    else {
      if (unknowns > 0 && !this.preallocates) message.mayArriveTwice = true;
      const isProbe = this.pause === 'probing';
      this.tries.push({ message, receipt, attempts, unknowns, isProbe, answer: undefined });
    }
  }

  #awaitReceipt(message: Message, unknowns = message.unknowns + 1): void {
    if (message.state !== 'sending') return;
    Object.assign(message, { state: 'unknown', isDue: false, receipt: 'awaited', unknowns });
  }

  answer(one: Try, answer: Answer): void {
    const { message, isProbe } = one;
    one.answer = answer;
    if (answer === 'stop' || answer === 'outage') this.pause = 'still';
    if (answer === 'sent') this.settle(message, 'sent', null);
    else if (answer === 'failed' || (answer === 'later' && one.attempts >= 8)) {
      if (one.receipt === 'awaited') this.#awaitReceipt(message);
      else this.settle(message, 'failed', answer === 'failed' ? 'rejected' : 'rate_limited');
    } else if (hadNoAnswer(one)) {
      // The first silences of a paused number do not count against the message.
      const isProbed = isProbe || (one.unknowns > 0 && answer === 'outage');
      const isSpared = isProbed && one.attempts <= 3;
      this.#awaitReceipt(message, isSpared ? Math.max(1, message.unknowns) : undefined);
    } else if (message.state === 'sending') {
      Object.assign(message, { state: 'ready', isDue: answer === 'stop' && one.attempts <= 2 });
      if (answer !== 'later') message.attempts = Math.min(message.attempts, 5);
    }
    if (this.pause === 'still') {
      if (this.inFlight().length === 0) this.#unsure((unsure) => (unsure.isDue = false));
    } else if (isProbe) {
      this.pause = 'none';
      this.#unsure((unsure) => (unsure.isDue = unsure.receipt !== 'awaited'));
    }
  }

  #unsure(change: (message: Message) => void): void {
    for (const message of this.messages) if (message.state === 'unknown') change(message);
  }

  /** Applies an outcome: a status only rises, unless it disproves an assumed final state. */
  settle(message: Message, outcome: Outcome, failure: string | null): void {
    const { status, charge } = message;
    const isAssumed = status !== 'failed' || message.failure === 'no_answer';
    const isProof = outcome === 'sent' && charge === 'released' && isAssumed;
    const next = isProof || ranks[outcome] > ranks[status] ? outcome : status;
    if (charge !== 'captured' && isGood(next)) message.charge = 'captured';
    else if (charge === 'held') message.charge = 'released';
    if (next !== status) message.failure = isGood(next) ? null : failure;
    message.status = next;
    message.state = 'ended';
  }

  /** Another worker takes the lane: messages in flight may have left. */
  lose(receipt: 'awaited' | 'in vain'): void {
    for (const one of this.inFlight()) one.answer = 'lost';
    for (const message of this.open().filter(({ state }) => state === 'sending')) {
      const isRetried = this.preallocates && !message.isExpired;
      if (isRetried) Object.assign(message, { state: 'ready', isDue: true });
      else this.#awaitReceipt(message);
      message.receipt = receipt;
      if (receipt === 'in vain') message.isDue = true;
    }
  }

  /** A worker whose network never answers tries everything due until it gives it up. */
  exhaustTries(): void {
    for (this.claim(); this.inFlight().length > 0; this.claim()) {
      for (const one of this.inFlight()) {
        this.answer(one, 'silent');
        Object.assign(one.message, { isDue: true, receipt: 'in vain' });
      }
    }
  }

  passTime(): void {
    for (const message of this.open()) {
      message.isDue = true;
      if (message.receipt === 'awaited') message.receipt = 'in vain';
    }
  }

  expire(): void {
    for (const message of this.open().filter(({ isExpired }) => isExpired)) {
      const { state, receipt } = message;
      if (receipt === 'none' && state === 'ready') this.settle(message, 'expired', null);
      if (receipt === 'in vain' && state !== 'sending') this.settle(message, 'failed', 'no_answer');
    }
  }

  cancel(message: Message): string | undefined {
    const { state, receipt, status } = message;
    if (state === 'ready' && receipt === 'none') this.settle(message, 'cancelled', null);
    else if (status !== 'cancelled')
      return state === 'ended' ? 'message_final' : 'message_in_flight';
    return undefined;
  }

  view() {
    const priced = (charge: Message['charge']) =>
      PRICE * this.messages.filter((message) => message.charge === charge).length;
    const [captured, held] = [priced('captured'), priced('held')];
    return {
      wallet: { available: this.#saldo - captured - held, held },
      isResting: this.isResting(),
      messages: this.messages.map(
        ({ status, charge, failure, mayArriveTwice, state, isDue, receipt }) =>
          viewOf({
            status,
            charge,
            failure,
            twice: mayArriveTwice,
            state: state === 'ended' ? null : state,
            due: isDue,
            awaited: receipt === 'none' ? null : receipt === 'awaited',
          }),
      ),
      handed: this.handedOf(this.tries.map(({ message }) => message.id)),
    };
  }

  handedOf(ids: readonly string[]): Record<string, string[]> {
    const handed: Record<string, string[]> = {};
    for (const id of ids) {
      const nth = this.messages.findIndex((message) => message.id === id);
      const message = this.messages[nth];
      (handed[`phone ${message?.phone} priority ${message?.priority}`] ??= []).push(`#${nth}`);
    }
    return handed;
  }
}

/** A message in the database; `awaited`: null before any try without an answer. */
export type Row = {
  status: string;
  charge: string;
  failure: string | null;
  twice: boolean;
  state: string | null;
  due: boolean | null;
  awaited: boolean | null;
};
export function viewOf({ status, charge, failure, twice, state, due, awaited }: Row): string {
  const parts = [status, charge, failure, twice && 'twice', state];
  if (state && state !== 'sending') parts.push(due ? 'due' : 'waits');
  if (state && awaited !== null) parts.push(awaited ? 'receipt awaited' : 'receipt in vain');
  return parts.filter(Boolean).join(' ');
}
