import type { GatewayMethod, PaymentGateway, Provider } from './gateway.ts';
import { providerOf } from './gateway.ts';
import { createMidtrans } from './midtrans.ts';
import { createXendit } from './xendit.ts';
import type { Config } from '#server/infra/config.ts';

/** The gateways of this installation: those with a key, or the simulated ones. */
export type Gateways = {
  /** The gateway of an order; undefined if it is no longer configured, or differs in `simulated`. */
  find(order: { provider: string; simulated: boolean }): PaymentGateway | undefined;
  forMethod(method: GatewayMethod): PaymentGateway | undefined;
  named(provider: string): PaymentGateway | undefined;
  readonly isEmpty: boolean;
};

export function gatewaysOf(all: readonly PaymentGateway[]): Gateways {
  const named = (provider: string) => all.find((one) => one.provider === provider);
  return {
    named,
    find: ({ provider, simulated }) => {
      const found = named(provider);
      return found?.simulated === simulated ? found : undefined;
    },
    forMethod: (method) => named(providerOf(method)),
    isEmpty: all.length === 0,
  };
}

export const noGateways: Gateways = gatewaysOf([]);

export type GatewaySettings = Pick<
  Config,
  | 'MIDTRANS_SERVER_KEY'
  | 'MIDTRANS_URL'
  | 'MIDTRANS_SNAP_URL'
  | 'XENDIT_SECRET_KEY'
  | 'XENDIT_CALLBACK_TOKEN'
  | 'XENDIT_URL'
  | 'GATEWAY_TIMEOUT_MS'
  | 'PUBLIC_URL'
>;

export const callbackPath = (provider: Provider): string => `/callbacks/${provider}`;

/** The gateways in the settings. @param simulated true when the addresses are of simulated ones. */
export function readGateways(settings: GatewaySettings, simulated = false): PaymentGateway[] {
  const { PUBLIC_URL, GATEWAY_TIMEOUT_MS: timeoutMs } = settings;
  const gateways: PaymentGateway[] = [];
  const finishUrl = PUBLIC_URL === undefined ? undefined : `${PUBLIC_URL}/saldo`;
  const same = { timeoutMs, simulated, finishUrl };
  if (settings.MIDTRANS_SERVER_KEY !== undefined) {
    gateways.push(
      createMidtrans({
        ...same,
        serverKey: settings.MIDTRANS_SERVER_KEY,
        coreUrl: settings.MIDTRANS_URL,
        snapUrl: settings.MIDTRANS_SNAP_URL,
        callbackUrl: PUBLIC_URL === undefined ? undefined : PUBLIC_URL + callbackPath('midtrans'),
      }),
    );
  }
  if (settings.XENDIT_SECRET_KEY !== undefined && settings.XENDIT_CALLBACK_TOKEN !== undefined) {
    gateways.push(
      createXendit({
        ...same,
        secretKey: settings.XENDIT_SECRET_KEY,
        callbackToken: settings.XENDIT_CALLBACK_TOKEN,
        url: settings.XENDIT_URL,
      }),
    );
  }
  return gateways;
}
