import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { MESSAGE_QUERY_MAX, rowFilters, MessageRow, sendRefusals } from '#contract/messages.ts';
import { isInCalendar } from '#contract/base/days.ts';
import { Rupiah } from '#contract/base/money.ts';
import type { RefusalCode } from '#contract/base/refusals.ts';

export const VIEWS_MAX = 30;
export const VIEW_NAME_MAX = 40;
/** The longest range of days that moves with the date. */
export const VIEW_DAYS_MAX = 366;

export const ViewFilters = schema(() =>
  z.object({
    ...messageFilters(),
    token_id: z.optional(Id('token')),
    /** Instead of `from` and `to`: a number of days until today. */
    days: z.optional(z.int()),
  }),
);
export type ViewFilters = Output<typeof ViewFilters>;

export const MessageView = schema(() =>
  z.object({ id: Id('view'), name: z.string(), filters: ViewFilters() }),
);
export type MessageView = Output<typeof MessageView>;

/** The caller's own views, the oldest first, not paged. */
export const listViews = act({
  name: 'message_view_list',
  by: 'customer',
  output: () => z.object({ views: z.array(MessageView()) }),
});

/** Saves a new view; with `view_id`, changes the name and filters of an existing one. */
export const saveView = act({
  name: 'message_view_save',
  by: 'customer',
  changes: true,
  input: () => ({
    view_id: z.optional(IdInput('view')),
    name: TypedName({ min: 1, max: VIEW_NAME_MAX, missing: 'Beri nama tampilan ini.' }),
    ...messageFilters(),
    token_id: z.optional(IdInput('token')),
    days: z.optional(WholeNumber({ minimum: 1, maximum: VIEW_DAYS_MAX })),
  }),
  output: MessageView,
  refuses: ['views_full', 'view_name_taken'],
});

export const deleteView = act({
  name: 'message_view_delete',
  by: 'customer',
  changes: true,
  input: () => ({ view_id: IdInput('view') }),
  output: () => z.object({}),
});

/** The filters of the message table except the token; an empty search is refused. */
export const messageFilters = () => ({
  ...rowFilters(),
  q: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(MESSAGE_QUERY_MAX))),
  sort_type: z.optional(z.enum(['asc', 'desc'])),
});

/** Messages that can be selected at once, and that one call resends, cancels or exports. */
export const MANY_MAX = 500;

const manyIds = () => ({
  message_ids: z.array(IdInput('message')).check(z.minLength(1), z.maxLength(MANY_MAX)),
});

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

const Refused = schema(() =>
  z.object({
    message_id: Id('message'),
    error: z.object({ type: z.string(), msg: z.string() }),
  }),
);
export type Refused = Output<typeof Refused>;

export const resendMessage = act({
  name: 'message_resend',
  by: 'customer',
  changes: true,
  input: () => ({ message_id: IdInput('message') }),
  output: MessageRow,
  refuses: resendRefusals,
});

/** The present cost of resending messages, and which of them cannot be resent. Sends nothing. */
export const checkResend = act({
  name: 'message_resend_check',
  by: 'customer',
  input: manyIds,
  output: () =>
    z.object({
      count: z.int(),
      price: Rupiah(),
      by_quota: z.int(),
      refused: z.array(Refused()),
    }),
});

/** Like `message_resend`, for many: each is sent or refused separately. The same key sends none twice. */
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

/** Like `message_cancel`, for many: each is cancelled or refused separately. */
export const cancelMessages = act({
  name: 'message_cancel_many',
  by: 'customer',
  changes: true,
  input: manyIds,
  output: () => z.object({ cancelled: z.array(Id('message')), refused: z.array(Refused()) }),
});

/** Reschedules a message; a time in the past means now. */
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
