import { useQuery } from '@tanstack/react-query';
import type { ChannelName } from '#contract/tokens.ts';
import { configQuery } from '#web/api/configQuery.ts';

export type Sending = {
  /** The address of the API, without a trailing slash. */
  address: string;
  key: string;
  to: string;
};

export const KEY_PLACEHOLDER = 'KUNCI_API_ANDA';
export const FIRST_TEXT = 'Halo dari Kabari';

export const curlOf = ({ address, key }: Sending, body: object): string =>
  `curl ${address}/v1/messages \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`;

export const curlSample = (sending: Sending): string =>
  curlOf(sending, { to: sending.to, text: { body: FIRST_TEXT } });

/** A number that always receives and reads, in the simulator. */
const SIMULATED = '62800000001';
export const SOMEBODY = '6281234567890';

type Sender = {
  key?: string | undefined;
  /** The token's channel; left out where samples are for any. */
  channel?: ChannelName | null | undefined;
};

export function useSending({ key = KEY_PLACEHOLDER, channel }: Sender = {}): Sending {
  const { data: config } = useQuery(configQuery);
  const isSimulated = (channel ?? 'simulator') === 'simulator' && config?.simulator;
  return {
    address: config?.api_url || window.location.origin,
    key,
    to: isSimulated ? SIMULATED : SOMEBODY,
  };
}
