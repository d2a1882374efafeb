import * as z from 'zod/mini';
import { act } from './base/act.ts';
import { IdInput } from './base/ids.ts';
import { Direction, TEXT_MAX, messageTypeLabel } from './messages.ts';
import { ChatContent } from './messages/content.ts';
import { Phone, TypedPhone } from './base/phone.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { type Output, schema } from './base/schema.ts';

/** `in` is a message that the phone received, `out` one that its owner sent. */
export const SimulatedMessage = schema(() =>
  z.object({
    id: z.string(),
    direction: Direction(),
    peer: Phone(),
    content: ChatContent(),
    at: z.coerce.date(),
    /** Set on the second send of a message with an unknown outcome. */
    possible_duplicate: z.boolean(),
  }),
);
export type SimulatedMessage = Output<typeof SimulatedMessage>;

export const SimulatedPhone = schema(() =>
  z.object({
    phone: Phone(),
    offline: z.boolean(),
    slow: z.boolean(),
    blocked: z.boolean(),
    fixed_outcome: z.nullable(z.string()),
    linked_to: z.array(z.string()),
    /** The newest hundred, oldest first. They expire after a day. */
    lines: z.array(SimulatedMessage()),
  }),
);
export type SimulatedPhone = Output<typeof SimulatedPhone>;

export const simulatedPhone = act({
  name: 'simulator_phone',
  by: 'public',
  input: () => ({ phone: TypedPhone() }),
  output: SimulatedPhone,
});

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

/** The longest text of our QR codes, in UTF-16 units. */
export const SCAN_TEXT_MAX = 512;

/** Simulates a scan of a QR (`text` is its content), or typing of the code. */
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
 * Moves the clock of money forward, for tests: due renewals, expiry and notices happen at once. Only with
 * `CLOCK=movable`, which production refuses; otherwise the act is unknown.
 */
export const simulatedClock = act({
  name: 'simulator_clock',
  by: 'public',
  changes: true,
  input: () => ({
    advance_seconds: z.optional(WholeNumber({ minimum: 0, maximum: CLOCK_SECONDS_MAX })),
    /** The new time; a past one changes nothing. */
    to: z.optional(z.iso.datetime({ offset: true })),
  }),
  output: () => z.object({ now: z.coerce.date() }),
});

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
  output: () => z.object({ reference: z.string(), amount: Rupiah(), matched: z.boolean() }),
});

export const simulatedPayment = act({
  name: 'simulator_pay',
  by: 'public',
  changes: true,
  input: () => ({
    topup_id: IdInput('topup'),
    /** `refund`: the gateway refunds all of a payment by itself; `refund_part`: half of it. */
    outcome: z.enum(['pay', 'expire', 'deny', 'refund', 'refund_part']),
  }),
  /** False if the gateway expects no such payment; the change is reported by a notice soon after. */
  output: () => z.object({ done: z.boolean() }),
});
