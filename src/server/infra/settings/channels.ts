import { address, oneOf, socketAddress, switched, whole } from './readers.ts';
import { optional, setting } from './setting.ts';

/** Settings of the real networks. */
export const channelSettings = {
  CHANNEL_CLOUD: setting(
    'Whether tokens may send by the WhatsApp Cloud API of Meta.',
    switched,
    'on',
  ),
  CLOUD_URL: setting(
    'Where the Cloud API is, its version included. Another one for trying things out.',
    address,
    'https://graph.facebook.com/v23.0',
  ),
  CLOUD_TIMEOUT_MS: setting(
    'How long the Cloud API may take to answer, in milliseconds.',
    whole(100, 120_000),
    '20000',
  ),
  CHANNEL_WEB: optional(
    'Whether tokens may send by WhatsApp Web, with an unofficial client. Without it on, except in production.',
    switched,
  ),
  WEB_ENGINE: setting(
    'The client of WhatsApp Web: `baileys`, or `stand-in`, a network inside the process for trying things out.',
    oneOf('baileys', 'stand-in'),
    'baileys',
  ),
  WEB_URL: optional(
    'Where WhatsApp Web is, for trying things out. Without it WhatsApp itself.',
    socketAddress,
  ),
};
