import type { TopupDeps } from '#server/domains/payments/deps.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import type { Config } from '#server/infra/config.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Counter } from '#server/infra/observability/metrics.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { GatewayTrouble, type NoticeHeaders, PaymentAlert } from './gateway.ts';
import { type Received, receiveNotice } from './inbox.ts';
import { openSettle } from './orders.ts';
import { type GatewaySettings, type Gateways, gatewaysOf, readGateways } from './registry.ts';
import { type SimulatedGateway, openSimulatedGateway } from './simulated.ts';

export type OpenGatewaysDeps = {
  sql: Sql;
  allAccountsSql: Sql;
  prices: Prices;
  config: GatewaySettings & TopupDeps['config'] & Pick<Config, 'ROLE' | 'SIMULATOR' | 'production'>;
  log: Log;
  outcomes: Counter;
  now: () => Date;
  report: (trouble: unknown) => void;
};

export type OpenGateways = {
  gateways: Gateways;
  deps: TopupDeps;
  simulated: SimulatedGateway | undefined;
  receive(provider: string, notice: { headers: NoticeHeaders; raw: Buffer }): Promise<Received>;
  onNotice(wake: () => void): void;
  close(): Promise<void>;
};

const callbackStatus: Readonly<Record<Received, number>> = {
  stored: 200,
  known: 200,
  forged: 401,
  malformed: 400,
  unserved: 404,
};

/**
 * Opens the gateways in the settings; without any, outside production and with the simulator on, a simulated one. It
 * keeps its orders in memory, so it needs an installation with a single process.
 */
export async function openGateways(given: OpenGatewaysDeps): Promise<OpenGateways> {
  const { config, log, outcomes } = given;
  let wake = (): void => undefined;
  const real = readGateways(config);
  const isSimulated =
    real.length === 0 && config.SIMULATOR && !config.production && config.ROLE === 'all';
  const receive: OpenGateways['receive'] = async (provider, notice) => {
    const received = await receiveNotice(deps, provider, notice);
    if (received === 'stored') wake();
    return received;
  };
  const simulated = isSimulated
    ? await openSimulatedGateway({
        callbackUrl: (provider) => `app:/callbacks/${provider}`,
        // Calls `receive` directly, because the application may have no address yet; everything else is as in
        // production.
        deliver: async ({ order, headers, body }) =>
          callbackStatus[await receive(order.provider, { headers, raw: Buffer.from(body) })],
      })
    : undefined;
  const gateways = gatewaysOf(simulated ? simulatedGateways(config, simulated) : real);
  const reporting = {
    ...given,
    report: (trouble: unknown) => {
      if (trouble instanceof PaymentAlert)
        log.error({ err: trouble }, 'a payment needs an operator');
      else if (trouble instanceof GatewayTrouble) {
        log.warn({ err: trouble }, 'a payment gateway has trouble');
      } else given.report(trouble);
    },
    onOutcome: (outcome: { provider: string; outcome: string }) => outcomes.add(outcome),
  };
  const deps: TopupDeps = { ...reporting, gateways, settle: openSettle(reporting) };
  return {
    gateways,
    deps,
    simulated,
    receive,
    onNotice: (wakeWorker) => void (wake = wakeWorker),
    close: async () => simulated?.close(),
  };
}

export const simulatedGateways = (
  { GATEWAY_TIMEOUT_MS }: Pick<GatewaySettings, 'GATEWAY_TIMEOUT_MS'>,
  { url, keys }: Pick<SimulatedGateway, 'url' | 'keys'>,
) =>
  readGateways(
    {
      PUBLIC_URL: undefined,
      GATEWAY_TIMEOUT_MS,
      MIDTRANS_SERVER_KEY: keys.serverKey,
      MIDTRANS_URL: url,
      MIDTRANS_SNAP_URL: `${url}/snap/v1`,
      XENDIT_SECRET_KEY: keys.secretKey,
      XENDIT_CALLBACK_TOKEN: keys.callbackToken,
      XENDIT_URL: url,
    },
    true,
  );
