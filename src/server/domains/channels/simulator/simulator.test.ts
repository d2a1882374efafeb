import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import type { Act, InputOf, OutputOf } from '#contract/base/act.ts';
import type { ChatContent } from '#contract/messages/content.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  SimulatedPhone,
  simulatedPhone,
  simulatedReply,
  simulatedSample,
  simulatedScan,
  simulatedSwitch,
  simulatedTransfer,
} from '#contract/simulator.ts';
import { linkToken } from '#contract/tokens.ts';
import { consentScan, getScan } from '#contract/scan.ts';
import type { Inbound, Receipt } from '#server/domains/channels/channels.ts';
import { tokenSubscribers as subscribers } from '#server/app/container.ts';
import { tokensActs } from '#server/domains/tokens/tokens.ts';
import type { ActHandler } from '#server/infra/acts.ts';
import { readConfig } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { customerWith, linkPhone } from '#tests/support/people/people.ts';
import { type BankLine, eraseOldLines, openSimulator } from './simulator.ts';

const secrets = secretsFrom(Buffer.alloc(32, 9));
const PHONE = '6281234567890';

type Options = { on?: boolean; speed?: number; linked?: boolean };
type Simulation = Awaited<ReturnType<typeof simulationWith>>;

const test = base.extend<{ openSimulation: (options?: Options) => Promise<Simulation> }>({
  openSimulation: async ({ db }, use) => {
    const opened: Simulation[] = [];
    await use(async (options) => {
      const simulation = await simulationWith(db, options);
      opened.push(simulation);
      return simulation;
    });
    await Promise.all(opened.map(({ simulator }) => simulator.channel.close()));
  },
});

const nothing: ChatContent = {
  type: 'text',
  caption: '',
  url: null,
  external: false,
  filename: null,
  name: null,
  phone: null,
};

async function simulationWith(
  db: TestDatabase,
  { on = true, speed = 0, linked = true }: Options = {},
) {
  const ani = await customerWith(db.allAccountsSql, { linked });
  if (linked) await linkPhone(db.allAccountsSql, ani);
  const receipts: Receipt[] = [];
  const inbound: Inbound[] = [];
  const bank: BankLine[] = [];
  const report = (error: unknown) => {
    throw error;
  };
  const simulator = openSimulator({
    allAccountsSql: db.allAccountsSql,
    config: { SIMULATOR: on, SIMULATOR_SPEED: speed },
    now: () => new Date(),
    connecting: {
      allAccountsSql: db.allAccountsSql,
      secrets,
      sendSystemText: async () => undefined,
      report,
      subscribers,
    },
    library: { take: () => Promise.reject(new Error('no file is expected')) },
    show: (_account, _type, body) => ({ ...nothing, caption: String(body['text']) }),
    receiveBankLine: async (line) => {
      bank.push(line);
      return { matched: line.amount === 50_123 };
    },
    report,
  });
  await simulator.channel.start({
    receipts: async (given) => {
      receipts.push(...given);
      return [];
    },
    inbound: async (given) => void inbound.push(given),
    identified: async () => undefined,
  });
  const handlers: readonly ActHandler[] = [
    ...simulator.acts,
    ...tokensActs({
      sql: db.tenantSql,
      config: readConfig({}),
      secrets,
      subscribers,
      limitOf: async () => undefined,
      isOffered: () => true,
      now: () => new Date(),
    }),
  ];
  const call = { caller: { kind: 'person', accountId: ani.accountId }, agent: 'test' } as never;
  const ask = async <A extends Act>(act: A, input: InputOf<A>) => {
    const handler = handlers.find((one) => one.act.name === act.name)!;
    return (await handler.handle(call, input as never)) as OutputOf<A>;
  };
  return { ani, simulator, ask, receipts, inbound, bank };
}

const send = (
  { simulator, ani }: Awaited<ReturnType<typeof simulationWith>>,
  to: string,
  text: string,
) =>
  simulator.channel.send(
    {
      accountId: ani.accountId,
      tokenId: ani.tokenId,
      messageId: newId(),
      from: ani.phone,
      to,
      type: 'text',
      body: { text },
      possibleDuplicate: false,
      attempt: 1,
    },
    new AbortController().signal,
  );

