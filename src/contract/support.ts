import * as z from 'zod/mini';
import { act, paging } from './base/act.ts';
import { Id } from './base/ids.ts';
import { TypedName } from './base/names.ts';
import { WholeNumber } from './base/numbers.ts';
import { type Output, schema } from './base/schema.ts';
import { TEXT_MAX } from './messages.ts';
import { ChatContent } from './messages/content.ts';
import { SupportSide, SupportStatus } from './events.ts';

/** What a question can be about. */
export const SupportSubject = schema(() => z.enum(['message', 'token', 'topup', 'invoice']));
export type SupportSubject = Output<typeof SupportSubject>;

/** The public id of it. */
const SubjectId = () => z.string().check(z.maxLength(40));

/** What a question is about, as it was when it was asked; both sides can open it. Never a message's text. */
export const SupportCard = schema(() =>
  z.object({
    type: SupportSubject(),
    /** Its public id. */
    id: z.string(),
    /** `Pesan ke +62 812-3456-7890`, `Isi saldo Rp 250.000`. */
    title: z.string(),
    /** `Gagal`, `Terputus`, in the interface's words. */
    status: z.string(),
    /** What else is worth knowing at a glance, a line each. */
    lines: z.array(z.string()),
  }),
);
export type SupportCard = Output<typeof SupportCard>;

/** What happened to a thread. */
export const SupportEvent = schema(() =>
  z.enum(['closed', 'reopened', 'assigned', 'unassigned', 'snoozed', 'rated']),
);
export type SupportEvent = Output<typeof SupportEvent>;

/** One line of a thread. */
export const SupportMessage = schema(() =>
  z.object({
    id: Id('support'),
    /** Its place in the thread, rising; what is internal leaves gaps for customers. */
    seq: z.int(),
    side: SupportSide(),
    /** The operator's name; null of customers and the system. */
    author: z.nullable(z.string()),
    /** Written by who asks. */
    mine: z.boolean(),
    /** Only operators see it. */
    internal: z.boolean(),
    content: ChatContent(),
    /** Of its file, in bytes. */
    size: z.nullable(z.int()),
    card: z.nullable(SupportCard()),
    /** Of the system's lines; null of all others. */
    event: z.nullable(SupportEvent()),
    at: z.coerce.date(),
  }),
);
export type SupportMessage = Output<typeof SupportMessage>;

/** When somebody answers, in WIB. */
export const SupportHours = schema(() =>
  z.object({
    open_now: z.boolean(),
    /** When it opens next; null while it is open, and where it never does. */
    opens_at: z.nullable(z.coerce.date()),
    /** `Senin–Jumat 08.00–17.00 WIB`, a line each. */
    lines: z.array(z.string()),
    /** What the operator adds, of holidays for instance; '' for nothing. */
    note: z.string(),
  }),
);
export type SupportHours = Output<typeof SupportHours>;

/** How a thread stands. An account has one; before its first message it is `closed` and empty. */
export const SupportThread = schema(() =>
  z.object({
    status: SupportStatus(),
    /** The newest line that who asks can see; 0 while there is none. */
    last_seq: z.int(),
    /** Up to where the customer and the operators have read. */
    customer_read: z.int(),
    operator_read: z.int(),
    /** Lines of the other side that who asks has not read. */
    unread: z.int(),
    /** Who looks after it; null for nobody in particular. */
    operator: z.nullable(z.string()),
    /**
     * How soon questions were answered lately, within opening hours: the median of the last 30 days in
     * seconds; null with fewer than five answers.
     */
    usual_answer_seconds: z.nullable(z.int()),
    hours: SupportHours(),
    /** The rating of the last closing: null while it may still be given; `due` while it is asked for. */
    rating: z.object({ due: z.boolean(), score: z.nullable(z.int()) }),
  }),
);
export type SupportThread = Output<typeof SupportThread>;

export const supportThread = act({
  name: 'support_thread',
  by: 'customer',
  whileSuspended: true,
  output: SupportThread,
});

/** The lines of the thread, newest first; `start` counts from the newest. */
export const supportMessages = act({
  name: 'support_messages',
  by: 'customer',
  whileSuspended: true,
  list: 'manual',
  input: () => ({ ...paging(['at']) }),
  output: SupportMessage,
});

