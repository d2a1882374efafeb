import type { Channel } from '#server/domains/channels/channels.ts';
import {
  openStandIn,
  openThreadedEngine,
  openWebChannel,
  usualTimings,
} from '#server/domains/channels/web/web.ts';
import type { Media } from '#server/domains/media/media.ts';
import { queueNotice } from '#server/domains/push/push.ts';
import type { ConnectDeps } from '#server/domains/tokens/tokens.ts';
import type { Infra, Pools } from './infra.ts';

/** WhatsApp Web in this installation. */
export type WhatsappWeb = {
  channel: Channel;
  /** A simulated phone reads a QR of the stand-in; false when it is none of its. */
  scanStandIn: (text: string, phone: string) => boolean;
};

type Parts = Pick<Pools, 'allAccountsSql'> & { connecting: ConnectDeps; media: Media };

/** How the stand-in behaves where people try things out: receipts, and QRs that change. */
const lifelike = { receiptsMs: 800, qrMs: 20_000 };

/** Opens the channel `web`; undefined where it is switched off. */
export function openWhatsappWeb(
  { config, log, now, place, report, secrets }: Infra,
  { allAccountsSql, connecting, media: { files, library } }: Parts,
): WhatsappWeb | undefined {
  if (!config.CHANNEL_WEB) return undefined;
  const standIn = config.WEB_ENGINE === 'stand-in' ? openStandIn(lifelike) : undefined;
  const channel = openWebChannel({
    allAccountsSql,
    secrets,
    engine: standIn ?? openThreadedEngine({ url: config.WEB_URL, report }),
    connecting,
    library,
    readFile: files.read,
    subscribers: connecting.subscribers,
    startEach: place.startEach,
    queueNotice,
    now,
    log,
    report,
    timings: usualTimings,
  });
  return { channel, scanStandIn: (text, phone) => standIn?.scan(text, phone) ?? false };
}
