import {
  date,
  listFields,
  oneOf,
  text,
  texts,
  whole,
  type Readers,
} from '#web/browser/router/searchFields.ts';

/**
 * All customer addresses and their query fields (operator addresses are loaded on demand). A segment that begins with
 * `$` matches any text.
 */
export const addresses = {
  '/': {},
  '/token': {
    ...listFields,
    open: text,
    view: oneOf(['new', 'link', 'ditolak']),
    token: text,
    reason: text,
  },
  '/token/templat': {
    ...listFields,
    view: oneOf(['new']),
    /** The open template: name and language, as `pesanan_siap:id`. */
    open: text,
  },
  '/token/webhook': {
    page: whole,
    token: text,
    state: text,
    type: text,
    peer: text,
    from: date,
    to: date,
    open: text,
  },
  '/message-history': {
    ...listFields,
    q: text,
    from: date,
    to: date,
    direction: text,
    status: texts,
    type: text,
    token: text,
    /** Omitted: the table. */
    view: oneOf(['percakapan']),
    open: text,
    peer: text,
    /** Only conversations with unread messages. */
    unread: oneOf(['1']),
    /** The initial position of a conversation: a message or a day. */
    at: text,
    new: oneOf(['1']),
  },
  '/message-history/kiriman': {
    ...listFields,
    view: oneOf(['new']),
    /** The open bulk message, and which of its recipients are shown. */
    open: text,
    state: text,
  },
  '/message-history/ekspor': {},
  '/message-history/berhenti': { page: whole, q: text, token: text },
  '/saldo': {
    ...listFields,
    from: date,
    to: date,
    kind: text,
    line: whole,
    open: text,
    new: oneOf(['1']),
    amount: whole,
    /** The paused campaign of a top-up; once paid, the page links to it. */
    campaign: text,
    /** The selected plan that the saldo was too small for; once paid, the page links to it. */
    plan: text,
  },
  '/billing': {
    ...listFields,
    status: text,
    kind: text,
    open: text,
    change: text,
  },
  '/customer-service': {
    about: oneOf(['message', 'token', 'topup', 'invoice']),
    id: text,
  },
  '/profile': {},

  '/auth': {},
  '/auth/login': {},
  '/auth/register': {},
  '/auth/verify-otp': {},
  '/auth/forgot-password': {},
  '/auth/forgot-password/phone': {},
  '/auth/forgot-password/otp': {},
  '/auth/forgot-password/change': {},

  '/scan/$data': {},
  /** Without `bank`: a phone; with it: the bank, with the amount filled in. */
  '/simulator': { phone: text, bank: oneOf(['1']), amount: whole },
  /** Without `page`: the API; without `lang`: the language that was chosen before. */
  '/docs': { page: text, lang: oneOf(['id', 'en']) },
  '/leaving': { to: text },
} as const satisfies Readonly<Record<string, Readers>>;