/** What the next line will be about, as it would be written down now. */
export const supportCard = act({
  name: 'support_card',
  by: 'customer',
  whileSuspended: true,
  input: () => ({ about_type: SupportSubject(), about_id: SubjectId() }),
  output: SupportCard,
});

/** What is unread, for the menu. */
export const supportUnread = act({
  name: 'support_unread',
  by: 'customer',
  whileSuspended: true,
  output: () => z.object({ total: z.int() }),
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a line may bring: a text, a file, a contact, and what it is about; at least one of them. */
export const supportContent = () => ({
  /** Made by the browser (UUID): the same line sent again is the first one. */
  message_id: z.string().check(z.regex(UUID, 'Id tidak dikenali.')),
  text: z.optional(
    z.string().check(z.maxLength(TEXT_MAX, `Pesan paling panjang ${TEXT_MAX} karakter.`)),
  ),
  /** A finished upload of purpose `chat`. */
  upload: z.optional(z.string().check(z.maxLength(40))),
  contact_name: z.optional(TypedName({ max: 100 })),
  contact_phone: z.optional(z.string().check(z.trim(), z.maxLength(30))),
  about_type: z.optional(SupportSubject()),
  about_id: z.optional(SubjectId()),
});

/** Writes to customer service; opens the thread again when it was closed. */
export const sendSupport = act({
  name: 'support_send',
  by: 'customer',
  whileSuspended: true,
  changes: true,
  input: supportContent,
  output: SupportMessage,
  refuses: ['upload_gone', 'support_empty', 'support_too_many'],
});

export const readSupport = act({
  name: 'support_read',
  by: 'customer',
  whileSuspended: true,
  changes: true,
  outlivesSession: false,
  input: () => ({ seq: WholeNumber({ minimum: 0 }) }),
  output: SupportThread,
});

/** Somebody is typing: told to the other side at once, and stored nowhere. */
export const typeSupport = act({
  name: 'support_typing',
  by: 'customer',
  whileSuspended: true,
  outlivesSession: false,
  output: () => z.object({}),
});

/** The customer's question is settled. */
export const closeSupport = act({
  name: 'support_close',
  by: 'customer',
  whileSuspended: true,
  changes: true,
  output: SupportThread,
});

/** Of the last closing, once: 1 to 5. */
export const rateSupport = act({
  name: 'support_rate',
  by: 'customer',
  whileSuspended: true,
  changes: true,
  input: () => ({
    score: WholeNumber({ minimum: 1, maximum: 5 }),
    comment: z.optional(z.string().check(z.trim(), z.maxLength(1000))),
  }),
  output: SupportThread,
  refuses: ['support_not_closed'],
});

/** The thread as a text file, at a signed address. */
export const supportTranscript = act({
  name: 'support_transcript',
  by: 'customer',
  whileSuspended: true,
  output: () => z.object({ url: z.string() }),
});

/** The causes that quick help knows, the commonest first. */
export const SupportCause = schema(() =>
  z.enum([
    'token_disconnected',
    'token_not_linked',
    'saldo_short',
    'bonus_only',
    'not_on_whatsapp',
    'blocked',
    'opted_out',
    'rate_limited',
    'topup_waiting',
    'plan_past_due',
    'token_limit',
    'wallet_frozen',
  ]),
);
export type SupportCause = Output<typeof SupportCause>;

/**
 * What probably is the matter, by what the account shows now: most pressing first, ten at most. Each says
 * what is so, what to do, and where.
 */
export const supportHelp = act({
  name: 'support_help',
  by: 'customer',
  whileSuspended: true,
  output: () =>
    z.object({
      causes: z.array(
        z.object({
          cause: SupportCause(),
          /** With how many it concerns: `Token Kasir terputus`, `2 token terputus …` */
          title: z.string(),
          /** What to do, in two sentences at most. */
          answer: z.string(),
          /** The thing itself, to bring along when the answer did not help. */
          about: z.nullable(z.object({ type: SupportSubject(), id: z.string() })),
          /** Where it is mended: a path of the app. */
          href: z.string(),
          action: z.string(),
        }),
      ),
    }),
});
