import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { isInCalendar } from '#contract/base/days.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { TypedName } from '#contract/base/names.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure, MessageStatus, TEXT_MAX } from '#contract/messages.ts';
import { ShownPeer } from '#contract/messages/peer.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { unstorableIn } from '#contract/base/text.ts';
import { TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import { CAPTION_MAX } from './rest/endpoint.ts';

export const RECIPIENTS_MAX = 100_000;
/** Campaigns of an account that are not over, at most. */
export const OPEN_CAMPAIGNS_MAX = 50;
export const CAMPAIGN_NAME_MAX = 80;
/** Columns of a list that are read; further ones are ignored. */
export const COLUMNS_MAX = 30;
export const COLUMN_NAME_MAX = 40;
/** Messages per minute. */
export const PACE_MAX = 6_000;

/** A `draft` is still edited; a `running` one may still wait for its start time. */
export const CampaignStatus = schema(() =>
  z.enum(['draft', 'running', 'paused', 'cancelled', 'done']),
);
export type CampaignStatus = Output<typeof CampaignStatus>;

export const PauseReason = schema(() =>
  z.enum([
    'wanted',
    'saldo_short',
    'bonus_only',
    'token_not_linked',
    'account_suspended',
    'wallet_frozen',
    'content_refused',
    /** The installation was restored from a backup: messages accepted since then are unknown. */
    'restored',
  ]),
);
export type PauseReason = Output<typeof PauseReason>;

/**
 * `waiting`: their message is not accepted yet; `placed`: it is in the history; `refused`: it was not accepted;
 * `cancelled`: the campaign was cancelled before their turn. The others get none: the number is `invalid`, occurs twice
 * (`duplicate`), has `opted_out`, or lacks a value of a variable (`incomplete`).
 */
export const RecipientState = schema(() =>
  z.enum([
    'waiting',
    'placed',
    'refused',
    'cancelled',
    'invalid',
    'duplicate',
    'opted_out',
    'incomplete',
  ]),
);
export type RecipientState = Output<typeof RecipientState>;

export const recipientStateLabel: Record<RecipientState, string> = {
  waiting: 'Menunggu giliran',
  placed: 'Sudah dikirim',
  refused: 'Ditolak',
  cancelled: 'Dibatalkan',
  invalid: 'Nomor salah',
  duplicate: 'Nomor ganda',
  opted_out: 'Berhenti langganan',
  incomplete: 'Data kurang',
};

const RecipientCounts = schema(() =>
  z.object({
    total: z.int(),
    waiting: z.int(),
    placed: z.int(),
    refused: z.int(),
    cancelled: z.int(),
    invalid: z.int(),
    duplicate: z.int(),
    opted_out: z.int(),
    incomplete: z.int(),
  }),
);
export type RecipientCounts = Output<typeof RecipientCounts>;

export const Campaign = schema(() =>
  z.object({
    id: Id('campaign'),
    name: z.string(),
    token: z.object({
      id: Id('token'),
      name: z.string(),
      channel: ChannelName(),
      status: TokenStatus(),
    }),
    status: CampaignStatus(),
    /** The pending state: unsent messages are being withdrawn. */
    becoming: z.nullable(z.enum(['paused', 'cancelled'])),
    pause_reason: z.nullable(PauseReason()),
    /** Until when it waits because its token has reached the daily limit. */
    rests_until: z.nullable(z.coerce.date()),
    content: z.nullable(CampaignContent()),
    number_column: z.string(),
    columns: z.array(z.string()),
    /** The start time; null: at once when it is started. */
    starts_at: z.nullable(z.coerce.date()),
    /** Messages per minute at most; null: no limit but the token's. */
    pace: z.nullable(z.int()),
    /** The limit of its token, in messages per minute; null: no limit but that of the network. */
    token_pace: z.nullable(z.int()),
    recipients: RecipientCounts(),
    /**
     * Its messages, without withdrawn ones, in cumulative figures (`messages/counts.ts`): `sent` includes the delivered
     * ones, `delivered` the read ones.
     */
    messages: z.object({
      waiting: z.int(),
      sent: z.int(),
      delivered: z.int(),
      read: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      expired: z.int(),
    }),
    cost: Rupiah(),
    created_at: z.coerce.date(),
    started_at: z.nullable(z.coerce.date()),
    /** When its last message was accepted, or it was cancelled. */
    ended_at: z.nullable(z.coerce.date()),
  }),
);
export type Campaign = Output<typeof Campaign>;

export const CampaignRecipient = schema(() =>
  z.object({
    /** From 1. */
    place: z.int(),
    written: z.string(),
    peer: z.nullable(ShownPeer()),
    peer_name: z.nullable(z.string()),
    values: z.array(z.string()),
    state: RecipientState(),
    reason: z.nullable(z.string()),
    message: z.nullable(
      z.object({ id: Id('message'), status: MessageStatus(), failure: z.nullable(Failure()) }),
    ),
  }),
);
export type CampaignRecipient = Output<typeof CampaignRecipient>;

const Name = () => TypedName({ min: 1, max: CAMPAIGN_NAME_MAX, missing: 'Beri nama.' });

const campaignRef = () => ({ campaign_id: IdInput('campaign') });

/** `status: 'open'`: those that are not over, of which there are at most `OPEN_CAMPAIGNS_MAX`. */
export const listCampaigns = act({
  name: 'campaign_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    status: z.optional(z.enum([...CampaignStatus().options, 'open'])),
  }),
  output: Campaign,
});

