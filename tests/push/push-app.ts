import { expect } from 'vitest';
import type { Act, InputFor, OutputOf } from '#contract/base/act.ts';
import { pushConfig, registerPush } from '#contract/push.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import {
  type PushDeps,
  pushActs,
  queueNotices,
  startPushSender,
} from '#server/domains/push/push.ts';
import { excerptOf } from '#server/domains/messages/messages.ts';
import type { Call, Nobody, Person } from '#server/infra/acts.ts';
import { readConfig } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { readVapid } from '#server/domains/push/vapid.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { type PushService, startPushService } from './push-service.ts';
import { type Receiver, newReceiver } from './receiver.ts';

type Customer = Awaited<ReturnType<typeof signedIn>>;
export type Shopkeeper = Customer & { caller: Person };
/** A subscribed browser: its token with us, its endpoint, and its decryption keys. */
export type Browser = Receiver & { token: string; endpoint: string };

async function pushApp(db: TestDatabase, service: PushService) {
  const secrets = await readSecrets(db.allAccountsSql);
  const vapid = await readVapid(db.allAccountsSql, secrets);
  const outcomes: string[] = [];
  const lines: string[] = [];
  const troubles: unknown[] = [];
  const deps: PushDeps = {
    allAccountsSql: db.allAccountsSql,
    config: readConfig({ PUBLIC_URL: 'https://kabari.example', PUSH_SERVICES: service.origin }),
    secrets,
    vapid,
    outbound: openOutbound({ listed: [service.origin] }),
    excerptOf,
    log: { warn: (facts, message) => void lines.push(JSON.stringify({ ...facts, message })) },
    report: (trouble) => void troubles.push(trouble),
    onOutcome: (outcome) => void outcomes.push(outcome),
  };
  const sender = startPushSender(deps);
  const handlers = new Map(pushActs(deps).map((one) => [one.act.name, one]));

  async function perform<A extends Act>(
    act: A,
    input: InputFor<A>,
    caller: Person | Nobody = { kind: 'nobody' },
  ): Promise<OutputOf<A>> {
    const call: Call = {
      caller,
      key: crypto.randomUUID(),
      ip: '203.0.113.7',
      agent: 'Firefox',
      device: '',
      requestId: 'test',
    };
    const answer = await handlers.get(act.name)?.handle(call, act.input.parse(input) as never);
    return act.output.parse(answer) as OutputOf<A>;
  }

  const shopkeeper = async (): Promise<Shopkeeper> => {
    const customer = await signedIn(db);
    const { accountId, userId, sessionId } = customer;
    const caller = {
      kind: 'person',
      accountId,
      userId,
      sessionId,
      role: 'customer',
      operatorRoles: [],
    } as const;
    return { ...customer, caller };
  };

  const registration = async (endpoint: string, { keys }: Receiver) => {
    const { vapid_key } = await perform(pushConfig, {});
    return { endpoint, ...keys, vapid_key };
  };

  const browser = async (
    { caller }: { caller: Person },
    { endpoint = service.subscribe(vapid.publicKey), receiver = newReceiver() } = {},
  ): Promise<Browser> => {
    const { token } = await perform(registerPush, await registration(endpoint, receiver), caller);
    return { ...receiver, token, endpoint };
  };

  const receive = (
    { accountId, tokenId }: Pick<Customer, 'accountId' | 'tokenId'>,
    { text = 'Halo, masih buka?', from = '6281234567890', name = 'Budi' } = {},
  ): Promise<unknown> =>
    receiveInbound(
      db.allAccountsSql,
      {
        accountId,
        tokenId,
        from,
        name,
        type: 'text',
        body: { text },
        at: new Date(),
        providerId: newId(),
      },
      queueNotices,
    );

  const makeNoticesDue = () =>
    db.allAccountsSql`update push_queue set ready_at = statement_timestamp()`;

  return {
    deps,
    service,
    sender,
    outcomes,
    lines,
    troubles,
    perform,
    shopkeeper,
    registration,
    browser,
    receive,
    hurry: makeNoticesDue,
  };
}

export type PushApp = Awaited<ReturnType<typeof pushApp>>;

export const test = base.extend<{ push: PushApp }>({
  push: async ({ db }, use) => {
    const service = await startPushService();
    const push = await pushApp(db, service);
    await use(push);
    await push.sender.close();
    await service.close();
    expect(push.troubles).toEqual([]);
  },
});
