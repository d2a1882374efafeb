import { createHmac } from 'node:crypto';

/** Delivery of webhooks. May change at any time, for later events. */
export type WebhookMode = {
  /** Copies of each post; 1 is once. */
  copies: number;
  /** Changes within `gatherMs` are posted in another order. */
  isShuffled: boolean;
  /** Maximum changes per post. */
  batch: number;
  /** Collection time of shuffled or batched changes. */
  gatherMs: number;
  delayMs: number;
  isForged: boolean;
  /** Retries of a post that did not get 200. */
  retries: number;
  /** Delay of the first retry; doubled for each later one. */
  retryMs: number;
  timeoutMs: number;
};

export type Change = {
  field: string;
  value: Readonly<Record<string, unknown>>;
  /** Its account; the first one by default. */
  wabaId?: string;
};

export type Delivery = {
  url: string;
  body: string;
  signature: string;
  isForged: boolean;
  attempt: number;
  /** Status of the answer; 0 without one. */
  status: number;
  fields: readonly string[];
};

export type Outbox = {
  mode: WebhookMode;
  deliveries: Delivery[];
  /** Address of webhooks; nothing is posted without it. */
  setUrl(url: string | undefined): void;
  /** @returns resolves after the first post, with any answer. */
  add(lane: string, change: Change): Promise<void>;
  /** Schedules work that `settled` waits for. */
  later(ms: number, run: () => void): void;
  /** Resolves when nothing is left to post or repeat. */
  settled(): Promise<void>;
  close(): void;
};

/** JSON as Meta writes it: only ASCII, `/` as `\/`. */
export const metaJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('/', String.raw`\/`)
    .replaceAll(
      /[\u007f-\uffff]/g,
      (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'),
    );

export const signatureOf = (appSecret: string, body: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;

type OutboxOptions = {
  appSecret: string;
  wabaId: string;
  now: () => Date;
  random: () => number;
  mode: Partial<WebhookMode>;
};

type Waiting = { lane: string; change: Change; posted: () => void };

/** Counts timers and running work, so that their end can be awaited. */
function openWork() {
  const timers = new Map<NodeJS.Timeout, () => void>();
  let waiters: (() => void)[] = [];
  let pending = 0;
  let isClosed = false;
  const end = () => {
    pending--;
    if (pending > 0) return;
    for (const resolve of waiters) resolve();
    waiters = [];
  };
  return {
    later: (ms: number, run: () => void) => {
      if (isClosed) return;
      pending++;
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
        end();
      }, ms);
      timers.set(timer, end);
    },
    track: (work: Promise<void>) => {
      pending++;
      void work.finally(end);
    },
    settled: () =>
      pending === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => void waiters.push(resolve)),
    close: () => {
      isClosed = true;
      for (const [timer, over] of timers) {
        clearTimeout(timer);
        over();
      }
      timers.clear();
    },
  };
}

const calm: WebhookMode = {
  copies: 1,
  isShuffled: false,
  batch: 1,
  gatherMs: 25,
  delayMs: 0,
  isForged: false,
  retries: 4,
  retryMs: 20,
  timeoutMs: 10_000,
};

/** Signed webhooks with Meta's retries. A lane's arrive in order unless shuffled or retried. */
export function openOutbox(options: OutboxOptions): Outbox {
  const mode: WebhookMode = { ...calm, ...options.mode };
  const deliveries: Delivery[] = [];
  const lanes = new Map<string, Promise<void>>();
  const work = openWork();
  const closing = new AbortController();
  let url: string | undefined;
  let gathered: Waiting[] = [];

  const attempt = async (delivery: Delivery): Promise<void> => {
    const { retries, retryMs, timeoutMs } = mode;
    const status = await post(delivery, timeoutMs, closing.signal);
    deliveries.push({ ...delivery, status });
    if (status === 200 || delivery.attempt > retries || closing.signal.aborted) return;
    work.later(retryMs * 2 ** (delivery.attempt - 1), () =>
      work.track(attempt({ ...delivery, attempt: delivery.attempt + 1 })),
    );
  };
  const postAll = async (changes: readonly Change[]): Promise<void> => {
    if (url === undefined || closing.signal.aborted) return;
    const { copies, isForged } = mode;
    const delivery = deliveryOf(changes, { ...options, url, isForged });
    for (let copy = 0; copy < copies; copy++) await attempt(delivery);
  };
  const start = (lane: string, waiting: readonly Waiting[]): void => {
    const before = lanes.get(lane) ?? Promise.resolve();
    const run = before
      .then(() => postAll(waiting.map(({ change }) => change)))
      .finally(() => waiting.forEach(({ posted }) => posted()));
    lanes.set(lane, run);
    work.track(run);
  };
  const flush = (): void => {
    const all = gathered;
    gathered = [];
    if (mode.isShuffled) shuffle(all, options.random);
    const size = Math.max(1, mode.batch);
    for (let at = 0; at < all.length; at += size) start('gathered', all.slice(at, at + size));
  };
  const enter = (waiting: Waiting): void => {
    if (!mode.isShuffled && mode.batch <= 1) start(waiting.lane, [waiting]);
    else if (gathered.push(waiting) === 1) work.later(mode.gatherMs, flush);
  };
  return {
    mode,
    deliveries,
    setUrl: (next) => {
      url = next;
    },
    add: (lane, change) =>
      new Promise((posted) => {
        const waiting = { lane, change, posted };
        if (mode.delayMs > 0) work.later(mode.delayMs, () => enter(waiting));
        else enter(waiting);
      }),
    later: work.later,
    settled: work.settled,
    close: () => {
      closing.abort();
      work.close();
    },
  };
}

type DeliveryOptions = OutboxOptions & { url: string; isForged: boolean };

function deliveryOf(changes: readonly Change[], options: DeliveryOptions): Delivery {
  const { appSecret, wabaId, now, url, isForged } = options;
  const isMessages = changes.every(({ field }) => field === 'messages');
  const time = isMessages ? {} : { time: Math.floor(now().getTime() / 1000) };
  const accounts = Map.groupBy(changes, (change) => change.wabaId ?? wabaId);
  const entry = [...accounts].map(([id, own]) => ({
    id,
    ...time,
    changes: own.map(({ field, value }) => ({ value, field })),
  }));
  const body = metaJson({ object: 'whatsapp_business_account', entry });
  const signature = signatureOf(isForged ? `not ${appSecret}` : appSecret, body);
  const fields = changes.map(({ field }) => field);
  return { url, body, signature, isForged, attempt: 1, status: 0, fields };
}

/** Fisher–Yates, in place. */
function shuffle<T>(all: T[], random: () => number): void {
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
}

async function post(delivery: Delivery, timeoutMs: number, closed: AbortSignal): Promise<number> {
  // A timer of its own, so that none remains: AbortSignal.timeout() would continue after the answer.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const answer = await fetch(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        'x-hub-signature-256': delivery.signature,
      },
      body: delivery.body,
      redirect: 'manual',
      signal: AbortSignal.any([late.signal, closed]),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  } finally {
    clearTimeout(timer);
  }
}
