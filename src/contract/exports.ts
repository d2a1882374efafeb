import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { messageFilters, MANY_MAX } from './messages/history.ts';

export const EXPORTS_A_DAY = 20;

export const ExportFormat = schema(() => z.enum(['csv', 'xlsx']));
export type ExportFormat = Output<typeof ExportFormat>;

/**
 * `empty`: nothing matched, and there is no file. `failed`: three tries failed; nothing is lost, and it may be
 * requested again.
 */
export const RowExportStatus = schema(() =>
  z.enum(['waiting', 'working', 'ready', 'empty', 'failed']),
);
export type RowExportStatus = Output<typeof RowExportStatus>;

export const RowExport = schema(() =>
  z.object({
    id: Id('rows'),
    format: ExportFormat(),
    status: RowExportStatus(),
    /** 0 to 100. */
    progress: z.int(),
    rows: z.nullable(z.int()),
    size_bytes: z.nullable(z.int()),
    /** The download address; null until it is finished, and in browsers other than the session's own. */
    url: z.nullable(z.string()),
    created_at: z.coerce.date(),
    expires_at: z.nullable(z.coerce.date()),
    of: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('messages'),
        ...messageFilters(),
        token_id: z.optional(Id('token')),
        /** The number of individually selected messages; left out: all that match the filters. */
        chosen: z.optional(z.int()),
      }),
      z.object({ kind: z.literal('campaign'), campaign_id: Id('campaign') }),
    ]),
  }),
);
export type RowExport = Output<typeof RowExport>;

/**
 * Exports all messages that match the filters, also beyond the limit of a search in the table, or selected ones.
 * Messages accepted or received after the request are left out; statuses are read while the file is made.
 */
export const exportMessages = act({
  name: 'message_export',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  input: () => ({
    format: ExportFormat(),
    ...messageFilters(),
    token_id: z.optional(IdInput('token')),
    message_ids: z.optional(
      z.array(IdInput('message')).check(z.minLength(1), z.maxLength(MANY_MAX)),
    ),
  }),
  output: RowExport,
  refuses: ['export_limit'],
});

/** Exports the recipients of a campaign, excluded ones too, each with the result of their message. */
export const exportCampaign = act({
  name: 'campaign_export',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  input: () => ({ format: ExportFormat(), campaign_id: IdInput('campaign') }),
  output: RowExport,
  refuses: ['export_limit'],
});

/** The account's exports of the last 24 hours, the newest first, not paged; `left_today` further ones can be made. */
export const listExports = act({
  name: 'export_list',
  by: 'customer',
  output: () => z.object({ exports: z.array(RowExport()), left_today: z.int() }),
});

/** Cancels an unfinished export, or deletes a finished one. */
export const cancelExport = act({
  name: 'export_cancel',
  by: 'customer',
  changes: true,
  input: () => ({ export_id: IdInput('rows') }),
  output: () => z.object({}),
});
