/**
 * `npm run bench:operator`: every page of the operator's side on an installation of 5,000 customers, 200 support
 * threads, 20,000 messages and a million rows of the audit log. Each read act is called as its page calls it, one call
 * at a time and eight at once; times are the caller's, in milliseconds. The control, in the same rounds, is
 * `user_check_token`. Prints p50, p95 and the ratio to the control, and writes them to bench/results.md.
 */
import { randomBytes } from 'node:crypto';
import { acts } from '#contract/acts.ts';
import { publicId } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { openContender } from './lib/contender.ts';
import { BROWSER, type Customer, richCustomers, sendOn, signIn } from './lib/customers.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median, percentile, timed } from './lib/rounds.ts';

const CUSTOMERS = Number(process.env['CUSTOMERS'] ?? 5_000);
const THREADS = Number(process.env['THREADS'] ?? 200);
const AUDIT_LINES = Number(process.env['AUDIT_LINES'] ?? 1_000_000);
const LINES = 4;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SAMPLES = 20;
const SESSIONS = 200;
const MESSAGES_MS = 6_000;
const P95_MS_MAX = 50;
const CONTROL = 'user_check_token';

type Fields = Readonly<Record<string, string>>;
type Case = { act: string; fields: Fields };

const contender = await openContender({ env: { OPERATOR_SECOND_FACTOR: 'optional' } });
const sql = contender.database.allAccountsSql;

