import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { messageFilters, MANY_MAX } from './messages/history.ts';

/** Files with rows that an account may ask for in a day. */
export const EXPORTS_A_DAY = 20;

/** The kinds of files with rows. */
export const ExportFormat = schema(() => z.enum(['csv', 'xlsx']));
export type ExportFormat = Output<typeof ExportFormat>;

/**
 * How it stands. `empty`: nothing matched, and there is no file. `failed`: it was tried three times; nothing is lost,
 * and it may be asked for again.
 */
export const RowExportStatus = schema(() =>
  z.enum(['waiting', 'working', 'ready', 'empty', 'failed']),
);
export type RowExportStatus = Output<typeof RowExportStatus>;

/** Rows as a file: asked for, made by a worker, kept for a day. */
export const RowExport = schema(() =>
  z.object({
    id: Id('rows'),
    format: ExportFormat(),
    status: RowExportStatus(),
    /** 0 to 100. */
    progress: z.int(),
    /** How many it has, once it is there. */
    rows: z.nullable(z.int()),
    size_bytes: z.nullable(z.int()),
    /** Where it is fetched from; null until it is there, and in other browsers than the session's own. */
    url: z.nullable(z.string()),
    created_at: z.coerce.date(),
    expires_at: z.nullable(z.coerce.date()),
    /** Which rows were asked for. */
    of: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('messages'),
        ...messageFilters(),
        token_id: z.optional(Id('token')),
        /** How many messages were chosen one by one; left out: all that the filters let through. */
        chosen: z.optional(z.int()),
      }),
      z.object({ kind: z.literal('campaign'), campaign_id: Id('campaign') }),
    ]),
  }),
);
export type RowExport = Output<typeof RowExport>;

/**
 * Asks for messages as a file: all that the filters let through, also beyond what a search of the table shows; or
 * chosen ones. What comes in or is sent after the request is left out; statuses are those at the time of reading.
 */
export const exportMessages = act({
  name: 'message_export',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
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

/** Asks for the recipients of a campaign as a file, those left out too, each with what became of their message. */
export const exportCampaign = act({
  name: 'campaign_export',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ format: ExportFormat(), campaign_id: IdInput('campaign') }),
  output: RowExport,
  refuses: ['export_limit'],
});

/** The account's files of the last 24 hours, the newest first, all of them. */
export const listExports = act({
  name: 'export_list',
  by: 'customer',
  output: () => z.object({ exports: z.array(RowExport()) }),
});

/** Gives up a file that is being made, or deletes one that is there. */
export const cancelExport = act({
  name: 'export_cancel',
  by: 'customer',
  changes: true,
  input: () => ({ export_id: IdInput('rows') }),
  output: () => z.object({}),
});
