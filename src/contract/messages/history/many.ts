import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { isInCalendar } from '#contract/base/days.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';
import { schema, type Output } from '#contract/base/schema.ts';
import { MessageRow, sendRefusals } from '#contract/messages.ts';

/** How many messages are chosen at once, and one call sends anew, cancels or exports. */
export const MANY_MAX = 500;

const manyIds = () => ({
  message_ids: z.array(IdInput('message')).check(z.minLength(1), z.maxLength(MANY_MAX)),
});

/** What the same content may be refused for when it is placed anew. */
export const resendRefusals = [
  ...sendRefusals,
  'resend_unfit',
  'media_not_found',
  'media_unfit',
  'template_not_found',
  'template_language_needed',
  'template_not_approved',
  'template_variables_unfit',
  'template_value_unfit',
  'template_parts_unfit',
] as const satisfies readonly RefusalCode[];

/** Why one message of many was left as it is: a refusal of the catalogue, with its sentence. */
const Refused = schema(() =>
  z.object({
    message_id: Id('message'),
    error: z.object({ type: z.string(), msg: z.string() }),
  }),
);
export type Refused = Output<typeof Refused>;

/** Places the content of a message anew, as a new message to the same number. */
export const resendMessage = act({
  name: 'message_resend',
  by: 'customer',
  changes: true,
  input: () => ({ message_id: IdInput('message') }),
  output: MessageRow,
  refuses: resendRefusals,
});

/** What sending messages anew would cost now, and which of them cannot be. Nothing is placed. */
export const checkResend = act({
  name: 'message_resend_check',
  by: 'customer',
  input: manyIds,
  output: () =>
    z.object({
      /** How many can be sent. */
      count: z.int(),
      /** What they cost together. */
      price: Rupiah(),
      /** How many of them the quota of the plan pays for. */
      by_quota: z.int(),
      refused: z.array(Refused()),
    }),
});

/** As `message_resend`, for many: each is sent or refused by itself. The same key sends none twice. */
export const resendMessages = act({
  name: 'message_resend_many',
  by: 'customer',
  changes: true,
  input: manyIds,
  output: () =>
    z.object({
      sent: z.array(z.object({ message_id: Id('message'), as: Id('message') })),
      refused: z.array(Refused()),
    }),
});

/** As `message_cancel`, for many: each is cancelled or refused by itself. */
export const cancelMessages = act({
  name: 'message_cancel_many',
  by: 'customer',
  changes: true,
  input: manyIds,
  output: () => z.object({ cancelled: z.array(Id('message')), refused: z.array(Refused()) }),
});

/** Gives a planned message another time; one that is over is now. */
export const rescheduleMessage = act({
  name: 'message_reschedule',
  by: 'customer',
  changes: true,
  input: () => ({
    message_id: IdInput('message'),
    send_at: z.iso
      .datetime({ offset: true, error: 'Pilih waktunya.' })
      .check(z.refine(isInCalendar, 'Pilih waktu sebelum tahun 3000.')),
  }),
  output: MessageRow,
  refuses: ['message_final', 'message_in_flight'],
});
