import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { messageFilters } from '#contract/messages/history/filters.ts';

/** How many views one person saves. */
export const VIEWS_MAX = 30;
/** The longest name of a view, in characters. */
export const VIEW_NAME_MAX = 40;
/** The longest range of days that moves along with the date. */
export const VIEW_DAYS_MAX = 366;

/** The filters of a view as they are stored and answered. */
export const ViewFilters = schema(() =>
  z.object({
    ...messageFilters(),
    token_id: z.optional(Id('token')),
    /** Instead of `from` and `to`: so many days until today, whichever day that is. */
    days: z.optional(z.int()),
  }),
);
export type ViewFilters = Output<typeof ViewFilters>;

/** Filters of the table that a person saved under a name. */
export const MessageView = schema(() =>
  z.object({ id: Id('view'), name: z.string(), filters: ViewFilters() }),
);
export type MessageView = Output<typeof MessageView>;

/** The caller's own views, the oldest first, all of them. */
export const listViews = act({
  name: 'message_view_list',
  by: 'customer',
  output: () => z.object({ views: z.array(MessageView()) }),
});

/** Saves a new view; with `view_id` the name and the filters of one that stands. */
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

/** Deletes one of the caller's own views. */
export const deleteView = act({
  name: 'message_view_delete',
  by: 'customer',
  changes: true,
  input: () => ({ view_id: IdInput('view') }),
  output: () => z.object({}),
});
