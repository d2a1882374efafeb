import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { isInCalendar } from '#contract/base/days.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure, MessageStatus } from '#contract/messages.ts';
import { ShownPeer } from '#contract/messages/peer.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { CampaignContent, CampaignContentInput } from './content.ts';

/** Recipients of one campaign, at most. */
export const RECIPIENTS_MAX = 100_000;
/** Campaigns of an account that are not over, at most. */
export const OPEN_CAMPAIGNS_MAX = 50;
export const CAMPAIGN_NAME_MAX = 80;
/** Columns of a list that are read; those beyond are left out. */
export const COLUMNS_MAX = 30;
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
    /** The columns of its list beside the number: what variables are filled with. */
    columns: z.array(z.string()),
    /** When it begins; null: as soon as it is started. */
    starts_at: z.nullable(z.coerce.date()),
    /** Messages a minute at most; null: as many as its token sends. */
    pace: z.nullable(z.int()),
    /** Messages a minute that a token sends at most; null: as many as its network takes. */
    token_pace: z.nullable(z.int()),
    recipients: RecipientCounts(),
    /** Its messages by their status; those that were taken back are none of them. */
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

const Name = () =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Beri nama.'),
      z.maxLength(CAMPAIGN_NAME_MAX, `Nama paling panjang ${CAMPAIGN_NAME_MAX} karakter.`),
    );

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

/** Begins a draft with a list: an upload for `recipients`, CSV or XLSX, whose numbers are in a column of their own. */
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
