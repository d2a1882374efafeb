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

/** Recipients of one campaign, at most. */
export const RECIPIENTS_MAX = 100_000;
/** Campaigns of an account that are not over, at most. */
export const OPEN_CAMPAIGNS_MAX = 50;
export const CAMPAIGN_NAME_MAX = 80;
/** Columns of a list that are read; those beyond are left out. */
export const COLUMNS_MAX = 30;
/** Characters of a column's name. */
export const COLUMN_NAME_MAX = 40;
/** Messages a minute that may be asked for. */
export const PACE_MAX = 6_000;

/** A draft is being written; one that runs may still wait for its time. */
export const CampaignStatus = schema(() =>
  z.enum(['draft', 'running', 'paused', 'cancelled', 'done']),
);
export type CampaignStatus = Output<typeof CampaignStatus>;

/** Why it stands still: somebody's wish, or what keeps its messages from being accepted. */
export const PauseReason = schema(() =>
  z.enum([
    'wanted',
    'saldo_short',
    'bonus_only',
    'token_not_linked',
    'account_suspended',
    'wallet_frozen',
    /** Its template or its file cannot be sent. */
    'content_refused',
    /** The installation was restored from a backup: what was placed since is not known. */
    'restored',
  ]),
);
export type PauseReason = Output<typeof PauseReason>;

/**
 * How a recipient stands. `waiting`: their message is still to be placed; `placed`: it is one of the history;
 * `refused`: it was not accepted; `cancelled`: the campaign was, before their turn. The others get none: the number is
 * `invalid`, comes twice (`duplicate`), has `opted_out`, or lacks a value of a variable (`incomplete`).
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

/** How a recipient stands, in the interface's words. */
export const recipientStateLabel: Record<RecipientState, string> = {
  waiting: 'Menunggu giliran',
  placed: 'Sudah dikirim',
  refused: 'Ditolak',
  cancelled: 'Dibatalkan',
  invalid: 'Nomor salah',
  duplicate: 'Nomor ganda',
  opted_out: 'Berhenti berlangganan',
  incomplete: 'Data kurang',
};

/** How many recipients stand how. */
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

/** A message to many: a list of recipients, what each is sent, and how far it has come. */
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
    /** What it is about to become: what has not left is being taken back. */
    becoming: z.nullable(z.enum(['paused', 'cancelled'])),
    pause_reason: z.nullable(PauseReason()),
    /** Until when it rests by itself: its token has sent as many today as it may. */
    rests_until: z.nullable(z.coerce.date()),
    content: z.nullable(CampaignContent()),
    /** The column of its list that the numbers are in. */
    number_column: z.string(),
    /** The other columns of its list: what variables are filled with. */
    columns: z.array(z.string()),
    /** When it begins; null: as soon as it is started. */
    starts_at: z.nullable(z.coerce.date()),
    /** Messages a minute at most; null: as many as its token sends. */
    pace: z.nullable(z.int()),
    /** Messages a minute that a token sends at most; null: as many as its network takes. */
    token_pace: z.nullable(z.int()),
    recipients: RecipientCounts(),
    /**
     * Its messages by status, without those that were taken back. `sent` includes the delivered ones and
     * `delivered` the read ones, as on Beranda.
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
    /** What its messages cost as they stand now. */
    cost: Rupiah(),
    created_at: z.coerce.date(),
    started_at: z.nullable(z.coerce.date()),
    /** When its last message was placed, or it was cancelled. */
    ended_at: z.nullable(z.coerce.date()),
  }),
);
export type Campaign = Output<typeof Campaign>;

/** One recipient, in the order of the list. */
export const CampaignRecipient = schema(() =>
  z.object({
    /** From 1. */
    place: z.int(),
    /** The number as the list has it. */
    written: z.string(),
    peer: z.nullable(ShownPeer()),
    /** By `columns`. */
    values: z.array(z.string()),
    state: RecipientState(),
    /** Why it was not accepted, in a sentence. */
    reason: z.nullable(z.string()),
    message: z.nullable(
      z.object({ id: Id('message'), status: MessageStatus(), failure: z.nullable(Failure()) }),
    ),
  }),
);
export type CampaignRecipient = Output<typeof CampaignRecipient>;

const Name = () => TypedName({ min: 1, max: CAMPAIGN_NAME_MAX, missing: 'Beri nama.' });

const which = () => ({ campaign_id: IdInput('campaign') });

/** The newest first. */
export const listCampaigns = act({
  name: 'campaign_list',
  by: 'customer',
  list: 'default',
  input: () => ({ ...paging(['created_at']), status: z.optional(CampaignStatus()) }),
  output: Campaign,
});

/** One campaign as it now stands. */
export const getCampaign = act({
  name: 'campaign_get',
  by: 'customer',
  input: which,
  output: Campaign,
});

/** The recipients of a campaign in the order of its list, of all or of one state. */
export const listRecipients = act({
  name: 'campaign_recipient_list',
  by: 'customer',
  list: 'default',
  input: () => ({ ...paging(['place']), ...which(), state: z.optional(RecipientState()) }),
  output: CampaignRecipient,
});

/**
 * Begins a draft with a list: an upload for `recipients`, CSV or XLSX, whose numbers are in a column of their own. An upload
 * becomes one draft: a repeat with another key gives the same one, under the name and token of the repeat.
 */
