/**
 * The reference of the part `floor`, a program of its own: it accepts messages, sends them, and stores that they were
 * delivered and read, with a timeline, live tabs and the product's durability. It has no money, limits, lanes or
 * retries, and guarantees nothing else. Customers and sessions are those of the product's schema.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import pg from 'pg';
import { sha256 } from '#server/infra/security/secrets.ts';

const PORT = Number(process.env['PORT']);
/** The wait of a step for others; each batch is one transaction. */
const GATHER_MS = 20;
/** As the simulator's lifelike phones: delivered after, and read after that. */
const DELIVERED_MS = [300, 2_000] as const;
const READ_MS = [1_000, 6_000] as const;

type Step = {
  accountId: string;
  id: string;
  status: string;
  position: number;
  onStored: () => void;
};
type Accepted = Step & { tokenId: string; key: string; to: string; body: string };

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
await pool.query(`
  create table reference_messages (
    message_id uuid primary key, account_id uuid not null, token_id uuid not null, key uuid not null,
    peer text not null, body jsonb not null, status text not null, created_at timestamptz not null,
    unique (token_id, key)
  );
  create table reference_events (
    account_id uuid not null, position bigint not null, message_id uuid not null, status text not null,
    at timestamptz not null, primary key (account_id, position)
  )`);

/** Looks rows up by the hash of a secret, each once. */
function openLookUp<Row extends pg.QueryResultRow>(text: string) {
  const known = new Map<string, Row>();
  return async (secret: string): Promise<Row | undefined> => {
    const found = known.get(secret) ?? (await pool.query<Row>(text, [sha256(secret)])).rows[0];
    if (found) known.set(secret, found);
    return found;
  };
}
const tokenOf = openLookUp<{ account_id: string; token_id: string }>(
  'select account_id, token_id from token_keys where key_hash = $1',
);
const sessionOf = openLookUp<{ account_id: string }>(
  'select account_id from sessions where token_hash = $1',
);

const tabs = new Map<string, Set<ServerResponse>>();
const positions = new Map<string, number>();

const nextPosition = (accountId: string): number => {
  const position = (positions.get(accountId) ?? 0) + 1;
  positions.set(accountId, position);
  return position;
};

/** Collects items for `GATHER_MS`, writes them together, and continues with each. */
function gathered<Item extends Step>(write: (items: readonly Item[]) => Promise<unknown>) {
  let waiting: Item[] = [];
  const run = async () => {
    const items = waiting;
    waiting = [];
    await write(items);
    for (const item of items) {
      show(item);
      item.onStored();
    }
  };
  return (item: Item) => {
    if (waiting.push(item) === 1) setTimeout(() => void run(), GATHER_MS);
  };
}

function show({ accountId, id, status, position }: Step): void {
  const data = JSON.stringify({ id, status, position, at: new Date() });
  for (const tab of tabs.get(accountId) ?? [])
    tab.write(`event: message\nid: ${position}\ndata: ${data}\n\n`);
}

const column = <Item, Value>(items: readonly Item[], of: (item: Item) => Value) => items.map(of);

const store = gathered<Accepted>((items) =>
  pool.query({
    name: 'accept',
    text: `
      with item as (
        select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::jsonb[], $7::bigint[])
          as i(id, account, token, key, peer, body, position)
      ), stored as (
        insert into reference_messages
          select id, account, token, key, peer, body, 'queued', clock_timestamp() from item
          on conflict do nothing returning message_id
      )
      insert into reference_events
        select i.account, i.position, i.id, 'queued', clock_timestamp()
        from item i join stored s on s.message_id = i.id`,
    values: [
      column(items, ({ id }) => id),
      column(items, ({ accountId }) => accountId),
      column(items, ({ tokenId }) => tokenId),
      column(items, ({ key }) => key),
      column(items, ({ to }) => to),
      column(items, ({ body }) => body),
      column(items, ({ position }) => position),
    ],
  }),
);

const change = gathered<Step>((items) =>
  pool.query({
    name: 'change',
    text: `
      with item as (
        select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) as i(id, account, status, position)
      ), changed as (
        update reference_messages m set status = i.status from item i where m.message_id = i.id
      )
      insert into reference_events select account, position, id, status, clock_timestamp() from item`,
    values: [
      column(items, ({ id }) => id),
      column(items, ({ accountId }) => accountId),
      column(items, ({ status }) => status),
      column(items, ({ position }) => position),
    ],
  }),
);

const between = ([least, most]: readonly [number, number]) =>
  least + Math.random() * (most - least);

function goOn(accountId: string, id: string): void {
  const step = (status: string, onStored: () => void) =>
    change({ accountId, id, status, position: nextPosition(accountId), onStored });
  step('sent', () =>
    setTimeout(
      () =>
        step('delivered', () => setTimeout(() => step('read', () => undefined), between(READ_MS))),
      between(DELIVERED_MS),
    ),
  );
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const given = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const token = await tokenOf(given);
  if (!token) return answer(response, 401, {});
  const { to, text } = JSON.parse(await textOf(request)) as { to: string; text: object };
  const { account_id: accountId, token_id: tokenId } = token;
  const id = randomUUID();
  const key = String(request.headers['idempotency-key']);
  const position = nextPosition(accountId);
  const onStored = () => {
    answer(response, 202, { id, status: 'queued', to });
    goOn(accountId, id);
  };
  const facts = { accountId, tokenId, id, key, to, body: JSON.stringify(text) };
  store({ ...facts, status: 'queued', position, onStored });
}

async function openTab(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = new URLSearchParams(await textOf(request));
  const session = await sessionOf(fields.get('token') ?? '');
  if (!session) return answer(response, 401, {});
  const { account_id: accountId } = session;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('event: hello\ndata: {}\n\n');
  const open = tabs.get(accountId) ?? new Set();
  tabs.set(accountId, open.add(response));
  response.on('close', () => open.delete(response));
}

createServer((request, response) => {
  if (request.url === '/v1/messages') void accept(request, response);
  else if (request.url === '/api') void openTab(request, response);
  else answer(response, 200, {});
}).listen(PORT, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
