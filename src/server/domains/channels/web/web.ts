import type { Channel, Outgoing, SendResult, Sinks } from '#server/domains/channels/channels.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { openLeases, sealedAuth } from './auth.ts';
import { type Linking, startLinking, sealedCodes } from './linking.ts';
import { pruneWaiting, sealedInbox } from './receiving.ts';
import { sendMessage } from './sending/send.ts';
import { pruneSent, sealedSent } from './sending/sent-storage.ts';
import { paceOf } from './sending/pace.ts';
import { type Phones, startPhones } from './sockets/phones.ts';
import type { WebDeps } from './web-deps.ts';
import type { SealedColumn } from '#server/infra/security/secrets.ts';

export { webAccountData } from './account-data.ts';
export { openStandIn } from './engine/stand-in.ts';
export { openThreadedEngine } from './engine/thread/threaded-engine.ts';
export { networkQr } from './linking.ts';
export { usualTimings } from './sockets/timings.ts';
export type { WebDeps } from './web-deps.ts';

/** All that WhatsApp Web has sealed. */
export const sealedWeb: readonly SealedColumn[] = [
  ...sealedAuth,
  ...sealedCodes,
  sealedSent,
  sealedInbox,
];

/** Forgets what is stored no longer; for the clean-up job. */
export async function pruneWeb(allAccountsSql: Sql): Promise<void> {
  await pruneSent(allAccountsSql);
  await pruneWaiting(allAccountsSql);
}

/** Beside the network's answer: what is read and written around it. */
const TIMEOUT_MARGIN_MS = 10_000;
/** A number that is not connected now is tried again after this long. */
const AWAY_MS = 5_000;
const MINUTE_MS = 60_000;

/** What is started once for each bucket. */
type Started = { phones: Phones; linking: Linking };

/** Opens the channel `web`: numbers that are linked as devices of WhatsApp Web. */
export function openWebChannel(deps: WebDeps): Channel {
  const leases = openLeases(deps.allAccountsSql, newId());
  let started: readonly Started[] = [];
  const openPhone = (tokenId: string) => {
    for (const { phones } of started) {
      const phone = phones.openPhone(tokenId);
      if (phone) return phone;
    }
    return undefined;
  };

  return {
    name: 'web',
    preallocates: true,
    timeoutMs: deps.timings.sendMs + TIMEOUT_MARGIN_MS,
    numbers: {
      held: () => started.flatMap(({ phones }) => phones.openTokens()),
      paceMs: (tokenId) => {
        const phone = openPhone(tokenId);
        return phone ? MINUTE_MS / paceOf(phone.firstLinkedAt, new Date()).perMinute : 0;
      },
    },
    send(message, signal) {
      const phone = openPhone(message.tokenId);
      return phone ? sendMessage(deps, phone, message, signal) : away(message);
    },
    async start(sinks: Sinks) {
      started = deps.startEach(() => {
        const phones = startPhones({ ...deps, leases, sinks: () => sinks });
        const linking = startLinking({ ...deps, leases, onPaired: () => phones.wake() });
        return { phones, linking };
      });
    },
    async close() {
      const running = started;
      started = [];
      await Promise.all(running.map(({ linking }) => linking.close()));
      await Promise.all(running.map(({ phones }) => phones.close()));
      await deps.engine.close();
    },
  };
}

const away = async (_message: Outgoing): Promise<SendResult> => ({
  outcome: 'later',
  afterMs: AWAY_MS,
  failure: 'not_linked',
});
