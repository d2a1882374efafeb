import type { SimulatedOrder } from './book.ts';

/** How notices get lost on their way. */
export type NoticeMode = {
  /** How often each is sent; 1 is once. */
  copies: number;
  shuffle: boolean;
  delayMs: number;
  /** From 0, none, to 1, all. */
  lose: number;
  /** The status word is another than the one that was signed. */
  tamperStatus: boolean;
};

export type Notice = {
  order: SimulatedOrder;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

type Waiting = { notice: Notice; dueAt: number; tries: number };

export type NoticeQueue = {
  add(notice: Notice): void;
  /** Sends what is due, and what comes due by that. @returns how many were sent. */
  flush(): Promise<number>;
  close(): void;
};

export type NoticeOptions = {
  now: () => Date;
  random: () => number;
  mode: NoticeMode;
  /** False: only `flush` sends. */
  isAutomatic: boolean;
  /** @returns the answer's status, 0 without one. */
  deliver: (notice: Notice) => Promise<number>;
};

const MINUTE_MS = 60_000;
const retryMinutes = {
  midtrans: [2, 10, 30, 90, 210],
  xendit: [15, 45, 120, 180, 360, 720],
} as const;

/** How often an answer is tried again, as Midtrans says it. */
function triesAfter(provider: SimulatedOrder['provider'], status: number): number {
  if (status >= 200 && status < 300) return 0;
  if (provider === 'xendit') return retryMinutes.xendit.length;
  if (status === 500) return 1;
  if (status === 503) return 4;
  if (status === 400 || status === 404) return 2;
  return status >= 301 && status <= 303 ? 0 : retryMinutes.midtrans.length;
}

/** Notices on their way, sent again as the providers do. */
export function openNoticeQueue(options: NoticeOptions): NoticeQueue {
  const { now, random, mode } = options;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const schedule = () => {
    clearTimeout(timer);
    const next = Math.min(...waiting.map(({ dueAt }) => dueAt));
    if (!options.isAutomatic || !Number.isFinite(next)) return;
    timer = setTimeout(() => void flush(), Math.max(0, next - now().getTime()));
    timer.unref();
  };
  const send = async (one: Waiting): Promise<void> => {
    const { notice } = one;
    const { provider } = notice.order;
    const status = await options.deliver(notice);
    if (one.tries >= triesAfter(provider, status)) return;
    const minutes = retryMinutes[provider][one.tries] ?? 0;
    waiting.push({
      notice,
      tries: one.tries + 1,
      dueAt: now().getTime() + minutes * MINUTE_MS * (0.9 + random() * 0.2),
    });
  };
  const flush = async (): Promise<number> => {
    const at = now().getTime();
    const due = waiting.filter(({ dueAt }) => dueAt <= at);
    waiting = waiting.filter(({ dueAt }) => dueAt > at);
    if (mode.shuffle) due.sort(() => random() - 0.5);
    for (const one of due) await send(one);
    schedule();
    return due.length;
  };
  return {
    add: (notice) => {
      if (random() < mode.lose) return;
      const dueAt = now().getTime() + mode.delayMs;
      for (let copy = 0; copy < mode.copies; copy++) waiting.push({ notice, dueAt, tries: 0 });
      schedule();
    },
    flush,
    close: () => {
      clearTimeout(timer);
      waiting = [];
    },
  };
}

/** Posts a notice as a provider does. @returns the answer's status, 0 without one. */
export async function postNotice({ url, headers, body }: Notice): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
}
