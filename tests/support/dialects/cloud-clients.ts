import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { Client } from '@great-detail/whatsapp';
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { WhatsAppAPI } from 'whatsapp-api-js';

export type CloudAddress = { origin: string; key: string; numberId: string };

export const to = '6281234567890';

export const kapso = ({ origin, key }: Pick<CloudAddress, 'origin' | 'key'>) =>
  new WhatsAppClient({ baseUrl: origin, accessToken: key });
export const greatDetail = ({ origin, key }: Pick<CloudAddress, 'origin' | 'key'>) =>
  new Client({ baseUrl: origin, request: { headers: { Authorization: `Bearer ${key}` } } });
/** It has no setting for the address, so its `fetch` replaces the host. */
export const apiJs = ({ origin, key }: Pick<CloudAddress, 'origin' | 'key'>) =>
  new WhatsAppAPI({
    token: key,
    appSecret: 'rahasia',
    v: 'v23.0',
    ponyfill: {
      fetch: ((url: string | URL, options?: RequestInit) =>
        fetch(String(url).replace('https://graph.facebook.com', origin), options)) as typeof fetch,
    },
  });
const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
export const chatAdapter = ({ origin, key, numberId }: CloudAddress) =>
  createWhatsAppAdapter({
    apiUrl: origin,
    accessToken: key,
    phoneNumberId: numberId,
    appSecret: 'rahasia',
    verifyToken: 'sandi',
    logger: quiet,
  });
