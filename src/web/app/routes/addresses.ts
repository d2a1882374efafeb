import { date, oneOf, text, whole, type Readers } from '#web/browser/router/searchFields.ts';

/** What every list keeps in its address; `page` counts as the list's paging does. */
const listFields = {
  page: whole,
  sort_by: text,
  sort_type: oneOf(['asc', 'desc']),
} as const;

/** Every address of the app, and what its query may say: a segment that begins with `$` is any text. */
export const addresses = {
  '/': {},
  '/token': { ...listFields, open: text, view: oneOf(['new', 'link']) },
  '/message-history': {
    ...listFields,
    q: text,
    from: date,
    to: date,
    direction: text,
    status: text,
    type: text,
    token: text,
    /** Left out: the table. */
    view: oneOf(['percakapan']),
    /** The message or conversation whose details are open. */
    open: text,
    peer: text,
    new: oneOf(['1']),
  },
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
  '/operator': {},
  '/operator/isi-saldo': { ...listFields, status: text, open: text },
  '/operator/mutasi-bank': { ...listFields, filter: oneOf(['semua']), amount: whole, open: text },
  '/operator/mutasi-bank/impor': {},
  '/operator/pelanggan': { ...listFields, q: text, status: text, open: text, proposal: text },
  '/operator/suspense': {
    ...listFields,
    open: text,
    /** The tables below: what goes back to payers, and what gateways took back. */
    refund: text,
    refund_page: whole,
    flag: text,
    flag_page: whole,
  },
  '/operator/pembukuan': {},
  '/operator/harga': {},
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
  '/docs': {},
  '/leaving': { to: text },
} as const satisfies Readonly<Record<string, Readers>>;
