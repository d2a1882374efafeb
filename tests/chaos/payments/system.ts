import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { toPairs } from '#contract/base/form.ts';
import { UPLOAD_PATH } from '#contract/uploads.ts';
import { retrying } from '#server/infra/postgres/database.ts';
import {
  type SimulatedGateway,
  openSimulatedGateway,
  postNotice,
} from '#server/domains/payments/gateways/simulated.ts';
import { type Resources, openResources } from '#tests/chaos/faults/resources.ts';
import { signedIn } from '#tests/support/app/running-app.ts';
import { formWith } from '#tests/support/app/uploads-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type HeldGateway, openHeldGateway } from './held-gateway.ts';
import { browserOf } from '#tests/support/people/people.ts';

export type Victim = 'application' | 'database';

export type Person = { accountId: string; token: string };

export type Answer = {
  code: number;
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of any shape.
  data: any;
};

export type System = {
  resources: Resources;
  fake: SimulatedGateway;
  heldGateway: HeldGateway;
  /** Notices: whether their answers or they themselves are lost, and the answers so far. */
  notices: { losesAnswers: boolean; isLost: boolean; answers: number[] };
  /** Calls the application once. @throws if it does not answer. */
  ask(person: Person | undefined, act: string, fields?: Record<string, unknown>): Promise<Answer>;
  upload(person: Person, text: string): Promise<string>;
  customer(saldo?: number): Promise<Person>;
  operator(): Promise<Person>;
  now(): Date;
  /** Advances the time and runs due work. Repeated until the application has taken it. */
  pass(seconds: number): Promise<void>;
  /** The same, in a single call. @throws if the application does not answer. */
  passOnce(seconds: number): Promise<void>;
  kill(victim: Victim): Promise<void>;
  /** Restarts the victim unless something else does; resolves when the application answers. */
  recover(): Promise<void>;
  close(): Promise<string[]>;
};

export async function openSystem(): Promise<System> {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const notices: System['notices'] = { losesAnswers: false, isLost: false, answers: [] };
  const address = (): string => {
    const found = resources.nodes[0]?.address();
    if (found === undefined) throw new Error('the application does not run');
    return found;
  };
  const fake = await openSimulatedGateway({
    now,
    isAutomatic: false,
    callbackUrl: (provider) => `/callbacks/${provider}`,
    // The application has another address after each start.
    deliver: async (notice) => {
      // Acknowledged, so that it is never sent again.
      if (notices.isLost) return 200;
      const base = resources.nodes[0]?.address() ?? 'http://127.0.0.1:9';
      const status = await postNotice({ ...notice, url: base + notice.url });
      notices.answers.push(status);
      return notices.losesAnswers ? 0 : status;
    },
  });
  const heldGateway = await openHeldGateway(fake.url);
  const resources = await openResources('own', { more: settingsOf(fake, heldGateway) });
  const { allAccountsSql } = resources;

  const post = async (person: Person | undefined, path: string, init: RequestInit) => {
    const base = address();
    const response = await fetch(base + path, {
      method: 'POST',
      ...init,
      headers: {
        origin: base,
        cookie: `kabari-device=${browserOf(person?.token ?? '')}`,
        ...init.headers,
      },
      signal: AbortSignal.timeout(30_000),
    });
    return response.text();
  };
  const ask: System['ask'] = async (person, act, fields = {}) => {
    const form = { act, token: person?.token ?? '', fcm: '', key: randomUUID(), ...fields };
    const body = new URLSearchParams(toPairs(form));
    return JSON.parse(await post(person, '/api', { body })) as Answer;
  };
  const reach = async () => {
    const answer = await ask(undefined, 'simulator_clock', { to: now().toISOString() });
    expect(answer).toMatchObject({ code: 1 });
  };
  let killed: { victim: Victim; postmaster: number } | undefined;
  return {
    resources,
    fake,
    heldGateway,
    notices,
    ask,
    upload: async (person, text) => {
      const file = { name: 'mutasi.csv', type: 'text/csv', bytes: Buffer.from(text) };
      const { body, type } = formWith(file, { purpose: 'statement' });
      const headers = { 'content-type': type, authorization: `Bearer ${person.token}` };
      return post(person, UPLOAD_PATH, { body: new Uint8Array(body), headers });
    },
    customer: (saldo = 0) => signedIn({ allAccountsSql }, { saldo }),
    operator: () => operatorOf(resources),
    now,
    pass: async (seconds) => {
      aheadMs += seconds * 1_000;
      await waitFor(reach);
    },
    passOnce: async (seconds) => {
      aheadMs += seconds * 1_000;
      await reach();
    },
    kill: async (victim) => {
      const [node] = resources.nodes;
      const postmaster = await resources.postmaster();
      killed = { victim, postmaster };
      if (victim === 'database') await resources.signalPostmaster('SIGKILL');
      else expect(await node?.kill()).toBe(true);
    },
    recover: async () => {
      if (killed?.victim === 'application') await resources.nodes[0]?.start();
      else {
        const old = killed?.postmaster;
        await waitFor(async () => expect(await resources.postmaster()).not.toBe(old));
      }
      // A new process does not know the time that was advanced before.
      await waitFor(reach);
    },
    close: async () => {
      const left = await resources.close();
      await heldGateway.close();
      await fake.close();
      return [...left, ...resources.nodes.flatMap(({ deaths }) => deaths)];
    },
  };
}

const settingsOf = ({ keys }: SimulatedGateway, { url }: HeldGateway) => ({
  CLOCK: 'movable',
  // A test calls once, so a loaded machine must not refuse it as busy.
  BUSY_DELAY_MS: '0',
  MIDTRANS_SERVER_KEY: keys.serverKey,
  MIDTRANS_URL: url,
  MIDTRANS_SNAP_URL: `${url}/snap/v1`,
  XENDIT_SECRET_KEY: keys.secretKey,
  XENDIT_CALLBACK_TOKEN: keys.callbackToken,
  XENDIT_URL: url,
});

async function operatorOf({ allAccountsSql, owner }: Resources): Promise<Person> {
  const person = await signedIn({ allAccountsSql });
  await retrying(async () => {
    await owner`
      update users set role = 'operator', operator_roles = '{money}'
      where account_id = ${person.accountId}`;
    await owner`
      update sessions set reauth_at = clock_timestamp() where account_id = ${person.accountId}`;
  });
  return person;
}
