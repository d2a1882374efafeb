import type { InputOf, PageOf } from '#contract/base/act.ts';
import { publicId, type IdKind, idPrefixes, uuidOf } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type * as contract from '#contract/operator/customers.ts';
import type { FoundThing } from '#contract/operator/customers.ts';
import { type CustomerRow, findCustomers, maskedPhone } from '#server/domains/accounts/accounts.ts';
import { isOnPlan, plansOfAccounts, holderOfInvoice } from '#server/domains/billing/billing.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { holderOfMessage, messageOfRef } from '#server/domains/messages/messages.ts';
import { holderOfTopup } from '#server/domains/payments/payments.ts';
import {
  type HeldToken,
  holderOfToken,
  tokensOfHint,
  tokensOfPhones,
} from '#server/domains/tokens/tokens.ts';

/** A page of customers, by one box and filters; numbers without their middle. */
export async function customersPage(
  { allAccountsSql: sql }: { allAccountsSql: Sql },
  { plan, q = '', ...query }: InputOf<typeof contract.findCustomers>,
): Promise<PageOf<contract.CustomerFound>> {
  const { found, isExact } = await meantBy(sql, q);
  const { rows, total } = await findCustomers(sql, {
    ...query,
    q,
    meant: [...found.keys()],
    isExact,
    ...(plan !== undefined && { where: isOnPlan(sql, plan) }),
  });
  const plans = await plansOfAccounts(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  return {
    rows: rows.map((row) => ({
      ...customerFrom(row, plans.get(row.account_id) ?? null),
      phone: maskedPhone(row.phone),
      found: found.get(row.account_id) ?? null,
    })),
    total,
  };
}

/** A customer as it is answered, with the owner's whole number. */
export const customerFrom = (
  row: CustomerRow,
  plan: contract.DeskCustomer['plan'],
): contract.DeskCustomer => ({
  account_id: publicId('account', row.account_id),
  name: row.name,
  phone: row.phone,
  available: rupiah(row.available),
  held: rupiah(row.held),
  status: row.status,
  state: row.state,
  plan,
  created_at: row.created_at,
});

/** Whose a thing is that the words name, and what it is there. */
type Meant = {
  /** The customers, with what was found at each; null: the customer is what was meant. */
  found: ReadonlyMap<string, FoundThing | null>;
  /** True: the words are an id, which means that and nothing else. */
  isExact: boolean;
};

const NOBODY: Meant = { found: new Map(), isExact: false };

/** What the words of a search mean beside names and owners' numbers. */
async function meantBy(sql: Sql, q: string): Promise<Meant> {
  if (q === '') return NOBODY;
  const byId = await thingOfId(sql, q);
  if (byId) return { found: byId, isExact: true };
  const digits = normalizePhone(q);
  if (/^\d{3,15}$/.test(digits))
    return { ...NOBODY, found: ofTokens(await tokensOfPhones(sql, digits)) };
  // As it is shown: behind an ellipsis or dots, or by itself.
  const [, hint] = /^(?:…|\.{3}|•+)?([0-9A-Za-z]{4})$/.exec(q) ?? [];
  if (hint !== undefined) return { ...NOBODY, found: ofTokens(await tokensOfHint(sql, hint)) };
  if (!looksLikeRef(q)) return NOBODY;
  const message = await messageOfRef(sql, q);
  return message
    ? { ...NOBODY, found: one(message.accountId, 'message', message.messageId) }
    : NOBODY;
}

/** A customer's own reference, or a channel's id: one word with a digit in it. */
const looksLikeRef = (q: string): boolean => /^\S{6,}$/.test(q) && /\d/.test(q);

const one = (accountId: string, kind: FoundThing['kind'], uuid: string) =>
  new Map([[accountId, { kind, id: publicId(kind, uuid) }]]);

const ofTokens = (tokens: readonly HeldToken[]) =>
  new Map(
    tokens.map(({ accountId, tokenId }): [string, FoundThing] => [
      accountId,
      { kind: 'token', id: publicId('token', tokenId) },
    ]),
  );

type Found = Meant['found'];
const nothing: Found = new Map();

/** Whose id it is; `undefined` when the words are no id at all. */
async function thingOfId(sql: Sql, q: string): Promise<Found | undefined> {
  const idOf = (kind: IdKind) =>
    uuidOf(kind, `${idPrefixes[kind]}${q.slice(idPrefixes[kind].length)}`);
  const isKind = (kind: IdKind) => q.toLowerCase().startsWith(idPrefixes[kind].toLowerCase());
  if (isKind('account')) {
    const id = idOf('account');
    return id === undefined ? undefined : new Map([[id, null]]);
  }
  if (isKind('invoice') || /^(INV|CN)\//i.test(q)) {
    const invoice = await holderOfInvoice(sql, q);
    return invoice ? one(invoice.accountId, 'invoice', invoice.invoiceId) : nothing;
  }
  for (const kind of ['message', 'token', 'topup'] as const) {
    const id =
      kind === 'message'
        ? (cloudId(q) ?? (isKind(kind) ? idOf(kind) : undefined))
        : isKind(kind)
          ? idOf(kind)
          : undefined;
    if (id === undefined) continue;
    const accountId = await holders[kind](sql, id);
    return accountId === undefined ? nothing : one(accountId, kind, id);
  }
  return undefined;
}

const holders = { message: holderOfMessage, token: holderOfToken, topup: holderOfTopup };

/** The UUID behind a message's id in the Cloud dialect, `wamid.` and base64url. */
function cloudId(q: string): string | undefined {
  if (!q.startsWith('wamid.')) return undefined;
  const bytes = Buffer.from(q.slice('wamid.'.length), 'base64url');
  if (bytes.length !== 16) return undefined;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