test('any number has a phone, even before its first message', async ({ openSimulation }) => {
  const { ask } = await openSimulation();
  expect(SimulatedPhone().parse(await ask(simulatedPhone, { phone: PHONE }))).toEqual({
    phone: PHONE,
    offline: false,
    slow: false,
    blocked: false,
    fixed_outcome: null,
    linked_to: [],
    lines: [],
  });
  const fixed = await ask(simulatedPhone, { phone: '62800000003' });
  expect(fixed.fixed_outcome).toContain('tidak terdaftar di jaringan');
});

test('a phone shows received messages and its owner’s answers, oldest first', async ({
  openSimulation,
}) => {
  const simulation = await openSimulation();
  await send(simulation, PHONE, 'Halo');
  const phone = await simulation.ask(simulatedReply, {
    phone: PHONE,
    to: simulation.ani.phone,
    text: 'Ya',
  });
  expect(phone.lines).toMatchObject([
    { direction: 'in', peer: simulation.ani.phone, content: { caption: 'Halo' } },
    { direction: 'out', peer: simulation.ani.phone, content: { caption: 'Ya' } },
  ]);
  await waitFor(() => expect(simulation.inbound).toHaveLength(1));
  expect(simulation.inbound[0]).toMatchObject({
    accountId: simulation.ani.accountId,
    tokenId: simulation.ani.tokenId,
    from: PHONE,
    type: 'text',
    body: { text: 'Ya' },
    providerId: phone.lines[1]!.id,
  });
});

test('refuses to write to a number without a token', async ({ openSimulation }) => {
  const { ask } = await openSimulation();
  await expect(
    ask(simulatedReply, { phone: PHONE, to: '6281999999999', text: 'Ya' }),
  ).rejects.toEqual(new Refusal('not_found', { what: 'Nomor tujuan' }));
});

test('an offline phone neither reports nor answers until it is switched on again', async ({
  openSimulation,
}) => {
  const simulation = await openSimulation();
  const { ask, ani, receipts, inbound } = simulation;
  const off = { phone: PHONE, offline: '1', slow: '0', blocked: '0' } as const;
  expect(await ask(simulatedSwitch, off)).toMatchObject({ offline: true, slow: false });
  await send(simulation, PHONE, 'Halo');
  await ask(simulatedReply, { phone: PHONE, to: ani.phone, text: 'Ya' });
  await send(simulation, '6281999999999', 'Halo');
  await waitFor(() => expect(receipts).toHaveLength(2));
  expect(inbound).toEqual([]);

  await ask(simulatedSwitch, { ...off, offline: '0' });
  await waitFor(() => expect([receipts.length, inbound.length]).toEqual([4, 1]));
});

test('a phone that has blocked the sender refuses until it is switched back', async ({
  openSimulation,
}) => {
  const simulation = await openSimulation();
  const blocked = { phone: PHONE, offline: '0', slow: '0', blocked: '1' } as const;
  await simulation.ask(simulatedSwitch, blocked);
  expect(await send(simulation, PHONE, 'Halo')).toEqual({ outcome: 'failed', failure: 'blocked' });
  await simulation.ask(simulatedSwitch, { ...blocked, blocked: '0' });
  expect(await send(simulation, PHONE, 'Halo')).toEqual({ outcome: 'sent' });
});

async function shownQr({ ask, ani }: Simulation) {
  const { path } = await ask(linkToken, { token_id: ani.tokenId });
  const data = path.slice('/scan/'.length);
  const { nonce } = await ask(consentScan, { data });
  const look = () => ask(getScan, { data, nonce });
  const { qr } = await look();
  return { look, text: qr!.text };
}

test('scanning the QR links the phone to the token', async ({ openSimulation }) => {
  const simulation = await openSimulation({ linked: false });
  const { look, text } = await shownQr(simulation);
  const phone = await simulation.ask(simulatedScan, { phone: PHONE, text });
  expect(phone.linked_to).toEqual(['Kasir']);
  expect((await look()).state).toBe('connected');
});

test('at a realistic pace the link is scanned first and connected a moment later', async ({
  openSimulation,
}) => {
  const simulation = await openSimulation({ linked: false, speed: 20 });
  const { look, text } = await shownQr(simulation);
  expect((await simulation.ask(simulatedScan, { phone: PHONE, text })).linked_to).toEqual([]);
  expect((await look()).state).toBe('scanned');
  await waitFor(async () => expect((await look()).state).toBe('connected'));
});

