import { rupiah } from '#contract/base/money.ts';
import { postEntry } from '#server/domains/ledger/ledger.ts';
import { makeKey } from '#server/domains/tokens/keys.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { customerWith } from '#tests/support/people/people.ts';

export type Sender = { accountId: string; tokenId: string; phone: string; key: string };

export type Senders = {
  /** Their wallets never run dry and they have no daily limit. */
  free: readonly Sender[];
  /** A wallet that runs dry, and a token that reaches its daily limit. */
  short: readonly Sender[];
};

const SHOPS = 3;
/** Each token is a lane: with many lanes, every kill meets some that are sending. */
const TOKENS_PER_SHOP = 8;
const NO_LIMIT = 1_000_000;
const RICH = 900_000_000;

/** Seeds a migrated database with shops that have wallets, tokens, keys and linked phones. */
export async function createSenders(allAccountsSql: Sql): Promise<Senders> {
  const free: Sender[] = [];
  const short: Sender[] = [];
  for (let shop = 0; shop < SHOPS; shop++) {
    const { accountId } = await customerWith(allAccountsSql, { linked: false });
    await fill(allAccountsSql, accountId, RICH);
    for (let n = 0; n < TOKENS_PER_SHOP; n++)
      free.push(await tokenOf(allAccountsSql, accountId, NO_LIMIT));
    if (shop === 0) short.push(await tokenOf(allAccountsSql, accountId, 40));
  }
  const { accountId } = await customerWith(allAccountsSql, { linked: false });
  await fill(allAccountsSql, accountId, 150 * 60);
  for (let n = 0; n < 2; n++) short.push(await tokenOf(allAccountsSql, accountId, NO_LIMIT));
  return { free, short };
}

const fill = (allAccountsSql: Sql, accountId: string, saldo: number) =>
  allAccountsSql.begin((tx) =>
    postEntry(tx, {
      accountId,
      kind: 'bonus',
      delta: rupiah(saldo),
      contra: 'exp:bonus',
      refType: 'test',
      refId: accountId,
      idemKey: 'bonus:chaos',
      actor: 'test',
    }),
  );

let phones = 0;

async function tokenOf(
  allAccountsSql: Sql,
  accountId: string,
  dailyLimit: number,
): Promise<Sender> {
  const tokenId = newId();
  const phone = `62877${String(++phones).padStart(7, '0')}`;
  const { key, hash, hint } = makeKey('simulator');
  await allAccountsSql.begin(async (tx) => {
    await tx`
      insert into tokens (account_id, token_id, name, channel, status, phone, key_hint, daily_limit)
      values (${accountId}, ${tokenId}, 'Kasir', 'simulator', 'linked', ${phone}, ${hint}, ${dailyLimit})`;
    await tx`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
    await tx`
      insert into token_keys (key_hash, account_id, token_id) values (${hash}, ${accountId}, ${tokenId})`;
    await tx`
      insert into linked_phones (channel, phone, account_id, token_id)
      values ('simulator', ${phone}, ${accountId}, ${tokenId})`;
  });
  return { accountId, tokenId, phone, key };
}
