import { randomBytes, randomUUID } from 'node:crypto';
import type { Contender } from './contender.ts';
import { cpuBetween } from './cpu.ts';
import { type Load, Wire, loadWith } from './load.ts';
import { rupiah } from '#contract/base/money.ts';
import { openWallet, postEntry } from '#server/domains/ledger/ledger.ts';
import { makeKey } from '#server/domains/tokens/keys.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { sha256 } from '#server/infra/security/secrets.ts';

/** An account with a linked token, its API key, and more saldo than a bench can spend. */
export type Customer = { accountId: string; tokenId: string; key: string };

/** Creates customers with SQL that also fits the schemas of other checkouts. */
export const richCustomers = (allAccountsSql: Sql, count: number): Promise<Customer[]> =>
  Promise.all(Array.from({ length: count }, (_, place) => richCustomer(allAccountsSql, place)));

async function richCustomer(allAccountsSql: Sql, place: number): Promise<Customer> {
  const accountId = newId();
  const tokenId = newId();
  const { key, hash, hint } = makeKey('simulator');
  const phone = `62877${String(place).padStart(8, '0')}`;
  await allAccountsSql.begin(async (tx) => {
    await tx`insert into accounts (account_id, name) values (${accountId}, ${`Toko ${place}`})`;
    await tx`
      insert into tokens (account_id, token_id, name, channel, status, phone, key_hint, daily_limit)
      values (${accountId}, ${tokenId}, 'Kasir', 'simulator', 'linked', ${phone}, ${hint}, 1000000000)`;
    await openWallet(tx, accountId);
    await giveKey(tx, { accountId, tokenId, hash });
  });
  return { accountId, tokenId, key };
}

export async function enrich(
  allAccountsSql: Sql,
  { accountId, tokenId }: Omit<Customer, 'key'>,
): Promise<Customer> {
  const { key, hash, hint } = makeKey('simulator');
  await allAccountsSql.begin(async (tx) => {
    await tx`
      update tokens set key_hint = ${hint}, daily_limit = 1000000000
      where account_id = ${accountId} and token_id = ${tokenId}`;
    await giveKey(tx, { accountId, tokenId, hash });
  });
  return { accountId, tokenId, key };
}

type KeyOf = Omit<Customer, 'key'> & { hash: Buffer };

async function giveKey(tx: Tx, { accountId, tokenId, hash }: KeyOf): Promise<void> {
  await tx`insert into token_keys (key_hash, account_id, token_id) values (${hash}, ${accountId}, ${tokenId})`;
  await postEntry(tx, {
    accountId,
    kind: 'bonus',
    delta: rupiah(1_000_000_000_000),
    contra: 'exp:bonus',
    refType: 'bench',
    refId: accountId,
    idemKey: 'bench',
    actor: 'bench',
  });
}

/** The browser of all sessions here; without its cookie, lasting acts ask for the password. */
export const BROWSER = randomBytes(32).toString('base64url');

export async function signIn(allAccountsSql: Sql, accountId: string): Promise<string> {
  const token = `kbs_${randomBytes(32).toString('base64url')}`;
  const userId = newId();
  await allAccountsSql`
    insert into users (account_id, user_id, name, phone, password_hash, role)
    values (${accountId}, ${userId}, 'Ani', '6281200000001', '-', 'customer')`;
  await allAccountsSql`
    insert into sessions (token_hash, session_id, account_id, user_id, agent, ip, device_hash)
    values (${sha256(token)}, ${newId()}, ${accountId}, ${userId}, 'bench', '127.0.0.1',
      ${sha256(BROWSER)})`;
  return token;
}

let sent = 0;

/** A request with a text, as bytes: phones in random order, and a new idempotency key each time. */
export function sendRequest(port: number, key: string): string {
  sent += 1;
  const to = `62812${String((sent * 7_919_007) % 100_000_000).padStart(8, '0')}`;
  const text = { body: `Pesanan ${sent} sudah kami kirim. Terima kasih.` };
  const body = JSON.stringify({ to, text });
  return (
    `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

export type SendLoad = Load & { appCpu: number; postgresCpu: number };

/**
 * Sends at full speed, one request per connection at a time, for customers in turn.
 *
 * @param apps the processes that take it; the connections are shared out among them.
 */
export async function sendOn(
  { apps, cpu }: Pick<Contender, 'apps' | 'cpu'>,
  customers: readonly Customer[],
  { connections, forMs }: { connections: number; forMs: number },
): Promise<SendLoad> {
  const ports = apps.map(({ port }) => port);
  const portOf = (connection: number) => ports[connection % ports.length] ?? 0;
  const wires = Array.from({ length: connections }, (_, n) => new Wire(portOf(n)));
  const before = await cpu();
  let turn = 0;
  const load = await loadWith(connections, forMs, async (connection) => {
    const customer = customers[turn++ % customers.length];
    const wire = wires[connection];
    if (!customer || !wire) throw new Error('no customer');
    return (await wire.ask(sendRequest(portOf(connection), customer.key))).status === 202;
  });
  for (const wire of wires) wire.close();
  const { appMs, postgresMs } = cpuBetween(before, await cpu());
  return { ...load, appCpu: appMs / load.accepted, postgresCpu: postgresMs / load.accepted };
}