export const getCampaign = act({
  name: 'campaign_get',
  by: 'customer',
  input: campaignRef,
  output: Campaign,
});

export const listRecipients = act({
  name: 'campaign_recipient_list',
  by: 'customer',
  list: 'default',
  input: () => ({ ...paging(['place']), ...campaignRef(), state: z.optional(RecipientState()) }),
  output: CampaignRecipient,
});

/**
 * Creates a draft from a list: an upload for `recipients`, CSV or XLSX, with the numbers in one column. An upload
 * becomes one draft: a repeat with another key returns the same one, with the name and token of the repeat.
 */
export const createCampaign = act({
  name: 'campaign_create',
  by: 'customer',
  changes: true,
  input: () => ({ name: Name(), token_id: IdInput('token'), upload: IdInput('upload') }),
  output: Campaign,
  refuses: ['upload_gone', 'recipients_unreadable', 'campaigns_full'],
});

/** Changes a draft; omitted fields are unchanged. */
export const updateCampaign = act({
  name: 'campaign_update',
  by: 'customer',
  changes: true,
  input: () => ({
    ...campaignRef(),
    name: z.optional(Name()),
    token_id: z.optional(IdInput('token')),
    /** The column to read the numbers from; the former one becomes an ordinary column. */
    number_column: z.optional(z.string().check(z.maxLength(COLUMN_NAME_MAX))),
    content: z.optional(CampaignContentInput()),
    starts_at: z.optional(
      z.union([
        z.literal('now'),
        z.iso
          .datetime({ offset: true, error: 'Pilih waktu mulainya.' })
          .check(z.refine(isInCalendar, 'Pilih waktu sebelum tahun 3000.')),
      ]),
    ),
    /** Messages per minute; `token`: no limit but the token's. */
    pace: z.optional(
      z.union([
        z.literal('token'),
        WholeNumber({
          minimum: 1,
          maximum: PACE_MAX,
          sentence: 'Tulis kecepatan sebagai angka bulat per menit.',
          tooBig: `Kecepatan paling besar ${PACE_MAX} pesan per menit.`,
        }),
      ]),
    ),
  }),
  output: Campaign,
  refuses: ['campaign_state', 'upload_gone', 'storage_full'],
});

/** Starts a draft now, or at its start time. */
export const startCampaign = act({
  name: 'campaign_start',
  by: 'customer',
  changes: true,
  audited: true,
  input: campaignRef,
  output: Campaign,
  refuses: ['campaign_state', 'campaign_incomplete', 'token_not_linked'],
});

