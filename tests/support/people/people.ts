import { createHash } from 'node:crypto';
import { rupiah } from '#contract/base/money.ts';
import { openWallet, postEntry } from '#server/domains/ledger/ledger.ts';
import { makeKey } from '#server/domains/tokens/keys/key.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';

export type Customer = { accountId: string; userId: string; tokenId: string; phone: string };

let people = 0;

/** A customer with a wallet, a user, and one token that is linked to a simulated phone. */
export async function customerWith(
  sql: Sql,
  {
    saldo = 0,
    dailyLimit = 1000,
    linked = true,
  }: { saldo?: number; dailyLimit?: number; linked?: boolean } = {},
): Promise<Customer> {
  people += 1;
  const accountId = newId();
  const userId = newId();
  const tokenId = newId();
  const phone = `62855${String(people).padStart(7, '0')}`;
  await sql.begin(async (tx) => {
    await tx`insert into accounts (account_id, name) values (${accountId}, ${`Toko ${people}`})`;
    await tx`
      insert into users (account_id, user_id, name, phone, password_hash, role)
      values (${accountId}, ${userId}, ${`Ani ${people}`}, ${phone}, '-', 'customer')`;
    await tx`
      insert into tokens (account_id, token_id, name, channel, status, phone, key_hint, daily_limit)
      values (${accountId}, ${tokenId}, 'Kasir', 'simulator', ${linked ? 'linked' : 'unlinked'},
        ${linked ? phone : null}, 'abcd', ${dailyLimit})`;
    await tx`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
    await openWallet(tx, accountId);
    if (saldo > 0) {
      await postEntry(tx, {
        accountId,
        kind: 'bonus',
        delta: rupiah(saldo),
        contra: 'exp:bonus',
        refType: 'test',
        refId: accountId,
        idemKey: 'bonus:test',
        actor: 'test',
      });
    }
  });
  return { accountId, userId, tokenId, phone };
}

/** A new API key of a customer's token. */
export async function keyFor(
  sql: Sql,
  { accountId, tokenId }: Pick<Customer, 'accountId' | 'tokenId'>,
): Promise<string> {
  const { key, hash } = makeKey('simulator');
  await sql`
    insert into token_keys (key_hash, account_id, token_id) values (${hash}, ${accountId}, ${tokenId})`;
  return key;
}

/** An order of texts, one per price, with fresh ids. */
export function orderOf(
  customer: Pick<Customer, 'accountId' | 'tokenId'>,
  {
    prices = [150],
    key,
    refs = [],
    peers = [],
    text = 'Halo',
  }: {
    prices?: readonly number[];
    key?: string;
    refs?: readonly (string | undefined)[];
    peers?: readonly string[];
    text?: string;
  } = {},
) {
  const hash = createHash('sha256')
    .update(JSON.stringify([prices, refs, peers, text]))
    .digest();
  const items = prices.map((price, index) => ({
    id: newId(),
    tokenId: customer.tokenId,
    peer: peers[index] ?? '6281200000001',
    type: 'text',
    body: { text },
    price: rupiah(price),
    ref: refs[index],
    hash: createHash('sha256').update(`${price} ${text} ${peers[index]}`).digest(),
    priority: 1,
  }));
  return { accountId: customer.accountId, tokenId: customer.tokenId, key, hash, items };
}
