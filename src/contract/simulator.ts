import * as z from 'zod/mini';
import { act } from './base/act.ts';
import { IdInput } from './base/ids.ts';
import { Direction, TEXT_MAX, messageTypeLabel } from './messages.ts';
import { ChatContent } from './messages/content.ts';
import { Phone, TypedPhone } from './base/phone.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { type Output, schema } from './base/schema.ts';

/** One line in a simulated phone. `in` is what the phone received, `out` what its owner answered. */
export const SimulatedLine = schema(() =>
  z.object({
    id: z.string(),
    direction: Direction(),
    /** The number at the other end. */
    peer: Phone(),
    content: ChatContent(),
    at: z.coerce.date(),
    /** The mark of an unsure second send. */
    possible_duplicate: z.boolean(),
  }),
);
export type SimulatedLine = Output<typeof SimulatedLine>;

export const SimulatedPhone = schema(() =>
  z.object({
    phone: Phone(),
    offline: z.boolean(),
    slow: z.boolean(),
    blocked: z.boolean(),
    /** What a number with a fixed outcome does, in a sentence; null for ordinary numbers. */
    fixed_outcome: z.nullable(z.string()),
    /** Token names this phone is linked to. */
    linked_to: z.array(z.string()),
    /** The newest hundred, oldest first. A phone forgets after a day. */
    lines: z.array(SimulatedLine()),
  }),
);
export type SimulatedPhone = Output<typeof SimulatedPhone>;

export const simulatedPhone = act({
  name: 'simulator_phone',
  by: 'public',
  input: () => ({ phone: TypedPhone() }),
  output: SimulatedPhone,
});

/** The phone's owner writes to a number; `not_found` when no token is linked to that number. */
export const simulatedReply = act({
  name: 'simulator_reply',
  by: 'public',
  changes: true,
  input: () => ({
    phone: TypedPhone(),
    to: TypedPhone(),
    text: z.string().check(z.minLength(1, 'Tulis pesannya.'), z.maxLength(TEXT_MAX)),
  }),
  output: SimulatedPhone,
});

/** What a phone can send beside texts: one of each kind. */
export const phoneSamples = {
  picture: messageTypeLabel.image,
  video: messageTypeLabel.video,
  audio: messageTypeLabel.audio,
  document: messageTypeLabel.document,
  sticker: messageTypeLabel.sticker,
  location: messageTypeLabel.location,
  contact: messageTypeLabel.contact,
} as const;
export type PhoneSample = keyof typeof phoneSamples;

/** The phone's owner sends a sample of a kind; `not_found` when no token is linked to that number. */
export const simulatedSample = act({
  name: 'simulator_sample',
  by: 'public',
  changes: true,
  input: () => ({
    phone: TypedPhone(),
    to: TypedPhone(),
    what: z.enum(Object.keys(phoneSamples) as [PhoneSample, ...PhoneSample[]]),
  }),
  output: SimulatedPhone,
});

export const simulatedSwitch = act({
  name: 'simulator_switch',
  by: 'public',
  changes: true,
  input: () => ({
    phone: TypedPhone(),
    offline: z.enum(['0', '1']),
    slow: z.enum(['0', '1']),
    blocked: z.enum(['0', '1']),
  }),
  output: SimulatedPhone,
});

/** The longest text that a QR of ours holds, in UTF-16 units. */
export const SCAN_TEXT_MAX = 512;

/** The phone's camera has read a QR (`text` is what the picture said), or its owner typed the code. */
export const simulatedScan = act({
  name: 'simulator_scan',
  by: 'public',
  changes: true,
  input: () => ({ phone: TypedPhone(), text: z.string().check(z.maxLength(SCAN_TEXT_MAX)) }),
  output: SimulatedPhone,
  refuses: ['qr_stale', 'link_gone', 'phone_taken'],
});

/** Ten years: more is a mistake. */
const CLOCK_SECONDS_MAX = 315_360_000;

/**
 * Moves the clock of money forward, for tests and trying things out: renewals, expiry and notices that
 * fall due happen at once. Only where `CLOCK=movable`, which production refuses; elsewhere unknown.
 */
export const simulatedClock = act({
  name: 'simulator_clock',
  by: 'public',
  changes: true,
  input: () => ({
    advance_seconds: z.optional(WholeNumber({ minimum: 0, maximum: CLOCK_SECONDS_MAX })),
    /** Where to; what is past already changes nothing. */
    to: z.optional(z.iso.datetime({ offset: true })),
  }),
  output: () => z.object({ now: z.coerce.date() }),
});

/** The simulated bank: money arrives on the installation's account. */
export const simulatedTransfer = act({
  name: 'simulator_transfer',
  by: 'public',
  changes: true,
  input: () => ({
    amount: WholeNumber({
      missing: 'Tulis nominalnya.',
      sentence: 'Tulis nominal dengan angka saja, dalam rupiah bulat.',
      minimum: 1,
      maximum: 1_000_000_000,
    }),
    sender: z.string().check(z.trim(), z.minLength(2, 'Tulis nama pengirim.'), z.maxLength(60)),
  }),
  /** `matched` says whether the transfer paid a waiting top-up. */
  output: () => z.object({ reference: z.string(), amount: Rupiah(), matched: z.boolean() }),
});

/** The simulated gateway: somebody pays a top-up, lets its time pass, or is refused by their bank. */
export const simulatedPayment = act({
  name: 'simulator_pay',
  by: 'public',
  changes: true,
  input: () => ({
    topup_id: IdInput('topup'),
    /** `refund`: the gateway gives all of a payment back by itself; `refund_part`: half of it. */
    outcome: z.enum(['pay', 'expire', 'deny', 'refund', 'refund_part']),
  }),
  /** False when the gateway waits for no such payment; what it changes is told by a notice, soon after. */
  output: () => z.object({ done: z.boolean() }),
});
