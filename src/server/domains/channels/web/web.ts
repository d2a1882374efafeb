import type { Channel, Outgoing, SendResult, Sinks } from '#server/domains/channels/channels.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { openLeases } from './auth/sessions.ts';
import { type Linking, startLinking } from './linking/linking.ts';
import { pruneWaiting } from './receiving/inbox.ts';
import { sendMessage } from './sending/send.ts';
import { pruneSent } from './sending/sent-storage.ts';
import { paceOf } from './sending/pace.ts';
import { type Phones, startPhones } from './sockets/phones.ts';
import type { WebDeps } from './web-deps.ts';

export { webAccountData } from './account-data.ts';
export { openStandIn } from './engine/stand-in/stand-in.ts';
export { openThreadedEngine } from './engine/thread/threaded-engine.ts';
export { networkQr } from './linking/codes.ts';
export { usualTimings } from './sockets/timings.ts';
export type { WebDeps } from './web-deps.ts';

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

/** Opens the channel `web`: numbers that are linked as devices of WhatsApp Web. */
export function openWebChannel(deps: WebDeps): Channel {
  const leases = openLeases(deps.allAccountsSql, newId());
  let started: { phones: Phones; linking: Linking } | undefined;

  return {
    name: 'web',
    preallocates: true,
    timeoutMs: deps.timings.sendMs + TIMEOUT_MARGIN_MS,
    numbers: {
      held: () => started?.phones.openTokens() ?? [],
      paceMs: (tokenId) => {
        const phone = started?.phones.openPhone(tokenId);
        return phone ? MINUTE_MS / paceOf(phone.firstLinkedAt, new Date()).perMinute : 0;
      },
    },
    send(message, signal) {
      const phone = started?.phones.openPhone(message.tokenId);
      return phone ? sendMessage(deps, phone, message, signal) : away(message);
    },
    async start(sinks: Sinks) {
      const phones = startPhones({ ...deps, leases, sinks: () => sinks });
      const linking = startLinking({ ...deps, leases, onPaired: () => phones.wake() });
      started = { phones, linking };
    },
    async close() {
      const running = started;
      started = undefined;
      await running?.linking.close();
      await running?.phones.close();
      await deps.engine.close();
    },
  };
}

const away = async (_message: Outgoing): Promise<SendResult> => ({
  outcome: 'later',
  afterMs: AWAY_MS,
  failure: 'not_linked',
});
