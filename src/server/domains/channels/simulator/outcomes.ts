import { backoff } from '#server/infra/backoff.ts';
import type { Failure, MessageType } from '#contract/messages.ts';

/** Planned outcome of one message. Times count from its acceptance. */
export type Plan =
  | { outcome: 'accepted'; deliveredMs: number; readMs: number | null; reply: PlannedReply | null }
  | { outcome: 'failed'; failure: Failure }
  | { outcome: 'later'; afterMs: number; failure: Failure }
  | { outcome: 'silent' };

export const answerKinds = [
  'text',
  'stop',
  'picture',
  'quote',
  'reaction',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
] as const;
export type AnswerKind = (typeof answerKinds)[number];

export type PlannedReply = { what: AnswerKind; afterMs: number };

export type Pace = {
  /** 1 is realistic, 2 twice as fast, 0 immediate. */
  speed: number;
  seed: string;
};

/** Realistic: on the phone after 0.3 to 2 s, read 1 to 6 s later, answered 1 to 4 s after that. */
const DELIVERED_MS = [300, 2_000] as const;
const READ_MS = [1_000, 6_000] as const;
const REPLY_MS = [1_000, 4_000] as const;

/** Tries that …004 fails before it accepts the message. */
const FAILS_FOR_A_WHILE = 3;
/** The try at which …005 fails for good. */
const GIVES_UP_AT = 5;
const RETRY_MS = { first: 1_000, max: 16_000 };

const READ = 'Pesan sampai lalu dibaca.';
const fixedOutcomes: Readonly<Record<string, string>> = {
  '62800000001': READ,
  '62800000002': 'Pesan sampai, tetapi tidak pernah dibaca.',
  '62800000003': 'Nomor ini tidak terdaftar di jaringan: pesan selalu gagal.',
  '62800000004': 'Pesan gagal beberapa kali, lalu sampai dan dibaca.',
  '62800000005': 'Jaringan membatasi kecepatan: pesan dicoba beberapa kali, lalu gagal.',
  '62800000006': 'Jaringan tidak pernah menjawab.',
  '62800000007': `${READ} Pemiliknya membalas STOP.`,
  '62800000008': `${READ} Pemiliknya membalas dengan gambar.`,
  '62800000009': `${READ} Pemiliknya membalas dengan mengutip pesan itu.`,
  '62800000010': `${READ} Pemiliknya memberi reaksi.`,
  '62800000011': `${READ} Pemiliknya membalas dengan video.`,
  '62800000012': `${READ} Pemiliknya membalas dengan pesan suara.`,
  '62800000013': `${READ} Pemiliknya membalas dengan dokumen.`,
  '62800000014': `${READ} Pemiliknya membalas dengan stiker.`,
  '62800000015': `${READ} Pemiliknya membalas dengan lokasi.`,
  '62800000016': `${READ} Pemiliknya membalas dengan kontak.`,
};

export const fixedOutcomeOf = (phone: string): string | null => fixedOutcomes[phone] ?? null;

/**
 * Plans the outcome of a message: fixed for the numbers 62800000001 … 016, delivered and read for others. Reactions get
 * no answer.
 *
 * @param attempt number of the try, from 1
 */
export function planFor(
  {
    messageId,
    to,
    attempt,
    type,
  }: { messageId: string; to: string; attempt: number; type?: MessageType },
  pace: Pace,
): Plan {
  const retryMs = paced(backoff(attempt, RETRY_MS), pace);
  switch (to) {
    case '62800000002':
      return { ...acceptedPlan(messageId, pace), readMs: null };
    case '62800000003':
      return { outcome: 'failed', failure: 'not_on_whatsapp' };
    case '62800000004':
      if (attempt > FAILS_FOR_A_WHILE) return acceptedPlan(messageId, pace);
      return { outcome: 'later', afterMs: retryMs, failure: 'no_answer' };
    case '62800000005':
      if (attempt >= GIVES_UP_AT) return { outcome: 'failed', failure: 'rate_limited' };
      return { outcome: 'later', afterMs: retryMs, failure: 'rate_limited' };
    case '62800000006':
      return { outcome: 'silent' };
    default: {
      const what = type === 'reaction' ? undefined : answers[to];
      return what ? answered(messageId, pace, what) : acceptedPlan(messageId, pace);
    }
  }
}

const answers: Readonly<Record<string, AnswerKind>> = {
  '62800000007': 'stop',
  '62800000008': 'picture',
  '62800000009': 'quote',
  '62800000010': 'reaction',
  '62800000011': 'video',
  '62800000012': 'audio',
  '62800000013': 'document',
  '62800000014': 'sticker',
  '62800000015': 'location',
  '62800000016': 'contact',
};

type AcceptedPlan = Extract<Plan, { outcome: 'accepted' }> & { readMs: number };

function acceptedPlan(messageId: string, pace: Pace): AcceptedPlan {
  const deliveredMs = between(DELIVERED_MS, dice(pace.seed, messageId, 'delivered'));
  const readMs = deliveredMs + between(READ_MS, dice(pace.seed, messageId, 'read'));
  return {
    outcome: 'accepted',
    deliveredMs: paced(deliveredMs, pace),
    readMs: paced(readMs, pace),
    reply: null,
  };
}

function answered(messageId: string, pace: Pace, what: PlannedReply['what']): Plan {
  const plan = acceptedPlan(messageId, pace);
  const thinkingMs = paced(between(REPLY_MS, dice(pace.seed, messageId, 'reply')), pace);
  return { ...plan, reply: { what, afterMs: plan.readMs + thinkingMs } };
}

/** A realistic time at this pace, in whole milliseconds. */
export const paced = (ms: number, { speed }: Pick<Pace, 'speed'>): number =>
  speed === 0 ? 0 : Math.round(ms / speed);

const between = ([least, most]: readonly [number, number], chance: number) =>
  least + (most - least) * chance;

/** Hashes words to 0 ≤ n < 1: FNV-1a with a final mix, so that similar ids fall far apart. */
function dice(...words: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const letter of words.join(' ')) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