export const createCampaign = act({
  name: 'campaign_create',
  by: 'customer',
  changes: true,
  input: () => ({ name: Name(), token_id: IdInput('token'), upload: IdInput('upload') }),
  output: Campaign,
  refuses: ['upload_gone', 'recipients_unreadable', 'campaigns_full'],
});

/** Changes a draft; what is left out stays as it is. */
export const updateCampaign = act({
  name: 'campaign_update',
  by: 'customer',
  changes: true,
  input: () => ({
    ...which(),
    name: z.optional(Name()),
    token_id: z.optional(IdInput('token')),
    /** One of its columns: the numbers are read from it, and the column that they were in becomes one of the others. */
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
    /** Messages a minute; `token`: as many as its token sends. */
    pace: z.optional(
      z.union([
        z.literal('token'),
        WholeNumber({
          minimum: 1,
          maximum: PACE_MAX,
          sentence: 'Tulis laju sebagai angka bulat per menit.',
          tooBig: `Laju paling besar ${PACE_MAX} pesan per menit.`,
        }),
      ]),
    ),
  }),
  output: Campaign,
  refuses: ['campaign_state', 'upload_gone', 'storage_full'],
});

/** Starts a draft: from now on its messages are placed, or from its time on. */
export const startCampaign = act({
  name: 'campaign_start',
  by: 'customer',
  changes: true,
  audited: true,
  input: which,
  output: Campaign,
  refuses: ['campaign_state', 'campaign_incomplete', 'token_not_linked'],
});

/** Stops placing, and takes back what has not left; it goes on with `campaign_resume`. */
export const pauseCampaign = act({
  name: 'campaign_pause',
  by: 'customer',
  changes: true,
  audited: true,
  input: which,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Lets one that stands still go on: who was taken back is placed anew. */
export const resumeCampaign = act({
  name: 'campaign_resume',
  by: 'customer',
  changes: true,
  audited: true,
  input: which,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Ends it: what has not left is taken back, for good. */
export const cancelCampaign = act({
  name: 'campaign_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  input: which,
  output: Campaign,
  refuses: ['campaign_state'],
});

/** Deletes a draft, or one that is over: its list goes, its messages stay in the history. */
export const deleteCampaign = act({
  name: 'campaign_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: which,
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
  /** What fills its body, in the order of `valueOrderOf`; with variables of the list. */
  variables: z
    .array(z.string().check(z.maxLength(TEMPLATE_LIMITS.variable)))
    .check(z.maxLength(TEMPLATE_LIMITS.variables)),
});

/** A value that travels as JSON text; callers of our own give the value itself. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    const value: unknown = JSON.parse(given);
    // What the database cannot keep may be written as an escape.
    return unstorableIn(value).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is sent to each, as the browser writes it; a file is an upload for `media`, or one that the draft has. */
const WrittenContent = schema(() =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject(Text()),
      z.strictObject({
        type: z.literal('file'),
        upload: z.optional(IdInput('upload')),
        /** The file that the draft has already. */
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

/** The same as a field of a form. */
export const CampaignContentInput = schema(() =>
  z.pipe(
    z.transform((given: z.input<ReturnType<typeof WrittenContent>>) => parsed(given)),
    WrittenContent(),
  ),
);

/** What is sent to each, as it is stored: with its variables, not filled in. */
export const CampaignContent = schema(() =>
  z.discriminatedUnion('type', [
    z.object(Text()),
    z.object({
      type: z.literal('file'),
      file: z.object({
        id: Id('media'),
        /** As which type of message it goes. */
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

/** The texts of a content that may have variables. */
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

/** The variables of a content, each once. */
export const contentVariables = (
  content: CampaignContent,
): readonly { key: string; needed: boolean }[] =>
  // What one text begins another does not end.
  variablesIn(textsOf(content).join('\0'));

/** A content for one recipient. */
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
 * Variables of a message to many: `{nama}` is filled with the recipient's own, `{nama|Kak}` with *Kak* where the list
 * has nothing for them. Names are those of the list's columns, in any case; a brace that begins no variable stays.
 */
const variable = /\{\s*([\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,39}?)\s*(?:\|([^{}|]{0,100}))?\}/gu;

/** A column's name as variables are compared: in lower case, blanks as one. */
export const variableKey = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, ' ');

/** What a text is filled with: by column, under its `variableKey`. */
export type VariableValues = ReadonlyMap<string, string>;

/** The variables of a text, each once: those that have something to fall back on need no value. */
function variablesIn(text: string): readonly { key: string; needed: boolean }[] {
  const found = new Map<string, boolean>();
  for (const [, name = '', fallback] of text.matchAll(variable)) {
    const key = variableKey(name);
    found.set(key, (found.get(key) ?? false) || fallback === undefined);
  }
  return [...found].map(([key, needed]) => ({ key, needed }));
}

/** A text with its variables filled in; one that has neither value nor fallback is left out. */
export const fillVariables = (text: string, values: VariableValues): string =>
  text.replace(variable, (_whole, name: string, fallback: string | undefined) => {
    const value = values.get(variableKey(name)) ?? '';
    return value === '' ? (fallback ?? '') : value;
  });