/** Calls an act over HTTP. @throws when it is refused. */
async function ask(act: string, fields: Fields): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${contender.app.port}/api`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', cookie: `kabari-device=${BROWSER}` },
    body: new URLSearchParams({ act, fcm: '', ...fields }),
  });
  const body = (await response.json()) as { code: number; msg?: string; error?: { type: string } };
  if (body.code !== 1) throw new Error(`${act}: ${body.error?.type} ${body.msg}`);
  return body;
}

/** Enough operator tokens that none reaches its rate limit. */
async function operatorTokens(): Promise<readonly string[]> {
  const tokens = Array.from(
    { length: SESSIONS },
    () => `kbs_${randomBytes(32).toString('base64url')}`,
  );
  const ids = tokens.map(() => newId());
  await sql`
    insert into users (account_id, user_id, name, phone, password_hash, role, operator_roles)
    select account_id, id, 'Rina', '6281900' || (100000 + n), '-', 'operator', '{admin}'
    from accounts, unnest(${ids}::uuid[]) with ordinality as u(id, n) where is_system`;
  await sql`
    insert into sessions (token_hash, session_id, account_id, user_id, agent, ip, device_hash)
    select decode(hash, 'hex'), gen_random_uuid(), account_id, id, 'bench', '127.0.0.1',
      ${sha256(BROWSER)}
    from accounts, unnest(
      ${tokens.map((token) => sha256(token).toString('hex'))}::text[], ${ids}::uuid[]
    ) as s(hash, id) where is_system`;
  return tokens;
}

async function nameCustomers(allAccountsSql: Sql, customers: readonly Customer[]): Promise<void> {
  const accounts = customers.map(({ accountId }) => accountId);
  await allAccountsSql`
    insert into users (account_id, user_id, name, phone, password_hash, role)
    select id, gen_random_uuid(), 'Ibu Ratna ' || n, '62813' || (10000000 + n), '-', 'customer'
    from unnest(${accounts}::uuid[]) with ordinality as a(id, n)`;
  await allAccountsSql`
    insert into user_phones (phone, account_id, user_id)
    select phone, account_id, user_id from users where role = 'customer'`;
}

async function openThreads(customers: readonly Customer[], operators: readonly string[]) {
  for (const [place, { accountId }] of customers.slice(0, THREADS).entries()) {
    const token = await signIn(sql, accountId);
    const line = (text: string): Fields => ({
      token,
      key: crypto.randomUUID(),
      message_id: crypto.randomUUID(),
      text,
    });
    for (let n = 0; n < LINES; n++)
      await ask('support_send', line(`Pesanan ${place} belum sampai ${n}`));
    if (place % 2 === 0) continue;
    await ask('operator_support_send', {
      ...line('Kami periksa dulu, mohon tunggu.'),
      token: operators[place % operators.length] ?? '',
      account_id: publicId('account', accountId),
    });
  }
}

/**
 * Fills a year of the audit log: an entry for each customer in turn, of ten acts, one in fifty refused. The hashes are
 * dummies, as the chain is not verified here.
 */
async function fillAudit(owner: Sql, customers: readonly Customer[]): Promise<void> {
  const accounts = customers.map(({ accountId }) => accountId);
  await owner.query('alter table audit_log disable trigger user');
  await owner`
    insert into audit_log (
      account_id, audit_id, at, actor, act, outcome, ip, request, facts, seq, salt, digest, hash)
    select a.id, (substr(h.hex, 1, 8) || '-' || substr(h.hex, 9, 4) || '-7'
        || lpad(to_hex(n % 4096), 3, '0') || '-8' || substr(md5(n::text), 1, 3) || '-'
        || substr(md5(n::text), 4, 12))::uuid,
      t.at, a.id::text, (array['user_login', 'token_create', 'topup_create', 'message_send', 'link_create',
        'invoice_pay', 'support_close', 'user_export', 'token_key_renew', 'user_logout'])[1 + n % 10],
      case when n % 50 = 0 then 'not_allowed' else 'ok' end, '203.0.113.7', 'bench', '{}',
      1000 + n, '', sha256(n::text::bytea), sha256(n::text::bytea)
    from generate_series(1, ${AUDIT_LINES}::int) n
    cross join lateral (
      select clock_timestamp() - (${AUDIT_LINES}::int - n) * interval '31 seconds' as at) t
    cross join lateral (
      select lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') as hex) h
    join unnest(${accounts}::uuid[]) with ordinality a(id, place) on a.place = 1 + n % ${accounts.length}::int`;
  await owner.query('alter table audit_log enable trigger user');
}

function casesOf(
  { accountId, tokenId }: Customer,
  { messageId }: { messageId: string },
): readonly Case[] {
  const account_id = publicId('account', accountId);
  const known: Readonly<Record<string, Fields>> = { account_id: { account_id } };
  const plain = acts
    .filter(
      ({ by, changes, streams, audited }) => by === 'operator' && !changes && !streams && !audited,
    )
    .flatMap(({ name, input, list }): Case[] => {
      const shape = (input as unknown as { shape: Record<string, unknown> }).shape;
      const fields = { ...('account_id' in shape && !list && known['account_id']) };
      return input.safeParse(fields).success ? [{ act: name, fields }] : [];
    });
  const deep = String(Math.floor(CUSTOMERS / 10) - 1);
  return [
    { act: CONTROL, fields: {} },
    ...plain,
    { act: 'operator_customer_list', fields: { start: deep, page: deep } },
    { act: 'operator_audit_list', fields: { start: '99', page: '99' } },
    { act: 'operator_audit_list', fields: { act_name: 'topup_create' } },
    { act: 'operator_audit_list', fields: { outcome: 'refused' } },
    { act: 'operator_audit_list', fields: { account_id } },
    { act: 'operator_audit_list', fields: { from: '2026-01-01', to: '2026-06-30' } },
    { act: 'operator_customer_list', fields: { q: 'Ratna 4321' } },
    { act: 'operator_customer_list', fields: { q: '0813-1000-43' } },
    { act: 'operator_customer_list', fields: { q: 'Toko 99' } },
    { act: 'operator_customer_list', fields: { q: publicId('message', messageId) } },
    { act: 'operator_customer_list', fields: { q: 'PO-2026-000042' } },
    { act: 'operator_customer_list', fields: { q: 'INV/2026/11/000042' } },
    { act: 'operator_token_get', fields: { account_id, token_id: publicId('token', tokenId) } },
    { act: 'operator_support_list', fields: { filter: 'waiting' } },
    { act: 'operator_support_list', fields: { filter: 'open', start: '15', page: '15' } },
    { act: 'operator_support_list', fields: { q: 'belum sampai' } },
    { act: 'operator_support_list', fields: { q: 'ratna 12' } },
    { act: 'operator_support_messages', fields: { account_id } },
  ].filter(({ act }) => acts.some(({ name }) => name === act));
}

const nameOf = ({ act, fields }: Case): string =>
  [
    act,
    ...Object.entries(fields)
      .filter(([name]) => !name.endsWith('_id') && name !== 'page')
      .map(([name, value]) => `${name}=${value}`),
  ].join(' ');

try {
  const customers = await richCustomers(sql, CUSTOMERS);
  await nameCustomers(sql, customers);
  const operators = await operatorTokens();
  await openThreads(customers, operators);
  await fillAudit(contender.database.owner, customers);
  await sendOn(contender, customers, { connections: 20, forMs: MESSAGES_MS });
  await sql.query('analyze');
  const [first] = customers;
  const [message] = await sql<{ messageId: string }[]>`
    select message_id as "messageId" from messages order by random() limit 1`;
  if (!first || !message) throw new RangeError('no customers, or no messages');
  let turn = 0;
  const sampled = (one: Case, abreast: number) => async () => {
    const call = () => ask(one.act, { ...one.fields, token: operators[turn++ % SESSIONS] ?? '' });
    const taken: number[] = [];
    while (taken.length < SAMPLES) {
      taken.push(...(await Promise.all(Array.from({ length: abreast }, () => timed(call)))));
    }
    return taken;
  };
  const found: string[][] = [];
  const cases = casesOf(first, message);
  for (const abreast of [1, 8]) {
    const asking = Object.fromEntries(cases.map((one) => [nameOf(one), sampled(one, abreast)]));
    const measured = await interleaved(ROUNDS, asking);
    const control = median(Object.values(measured[CONTROL] ?? []).flat());
    for (const [name, rounds] of Object.entries(measured)) {
      const all = rounds.flat();
      const [p50, p95] = [median(all), percentile(all, 0.95)];
      const mark = abreast === 1 && p95 > P95_MS_MAX ? ' (over)' : '';
      found.push([
        name,
        String(abreast),
        p50.toFixed(1),
        p95.toFixed(1) + mark,
        (p50 / control).toFixed(1),
      ]);
    }
  }
  await report(
    'bench:operator',
    `${CUSTOMERS} customers, ${THREADS} threads; one at a time p95 must be at most ${P95_MS_MAX} ms.\n\n${table(
      ['act', 'at once', 'p50 ms', 'p95 ms', `÷ ${CONTROL}`],
      found,
    )}`,
  );
} finally {
  await contender.close();
}