test('connects a phone that was scanning when the process died', async ({ db, openSimulation }) => {
  const simulation = await openSimulation({ linked: false, speed: 1 });
  const { look, text } = await shownQr(simulation);
  await simulation.ask(simulatedScan, { phone: PHONE, text });
  await simulation.simulator.channel.close();
  await db.allAccountsSql`update sim_events set due_at = statement_timestamp()`;
  expect((await look()).state).toBe('scanned');

  await openSimulation();
  await waitFor(async () => expect((await look()).state).toBe('connected'));
});

test('a link ended between scanning and connecting stays ended, and nothing hangs', async ({
  db,
  openSimulation,
}) => {
  const simulation = await openSimulation({ linked: false, speed: 1 });
  const { look, text } = await shownQr(simulation);
  await simulation.ask(simulatedScan, { phone: PHONE, text });
  await db.allAccountsSql`update links set state = 'expired'`;
  await db.allAccountsSql`update sim_events set due_at = statement_timestamp()`;
  await waitFor(async () => expect(await db.allAccountsSql`select * from sim_events`).toEqual([]));
  expect((await look()).state).toBe('expired');
});

test('refuses a stale, used or foreign QR, and a taken phone, with a sentence', async ({
  openSimulation,
}) => {
  const simulation = await openSimulation({ linked: false });
  const { text } = await shownQr(simulation);
  await expect(simulation.ask(simulatedScan, { phone: PHONE, text: 'halo' })).rejects.toEqual(
    new Refusal('qr_stale', {}),
  );
  await simulation.ask(simulatedScan, { phone: PHONE, text });
  await expect(simulation.ask(simulatedScan, { phone: PHONE, text })).rejects.toEqual(
    new Refusal('link_gone', {}),
  );
  const next = await openSimulation({ linked: false });
  const { text: another } = await shownQr(next);
  await expect(next.ask(simulatedScan, { phone: PHONE, text: another })).rejects.toEqual(
    new Refusal('phone_taken', {}),
  );
});

test('stores a transfer as a bank line, and reports whether it paid a top-up', async ({
  openSimulation,
}) => {
  const { ask, bank } = await openSimulation();
  const paid = await ask(simulatedTransfer, { amount: 50_123, sender: 'Ani' });
  const unknown = await ask(simulatedTransfer, { amount: 50_124, sender: 'Ani' });
  expect(paid).toEqual({ reference: bank[0]!.reference, amount: 50_123, matched: true });
  expect(unknown.matched).toBe(false);
  expect(bank[0]).toMatchObject({ amount: 50_123, sender: 'Ani', at: expect.any(Date) });
  expect(paid.reference).not.toBe(unknown.reference);
});

test('a phone sends a sample of each kind, and none to a number that is not linked', async ({
  openSimulation,
}) => {
  const { ask, ani } = await openSimulation();
  await ask(simulatedSample, { phone: PHONE, to: ani.phone, what: 'location' });
  await waitFor(async () => {
    const { lines } = await ask(simulatedPhone, { phone: PHONE });
    expect(lines.at(-1)).toMatchObject({ direction: 'out', peer: ani.phone });
  });
  await expect(
    ask(simulatedSample, { phone: PHONE, to: '6281999999999', what: 'contact' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('treats its acts as unknown where the simulator is off', async ({ openSimulation }) => {
  const { simulator } = await openSimulation({ on: false });
  expect(simulator.acts).toHaveLength(7);
  for (const { act, handle } of simulator.acts) {
    const answer = handle({} as never, { phone: PHONE } as never) as Promise<unknown>;
    await expect(answer, act.name).rejects.toEqual(new Refusal('act_unknown', {}));
  }
});

test('a phone deletes its messages after a day, codes included', async ({ db, openSimulation }) => {
  const simulation = await openSimulation();
  await send(simulation, PHONE, 'Kode: 111111');
  await db.allAccountsSql`update sim_lines set at = statement_timestamp() - interval '25 hours'`;
  await send(simulation, PHONE, 'Kode: 222222');
  await eraseOldLines(db.allAccountsSql);
  const { lines } = await simulation.ask(simulatedPhone, { phone: PHONE });
  expect(lines.map(({ content }) => content.caption)).toEqual(['Kode: 222222']);
});
