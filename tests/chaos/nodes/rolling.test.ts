import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { signedIn } from '#tests/support/app/running-app.ts';
import { type Started, addressOf, test } from '#tests/support/app/started-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { keyFor } from '#tests/support/people/people.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { openTab } from './tab.ts';

const CLIENTS = 4;
const THINK_MS = 120;
/** Much longer than this balancer needs: the machine may be four times slower than usual. */
const DRAIN_SECONDS = '3';
const settings = { SIMULATOR_SPEED: '20', RATE_API_PER_SECOND: '1000000' };

type Answers = { accepted: string[]; others: string[] };

/** Sends through the balancer and reads the balance, with short breaks, until stopped. */
async function client(
  { address }: Balancer,
  key: string,
  { name, answers, stop }: { name: string; answers: Answers; stop: AbortSignal },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let n = 0; !stop.aborted; n++) {
    const text = `${name}.${n}`;
    const to = `6281${name}${String(n).padStart(7, '0')}`;
    const body = JSON.stringify({ to, text: { body: text } });
    const sent = await fetch(`${address}/v1/messages`, { method: 'POST', headers, body });
    const answerText = await sent.text();
    if (sent.status === 202) answers.accepted.push(text);
    else answers.others.push(`${text}: ${sent.status} ${answerText}`);
    const balance = await fetch(`${address}/v1/balance`, { headers });
    const saldo = await balance.text();
    if (balance.status !== 200) answers.others.push(`saldo: ${balance.status} ${saldo}`);
    await pause(THINK_MS);
  }
}

const stored = ({ allAccountsSql }: TestDatabase) => allAccountsSql<
  { text: string; rows: number; submits: number; isMarked: boolean; status: string }[]
>`
  select m.body->>'text' as text, count(*)::int as rows, min(m.status) as status,
    coalesce(sum(l.submits), 0)::int as submits,
    bool_or(m.possible_duplicate or l.possible_duplicate) as "isMarked"
  from messages m left join sim_lines l on l.line_id = m.message_id
  where m.direction = 'out' group by 1`;

const leased = ({ allAccountsSql }: TestDatabase) => allAccountsSql`
  select token_id from lanes where lease_until > clock_timestamp()`;

test('loses and doubles nothing while nodes of both kinds are restarted one by one under load', async ({
  db,
  start,
}) => {
  const balancer = await openBalancer();
  onTestFinished(balancer.close);
  const openWeb = async (): Promise<Started & { address: string }> => {
    const node = start({ ROLE: 'web', DRAIN_SECONDS, ...settings });
    const address = await addressOf(node);
    balancer.add(address);
    await waitFor(() => balancer.isReady(address), { what: `${address} to be ready` });
    return { ...node, address };
  };
  const openWorker = async () => {
    const node = start({ ROLE: 'worker', ...settings });
    await waitFor(() => node.out().includes('the application is open'));
    return node;
  };
  const webs = await Promise.all([openWeb(), openWeb()]);
  const workers = await Promise.all([openWorker(), openWorker()]);
  const ani = await signedIn(db, { saldo: 100_000_000, dailyLimit: 1_000_000 });
  const key = await keyFor(db.allAccountsSql, ani);
  const tabs = [1, 2].map(() => openTab(balancer.address, ani.token));
  const stop = new AbortController();
  const answers: Answers = { accepted: [], others: [] };
  const clients = Array.from({ length: CLIENTS }, (_, n) =>
    client(balancer, key, { name: `${n}`, answers, stop: stop.signal }),
  );
  const hasSentMore = () => {
    const from = answers.accepted.length;
    return waitFor(() => answers.accepted.length > from + 10);
  };
  for (const web of webs) {
    await hasSentMore();
    web.child.kill('SIGTERM');
    const code = await web.exit;
    expect([code, web.err()]).toEqual([0, '']);
    // Requests during the drain were answered with `Connection: close`.
    expect(balancer.ended(web.address)).toBeGreaterThan(0);
    await openWeb();
  }
  const endWorkers = async (ones: readonly Started[]) => {
    await hasSentMore();
    for (const { child } of ones) child.kill('SIGTERM');
    for (const { exit, err } of ones) expect([await exit, err()]).toEqual([0, '']);
  };
  const [first, second] = workers;
  await endWorkers([first]);
  const third = await openWorker();
  // The last nodes stop while sending; their successor need not wait for a lease to expire.
  await endWorkers([second, third]);
  expect(await leased(db)).toEqual([]);
  await openWorker();
  await hasSentMore();
  stop.abort();
  await Promise.all(clients);
  expect(balancer.failures).toEqual([]);
  expect(answers.others).toEqual([]);
  const rows = await waitFor(async () => {
    const found = await stored(db);
    expect(found.filter(({ status }) => status !== 'read')).toEqual([]);
    return found;
  });
  expect(rows.map(({ text }) => text).toSorted()).toEqual(answers.accepted.toSorted());
  const odd = rows.filter((row) => row.rows !== 1 || row.submits !== 1 || row.isMarked);
  expect(odd).toEqual([]);
  const [last] = await db.allAccountsSql<{ n: number }[]>`
    select last::int as n from event_positions where account_id = ${ani.accountId}`;
  const all = Array.from({ length: last?.n ?? 0 }, (_, n) => n + 1);
  for (const tab of tabs) {
    await waitFor(() => expect(tab.positions).toEqual(all));
    expect(tab.opened()).toBeGreaterThan(1);
    await tab.close();
  }
});