/** Pauses it and withdraws unsent messages; `campaign_resume` continues it. */
export const pauseCampaign = act({
  name: 'campaign_pause',
  by: 'customer',
  changes: true,
  audited: true,
  input: campaignRef,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Resumes a paused campaign: withdrawn messages are accepted anew. */
export const resumeCampaign = act({
  name: 'campaign_resume',
  by: 'customer',
  changes: true,
  audited: true,
  input: campaignRef,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Ends it: unsent messages are withdrawn for good. */
export const cancelCampaign = act({
  name: 'campaign_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  input: campaignRef,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Deletes a draft or an ended campaign: its list is deleted, its messages stay in the history. */
export const deleteCampaign = act({
  name: 'campaign_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: campaignRef,
  output: () => z.object({}),
  refuses: ['campaign_state'],
});

const Text = () => ({
  type: z.literal('text'),
  text: z.string().check(
    z.refine((text) => text.trim() !== '', 'Tulis isi pesannya.'),
    z.maxLength(TEXT_MAX, `Pesan paling panjang ${TEXT_MAX} karakter.`),
  ),
});

const caption = () =>
  z.optional(
    z
      .string()
      .check(z.maxLength(CAPTION_MAX, `Keterangan paling panjang ${CAPTION_MAX} karakter.`)),
  );

const Location = () => ({
  type: z.literal('location'),
  latitude: z.number('Tulis lintang, misalnya -6.2.').check(z.minimum(-90), z.maximum(90)),
  longitude: z.number('Tulis bujur, misalnya 106.8.').check(z.minimum(-180), z.maximum(180)),
  name: z.optional(z.string().check(z.maxLength(200))),
  address: z.optional(z.string().check(z.maxLength(400))),
});

const Template = () => ({
  type: z.literal('template'),
  name: z.string().check(z.minLength(1, 'Pilih templatnya.'), z.maxLength(TEMPLATE_LIMITS.name)),
  language: z.string().check(z.maxLength(10)),
  variables: z
    .array(z.string().check(z.maxLength(TEMPLATE_LIMITS.variable)))
    .check(z.maxLength(TEMPLATE_LIMITS.variables)),
});

/** Parses a value sent as JSON text; internal callers pass the value itself. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    const value: unknown = JSON.parse(given);
    // Escapes may contain characters that the database cannot store.
    return unstorableIn(value).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The content as the browser sends it; a file is an upload for `media`, or the draft's present one. */
const WrittenContent = schema(() =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject(Text()),
      z.strictObject({
        type: z.literal('file'),
        upload: z.optional(IdInput('upload')),
        keep: z.optional(z.boolean()),
        caption: caption(),
      }),
      z.strictObject(Location()),
      z.strictObject(Template()),
    ],
    'Pilih jenis pesannya.',
  ),
);
export type CampaignContentInput = Output<typeof WrittenContent>;

export const CampaignContentInput = schema(() =>
  z.pipe(
    z.transform((given: z.input<ReturnType<typeof WrittenContent>>) => parsed(given)),
    WrittenContent(),
  ),
);

export const CampaignContent = schema(() =>
  z.discriminatedUnion('type', [
    z.object(Text()),
    z.object({
      type: z.literal('file'),
      file: z.object({
        id: Id('media'),
        as: z.enum(['image', 'video', 'audio', 'document']),
        name: z.string(),
        size: z.int(),
      }),
      caption: caption(),
    }),
    z.object(Location()),
    z.object(Template()),
  ]),
);
export type CampaignContent = Output<typeof CampaignContent>;

function textsOf(content: CampaignContent): readonly string[] {
  switch (content.type) {
    case 'text':
      return [content.text];
    case 'file':
      return content.caption === undefined ? [] : [content.caption];
    case 'template':
      return content.variables;
    case 'location':
      return [];
  }
}

export const contentVariables = (
  content: CampaignContent,
): readonly { key: string; needed: boolean }[] =>
  // Joined by NUL, so that a variable cannot span two texts.
  variablesIn(textsOf(content).join('\0'));

export function fillContent(content: CampaignContent, values: VariableValues): CampaignContent {
  const fill = (text: string) => fillVariables(text, values);
  switch (content.type) {
    case 'text':
      return { ...content, text: fill(content.text) };
    case 'file':
      return content.caption === undefined
        ? content
        : { ...content, caption: fill(content.caption) };
    case 'template':
      return { ...content, variables: content.variables.map(fill) };
    case 'location':
      return content;
  }
}

/**
 * Variables of a campaign: `{nama}` is replaced by the recipient's value, `{nama|Kak}` by *Kak* if the list has none.
 * Names are column names, in any case; a brace that begins no variable stays.
 */
const variable = /\{\s*([\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,39}?)\s*(?:\|([^{}|]{0,100}))?\}/gu;

/** The normalised name of a column: lower case, with single blanks. */
export const variableKey = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, ' ');

export type VariableValues = ReadonlyMap<string, string>;

/** The variables of a text, each once; those with a fallback need no value. */
function variablesIn(text: string): readonly { key: string; needed: boolean }[] {
  const found = new Map<string, boolean>();
  for (const [, name = '', fallback] of text.matchAll(variable)) {
    const key = variableKey(name);
    found.set(key, (found.get(key) ?? false) || fallback === undefined);
  }
  return [...found].map(([key, needed]) => ({ key, needed }));
}

/** Fills in the variables of a text; one with neither value nor fallback becomes empty. */
export const fillVariables = (text: string, values: VariableValues): string =>
  text.replace(variable, (_whole, name: string, fallback: string | undefined) => {
    const value = values.get(variableKey(name)) ?? '';
    return value === '' ? (fallback ?? '') : value;
  });
