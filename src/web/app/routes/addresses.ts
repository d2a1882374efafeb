import {
  date,
  listFields,
  oneOf,
  text,
  texts,
  whole,
  type Readers,
} from '#web/browser/router/searchFields.ts';

/** Every address of the app but the operator's, which come when one is asked for, and what its query may say: a segment that begins with `$` is any text. */
export const addresses = {
  '/': {},
  '/token': {
    ...listFields,
    open: text,
    view: oneOf(['new', 'link', 'ditolak']),
    /** Of rejected calls: whose, and why. */
    token: text,
    reason: text,
  },
  '/token/templat': {
    ...listFields,
    view: oneOf(['new']),
    /** The template that is open: its name and language, as `pesanan_siap:id`. */
    open: text,
  },
  '/token/webhook': {
    page: whole,
    token: text,
    state: text,
    type: text,
    /** The number that deliveries are about, as it was typed. */
    peer: text,
    from: date,
    to: date,
    /** The delivery whose details are open. */
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
    /** Left out: the table. */
    view: oneOf(['percakapan']),
    /** The message or conversation whose details are open. */
    open: text,
    peer: text,
    /** Where a conversation is opened: a message, or a day. */
    at: text,
    new: oneOf(['1']),
  },
  '/message-history/kiriman': {
    ...listFields,
    view: oneOf(['new']),
    /** The message to many that is open, and which of its recipients are shown. */
    open: text,
    state: text,
  },
  '/message-history/berhenti': { page: whole, q: text, token: text },
  '/saldo': {
    ...listFields,
    from: date,
    to: date,
    kind: text,
    /** One line of the statement alone, by its number. */
    line: whole,
    open: text,
    new: oneOf(['1']),
    /** What a top-up is proposed to be. */
    amount: whole,
  },
  '/billing': {
    ...listFields,
    status: text,
    kind: text,
    /** The invoice that is open. */
    open: text,
    /** The plan that a change is considered to. */
    change: text,
  },
  '/customer-service': {
    /** What a question is about, and its public id. */
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
  /** Without `bank` it is a phone; with it the bank, its amount filled in. */
  '/simulator': { phone: text, bank: oneOf(['1']), amount: whole },
  /** Left out: the API. */
  '/docs': { page: text },
  '/leaving': { to: text },
} as const satisfies Readonly<Record<string, Readers>>;
