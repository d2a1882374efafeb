import { createHmac } from 'node:crypto';
import { type Contender, openContender } from '#bench/lib/contender.ts';
import { cpuBetween } from '#bench/lib/cpu.ts';
import { type Customer, type SendLoad, richCustomers, sendOn } from '#bench/lib/customers.ts';
import { Wire } from '#bench/lib/load.ts';
import { interleaved } from '#bench/lib/rounds.ts';
import { publicId } from '#contract/base/ids.ts';
import { storeNumber } from '#server/domains/channels/cloud/numbers.ts';
import { type Secrets, readSecrets } from '#server/infra/security/secrets.ts';
import { type Acceptor, CONNECTIONS, openAcceptor } from '#bench/way/acceptor.ts';
import { type Figure, type Part, figuresTable, forEach, withContenders } from '#bench/way/part.ts';
import { untilAll } from '#bench/way/settled.ts';

const CUSTOMERS = 50;
const SEND_MS = Number(process.env['RECEIPTS_SEND_MS'] ?? 8_000);
const SENT_MS_MAX = 120_000;
const APP_SECRET = 'rahasia-aplikasi-meta';
const WABA = '106540352242000';
/** Phones so slow that they send no receipt. */
const SIMULATOR_SPEED = '0.0001';

type CallbackSubject = Contender & {
  customers: readonly Customer[];
  acceptor: Acceptor;
};

/**
 * Assigns each customer a number of the Cloud API, in the database only: it never sends. A job removes the numbers of
 * tokens on other channels, so they are stored once that job has run.
 *
 * @returns the secret part of each token's callback address, by the token's id.
 */
async function numbersOf(
  { database: { allAccountsSql: sql } }: Contender,
  customers: readonly Customer[],
): Promise<Map<string, string>> {
  const secrets: Secrets = await readSecrets(sql);
  for (const [place, { accountId, tokenId }] of customers.entries()) {
    await sql.begin((tx) =>
      storeNumber(
        tx,
        { secrets },
        {
          accountId,
          tokenId,
          phoneNumberId: String(200_000_000 + place),
          wabaId: WABA,
          accessToken: 'EAAG'.padEnd(40, 'x'),
          appSecret: APP_SECRET,
          name: undefined,
          quality: undefined,
        },
      ),
    );
  }
  const rows = await sql<{ token_id: string; callback_key: string }[]>`
    select token_id, callback_key from cloud_numbers`;
  return new Map(rows.map(({ token_id, callback_key }) => [token_id, callback_key]));
}

async function openCallbacks(root: string | undefined): Promise<CallbackSubject> {
  const contender = await openContender({ root, env: { SIMULATOR_SPEED } });
  const customers = await richCustomers(contender.database.allAccountsSql, CUSTOMERS);
  const acceptor = await openAcceptor(root, CUSTOMERS);
  const close = async () => {
    await acceptor.close();
    await contender.close();
  };
  return { ...contender, customers, acceptor, close };
}

type Due = { messageId: string; tokenId: string; status: string; place: number };

