import Fastify from 'fastify';
import { randomUUID } from 'node:crypto';
import { rupiah } from '#contract/base/money.ts';
import type { Topup, TopupMethod } from '#contract/saldo.ts';
import { receiveNotice, workInbox } from '#server/domains/payments/gateways/inbox.ts';
import { simulatedGateways } from '#server/domains/payments/gateways/open.ts';
import { findOrder, pollOrders, openSettle } from '#server/domains/payments/gateways/orders.ts';
import { gatewaysOf } from '#server/domains/payments/gateways/registry.ts';
import { openSimulatedGateway } from '#server/domains/payments/gateways/simulated.ts';
import { placeTopup } from '#server/domains/payments/payments.ts';
import { registerCallbacks } from '#server/http/callbacks.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { clockAt, idOf, topupApp } from './topups.ts';

const TIMEOUT_MS = 1_000;

export type GatewayApp = Awaited<ReturnType<typeof gatewayApp>>;

/** Top-ups through a simulated gateway, whose notices come in over HTTP when they are flushed. */
async function gatewayApp(db: TestDatabase, { ppn = false }: { ppn?: boolean } = {}) {
  const clock = clockAt();
  const http = Fastify();
  const address = { url: '' };
  const fake = await openSimulatedGateway({
    callbackUrl: (provider) => `${address.url}/callbacks/${provider}`,
    now: clock.now,
    isAutomatic: false,
  });
  const all = simulatedGateways({ GATEWAY_TIMEOUT_MS: TIMEOUT_MS }, fake);
  const app = await topupApp(db, { ppn, clock, gateways: gatewaysOf(all) });
  const outcomes: string[] = [];
  const observed = {
    ...app.deps,
    onOutcome: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
  };
  const deps = { ...observed, settle: openSettle(observed) };
  registerCallbacks(http, {
    providers: ['midtrans', 'xendit'],
    receive: (provider, notice) => receiveNotice(deps, provider, notice),
    report: deps.report,
  });
  address.url = await http.listen({ host: '127.0.0.1', port: 0 });

  const statusOf = async (topup: Pick<Topup, 'id'>): Promise<string | undefined> => {
    const [row] = await db.allAccountsSql<{ status: string }[]>`
      select status from topups where topup_id = ${idOf(topup)}`;
    return row?.status;
  };
  const work = async (): Promise<void> => {
    while ((await workInbox(deps)) > 0);
  };
  return {
    ...app,
    deps,
    fake,
    http,
    outcomes,
    statusOf,
    order: async (topup: Pick<Topup, 'id'>) => {
      const order = await findOrder(db.allAccountsSql, idOf(topup));
      if (!order) throw new Error('no order');
      return order;
    },
    placed: async (method: TopupMethod = 'qris', amount = 50_000, key: string = randomUUID()) => {
      const owner = await customerWith(db.allAccountsSql);
      const { accountId } = owner;
      return {
        owner,
        topup: await placeTopup(deps, { accountId, key, base: rupiah(amount), method }),
      };
    },
    deliver: async (): Promise<void> => {
      await fake.queue.flush();
      await work();
    },
    work,
    askDue: async (minutes: number): Promise<void> => {
      clock.pass(minutes / 60);
      while ((await pollOrders(deps)) > 0);
    },
    close: async () => {
      await http.close();
      await fake.close();
    },
  };
}

export const test = base.extend<{
  openGateway: (options?: { ppn?: boolean }) => Promise<GatewayApp>;
}>({
  openGateway: async ({ db }, use) => {
    const open: GatewayApp[] = [];
    await use(async (options) => {
      const app = await gatewayApp(db, options);
      open.push(app);
      return app;
    });
    await Promise.all(open.map((app) => app.close()));
  },
});
