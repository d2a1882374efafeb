import { StartError } from '#server/infra/start-error.ts';
import { address, text, whole } from './readers.ts';
import { optional, setting } from './setting.ts';

export const gatewaySettings = {
  MIDTRANS_SERVER_KEY: optional(
    'The server key of Midtrans. With it top-ups are paid by QRIS, virtual accounts and Snap.',
    text,
    { secret: true },
  ),
  MIDTRANS_URL: setting(
    'Where the Core API of Midtrans is; `https://api.sandbox.midtrans.com` for trying things out.',
    address,
    'https://api.midtrans.com',
  ),
  MIDTRANS_SNAP_URL: setting(
    'Where Snap of Midtrans is; `https://app.sandbox.midtrans.com/snap/v1` for trying things out.',
    address,
    'https://app.midtrans.com/snap/v1',
  ),
  XENDIT_SECRET_KEY: optional(
    'The secret key of Xendit. With it top-ups are paid on the invoice page of Xendit.',
    text,
    { secret: true },
  ),
  XENDIT_CALLBACK_TOKEN: optional(
    'The verification token of callbacks, from the dashboard of Xendit, where `PUBLIC_URL` and `/callbacks/xendit` is entered for paid invoices; needed beside the key.',
    text,
    { secret: true },
  ),
  XENDIT_URL: setting('Where the API of Xendit is.', address, 'https://api.xendit.co'),
  GATEWAY_TIMEOUT_MS: setting(
    'How long a payment gateway may take to answer, in milliseconds.',
    whole(100, 60_000),
    '10000',
  ),
  QRIS_MAX: setting(
    'The largest payment by QRIS, in whole rupiah, PPN included.',
    whole(10_000, 100_000_000),
    '10000000',
  ),
};

type Given = {
  [Name in 'MIDTRANS_SERVER_KEY' | 'XENDIT_SECRET_KEY' | 'XENDIT_CALLBACK_TOKEN']?:
    | string
    | undefined;
} & { [Name in 'MIDTRANS_URL' | 'MIDTRANS_SNAP_URL' | 'XENDIT_URL']: string };

/** @throws StartError if callbacks could be forged, or a key would be sent in clear text. */
export function refuseUnsafeGateways(given: Given, production: boolean): void {
  if (given.XENDIT_SECRET_KEY !== undefined && given.XENDIT_CALLBACK_TOKEN === undefined) {
    throw new StartError('XENDIT_SECRET_KEY needs XENDIT_CALLBACK_TOKEN.');
  }
  if (!production) return;
  for (const name of ['MIDTRANS_URL', 'MIDTRANS_SNAP_URL', 'XENDIT_URL'] as const) {
    if (given[name].startsWith('http:')) {
      throw new StartError(`${name} must begin with https:// when NODE_ENV=production.`);
    }
  }
}