function callbackOf(port: number, key: string, { messageId, status, place }: Due): string {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: WABA,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: {
                display_phone_number: '6281100000000',
                phone_number_id: String(200_000_000 + place),
              },
              statuses: [
                {
                  id: `wamid.${messageId}`,
                  status,
                  timestamp: String(Math.floor(Date.now() / 1000)),
                  recipient_id: '6281234567890',
                  biz_opaque_callback_data: publicId('message', messageId),
                  pricing: { billable: true, pricing_model: 'PMP', category: 'service' },
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
  return (
    `POST /callbacks/cloud/${key} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Content-Type: application/json\r\nX-Hub-Signature-256: sha256=${signature}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

type Callbacks = {
  stored: { receipts: number; ms: number; appMs: number; postgresMs: number };
  acceptOnly: SendLoad;
};

/** Simulated phones send the messages; receipts come as callbacks of the Cloud API instead. */
async function measureCallbacks(subject: CallbackSubject): Promise<Callbacks> {
  const { acceptor, app, cpu, customers, database } = subject;
  const { allAccountsSql: sql } = database;
  const tokenIds = customers.map(({ tokenId }) => tokenId);
  await sql`update tokens set channel = 'simulator' where token_id = any (${tokenIds}::uuid[])`;
  const acceptOnly = await acceptor.accept();
  const since = new Date();
  await sendOn(subject, customers, { connections: CONNECTIONS, forMs: SEND_MS });
  const sent = { customers, since };
  const all = (status: string) =>
    untilAll(sql, sent, { statuses: [status], patienceMs: SENT_MS_MAX });
  await all('sent');
  await sql`update tokens set channel = 'cloud' where token_id = any (${tokenIds}::uuid[])`;
  const keys = await numbersOf(subject, customers);
  const places = new Map(tokenIds.map((tokenId, place) => [tokenId, place]));
  const due = await sql<Omit<Due, 'place'>[]>`
    with gone as (
      delete from sim_events where kind in ('delivered', 'read')
      returning account_id, message_id, kind, due_at
    )
    select g.message_id as "messageId", m.token_id as "tokenId", g.kind as status
    from gone g join messages m on m.account_id = g.account_id and m.message_id = g.message_id
    order by g.due_at`;
  const requests = due.map((one) =>
    callbackOf(app.port, keys.get(one.tokenId) ?? '', {
      ...one,
      place: places.get(one.tokenId) ?? 0,
    }),
  );
  const wires = Array.from({ length: CONNECTIONS }, () => new Wire(app.port));
  const before = await cpu();
  const began = performance.now();
  let next = 0;
  await Promise.all(
    wires.map(async (wire) => {
      for (let request = requests[next++]; request; request = requests[next++]) {
        const { status, body } = await wire.ask(request);
        if (status !== 200) throw new Error(`a callback was answered ${status}: ${body}`);
      }
    }),
  );
  const ms = performance.now() - began;
  const used = cpuBetween(before, await cpu());
  for (const wire of wires) wire.close();
  await all('read');
  return { stored: { receipts: requests.length, ms, ...used }, acceptOnly };
}

const perSecond = ({ stored }: Callbacks) => stored.receipts / (stored.ms / 1000);

const figures: readonly Figure<Callbacks>[] = [
  { name: 'callbacks per second', of: perSecond, digits: 0 },
  { name: 'accepted per second', of: ({ acceptOnly }) => acceptOnly.perSecond, digits: 0 },
  {
    name: 'callbacks ÷ accepted',
    of: (callbacks) => perSecond(callbacks) / callbacks.acceptOnly.perSecond,
    digits: 2,
  },
  {
    name: 'app CPU, ms a callback',
    of: ({ stored }) => stored.appMs / stored.receipts,
    digits: 3,
  },
  {
    name: 'PostgreSQL CPU, ms a callback',
    of: ({ stored }) => stored.postgresMs / stored.receipts,
    digits: 3,
  },
];

/** The rate at which signed callbacks of the Cloud API are stored, one status each. */
export const callbacks: Part = {
  name: 'callbacks',
  title: 'Way: signed callbacks of the Cloud API, and what is accepted meanwhile elsewhere',
  run: (options) =>
    withContenders(options, openCallbacks, async (subjects) => {
      const round = forEach(subjects, (subject) => () => measureCallbacks(subject));
      await interleaved(1, round);
      const measured = await interleaved(options.rounds, round);
      return [
        `${CUSTOMERS} numbers; "delivered" and "read" of every message, each in a signed callback of its own over ${CONNECTIONS} connections, ` +
          `answered 200 after COMMIT; accepting: as many connections, an application that does nothing else; ${options.rounds} interleaved rounds, medians.`,
        figuresTable(measured, figures),
      ].join('\n\n');
    }),
};
