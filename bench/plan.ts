/**
 * `npm run bench:plan`: cost of accepting a message of an account with a plan, compared with one without, in the same
 * rounds on the same application: within its quota, beyond it, and at its edge. Prints ratios and writes them to
 * bench/results.md.
 */
import { openContender } from './lib/contender.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from './lib/customers.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median } from './lib/rounds.ts';

const WALLETS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 3000);

const contender = await openContender({ env: { ROLE: 'web' } });
const { allAccountsSql } = contender.database;
const customers = await richCustomers(allAccountsSql, 3 * WALLETS);
const [without, within, beyond] = [0, 1, 2].map((part) =>
  customers.slice(part * WALLETS, (part + 1) * WALLETS),
) as [Customer[], Customer[], Customer[]];
const allow = (some: readonly Customer[], quota: number) =>
  Promise.all(
    some.map(
      ({ accountId }) =>
        allAccountsSql`select set_plan_allowance(${accountId}, ${quota}, 75, false)`,
    ),
  );
await allow(within, 2_000_000_000);
await allow(beyond, 0);

const sending = (some: readonly Customer[], connections: number) => () =>
  sendOn(contender, some, { connections, forMs: ROUND_MS });

const groups = { 'without a plan': without, 'within its quota': within, 'beyond it': beyond };
const cases: Record<string, () => Promise<SendLoad>> = {};
for (const connections of [50, 1]) {
  for (const [name, some] of Object.entries(groups)) {
    cases[`${name}, ${connections} connection${connections > 1 ? 's' : ''}`] = sending(
      some,
      connections,
    );
  }
}

/** The median ratio of the rounds to accounts without a plan, at equal connections. */
function ratioOf(
  name: string,
  measured: Readonly<Record<string, SendLoad[]>>,
  figure: (load: SendLoad) => number,
): string {
  const control = measured[`without a plan,${name.slice(name.indexOf(',') + 1)}`] ?? [];
  const ratios = (measured[name] ?? []).map(
    (load, round) => figure(load) / figure(control[round] ?? load),
  );
  return median(ratios).toFixed(2);
}

try {
  await sending(customers, 50)();
  const measured = await interleaved(ROUNDS, cases);
  const cpu = ({ appCpu, postgresCpu }: SendLoad) => appCpu + postgresCpu;
  const body = Object.entries(measured).map(([name, loads]) => [
    name,
    ratioOf(name, measured, cpu),
    ratioOf(name, measured, ({ p50Ms }) => p50Ms),
    median(loads.map(cpu)).toFixed(3),
    String(Math.round(median(loads.map(({ perSecond }) => perSecond)))),
    String(loads.reduce((sum, { refused }) => sum + refused, 0)),
  ]);
  const head = ['case', 'CPU ÷ without', 'p50 ÷ without', 'CPU ms each', '/s', 'refused'];
  await report('plan: accepting with a plan and without', table(head, body));
} finally {
  await contender.close();
}
