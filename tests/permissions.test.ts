import { describe, expect, vi } from 'vitest';
import type { Act, OperatorRole } from '#contract/base/act.ts';
import { acts } from '#contract/acts.ts';
import { type IdKind, idPrefixes, publicId } from '#contract/base/ids.ts';
import type * as pools from '#server/infra/postgres/driver/pool.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { type ApiResponse, type RunningApp, test } from './support/app/running-app.ts';
import type { TestDatabase } from './support/database/database.ts';
import { samplesOf } from './support/hostile/hostile-acts.ts';
import {
  type MarkedPerson,
  dumpOf,
  markedPerson,
  marksIn,
  marksOf,
} from './support/people/marked-people.ts';
import { makeSession, makeUser } from '#tests/support/people/people.ts';

/**
 * Every act of the contract, called by every identity: signed out, the customer whose records it names, a customer of
 * another account, each role of operators. The contract decides who may call; another account's records are neither
 * shown nor changed, even when no statement names the account and only row-level security is left.
 */
const database = vi.hoisted(() => ({ withoutConditions: false, blinded: 0 }));

vi.mock('#server/infra/postgres/driver/pool.ts', async (original) => {
  const real = await original<typeof pools>();
  const seen = new WeakSet<object>();
  const blind = <C extends { text: string; name: string }>(compiled: C): C => {
    const text = compiled.text
      .replaceAll(/((?:\w+\.)?account_id) = (\$\d+)/g, '($1 = $2 or true)')
      .replaceAll(
        /\(((?:\w+\.)?account_id), ([^()]+)\) = \((\$\d+), ([^()]+)\)/g,
        '(($1 = $3 or true) and ($2) = ($4))',
      );
    if (text === compiled.text) return compiled;
    database.blinded += 1;
    return { ...compiled, text, name: compiled.name && `b${compiled.name}` };
  };
  class Pool extends real.Pool {
    readonly #isTenants: boolean;
    constructor(...args: ConstructorParameters<typeof real.Pool>) {
      super(...args);
      this.#isTenants = args[1].as === 'tenant';
    }
    override async acquire() {
      const connection = await super.acquire();
      if (!this.#isTenants || seen.has(connection)) return connection;
      seen.add(connection);
      const execute = connection.execute.bind(connection);
      connection.execute = (compiled, ...rest) =>
        execute(database.withoutConditions ? blind(compiled) : compiled, ...rest);
      return connection;
    }
  }
  return { ...real, Pool };
});

/** The callers. `owner` and `other` are customers. */
const identities = ['nobody', 'other', 'support', 'money', 'admin', 'owner'] as const;
type Identity = (typeof identities)[number];

/** One session per act, so that no limit applies, and signing out ends no other session. */
const SESSIONS = acts.length;

type Role = { accountId: string; roles?: OperatorRole[] };

async function sessionsOf({ owner: sql }: TestDatabase, { accountId, ...roles }: Role) {
  const passwordHash = await hashPassword('perahu-kertas-di-kali-code');
  const tokens = await sql.begin((tx) =>
    Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const userId = await makeUser(tx, accountId, { name: 'Rina', passwordHash, ...roles });
        return (await makeSession(tx, { accountId, userId })).token;
      }),
    ),
  );
  return tokens.values();
}

type Stage = {
  db: TestDatabase;
  running: RunningApp;
  owner: MarkedPerson;
  roles: Record<Exclude<Identity, 'nobody'>, Role>;
  ids: ReadonlyMap<string, string>;
};

const homes: Partial<Record<IdKind, string>> = {
  token: 'select token_id as id from tokens',
  message: 'select message_id as id from messages',
  topup: 'select topup_id as id from topups',
  invoice: 'select invoice_id as id from invoices',
  session: 'select session_id as id from sessions',
  user: 'select user_id as id from users',
  upload: "select upload_id as id from uploads where state = 'finished'",
  file: 'select file_id as id from files',
};

async function idsOf({ owner: sql }: TestDatabase, accountId: string) {
  const ids = new Map<string, string>([[idPrefixes.account, publicId('account', accountId)]]);
  for (const [kind, query] of Object.entries(homes) as [IdKind, string][]) {
    const [row] = await sql.query<{ id: string }[]>(
      `select id from (${query.replace('select', 'select account_id,')}) t where account_id = $1`,
      [accountId],
    );
    if (!row) throw new Error(`the owner has no ${kind}`);
    ids.set(idPrefixes[kind], publicId(kind, row.id));
  }
  return ids;
}

type OpenApp = (options: { works: boolean; env: Record<string, string> }) => Promise<RunningApp>;

/** Two people with data everywhere, and an application without background work. */
async function openStage(db: TestDatabase, openApp: OpenApp): Promise<Stage> {
  const env = { OTP_DAILY_TOTAL: '1000000', CLOCK: 'movable' };
  const lively = await openApp({ works: true, env });
  const owner = await markedPerson(lively, marksOf('Ani', '341'), Buffer.from('sama'));
  const other = await markedPerson(lively, marksOf('Budi', '652'), Buffer.from('sama'));
  await lively.worker?.close();
  const [system] = await db.owner<{ id: string }[]>`
    select account_id as id from accounts where is_system`;
  if (!system) throw new Error('there is no account of the installation');
  const roles = {
    other: { accountId: other.accountId },
    owner: { accountId: owner.accountId },
    support: { accountId: system.id, roles: ['support' as const] },
    money: { accountId: system.id, roles: ['money' as const] },
    admin: { accountId: system.id, roles: ['admin' as const] },
  };
  return { db, running: lively, owner, roles, ids: await idsOf(db, owner.accountId) };
}

let calls = 0;

const samples = samplesOf({
  tokenId: '',
  messageId: '',
  topupId: '',
  campaignId: '',
  vapidKey: '',
});

/** The owner's record for an act's field; undefined if it is no id of theirs. */
function ownerRecord(
  { ids }: Stage,
  name: string,
  value: string | readonly string[],
): string | readonly string[] | undefined {
  if (!/_ids?$/.test(name) && name !== 'upload') return undefined;
  const first = typeof value === 'string' ? value : (value[0] ?? '');
  const byValue = Object.values(idPrefixes).find((prefix) => first.startsWith(prefix));
  const id = ids.get(byValue ?? idPrefixes[name.replace(/_ids?$/, '') as IdKind]);
  return id === undefined || typeof value === 'string' ? id : [id];
}

async function ask(stage: Stage, act: Act, token: string): Promise<ApiResponse> {
  calls += 1;
  const fields = Object.entries(samples[act.name] ?? {}).map(([name, value]) => [
    name,
    ownerRecord(stage, name, value) ?? value,
  ]);
  const key = act.changes ? { key: crypto.randomUUID() } : {};
  return stage.running.ask(
    act.name,
    { token, ...key, ...Object.fromEntries(fields) },
    { ip: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}` },
  );
}

/**
 * Granted to all: `simulator_pay` pays as the QR's holder; the others answer each id separately.
 */
const harmless = new Set([
  'simulator_pay',
  'message_resend_check',
  'message_resend_many',
  'message_cancel_many',
]);

const outsiders = ['not_signed_in', 'not_allowed', 'act_unknown'];

function promised({ by, roles }: Act, identity: Identity): string | undefined {
  const isOperator = identity === 'support' || identity === 'money' || identity === 'admin';
  switch (by) {
    case 'public':
      return undefined;
    case 'anyone_signed_in':
      return identity === 'nobody' ? 'not_signed_in' : undefined;
    case 'customer':
      if (identity === 'nobody') return 'not_signed_in';
      return isOperator ? 'not_allowed' : undefined;
    case 'operator':
      if (!isOperator) return 'act_unknown';
      return identity === 'admin' || roles.includes(identity) ? undefined : 'not_allowed';
  }
}

/** A granted stream never ends. */
const calledActs = acts.filter((act) => !act.streams);

async function violationsOf(stage: Stage, who: readonly Identity[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const identity of who) {
    const tokens =
      identity === 'nobody' ? undefined : await sessionsOf(stage.db, stage.roles[identity]);
    for (const act of calledActs) {
      const { status, body } = await ask(stage, act, tokens?.next().value ?? '');
      const refused: string | undefined = body.error?.type;
      const door = refused !== undefined && outsiders.includes(refused) ? refused : undefined;
      const finding = `${act.name} by ${identity}: ${status} ${refused ?? 'granted'}`;
      if (door !== promised(act, identity)) wrong.push(finding);
      // By then an admin has unlinked the token that sends codes.
      if (status >= 500 && refused !== 'otp_unsendable') wrong.push(finding);
      const mayShow = identity === 'owner' || act.by === 'operator' || act.by === 'public';
      const named = Object.entries(samples[act.name] ?? {}).some(
        ([name, value]) => ownerRecord(stage, name, value) !== undefined,
      );
      const isGranted = named && !refused && !harmless.has(act.name);
      if (identity === 'other' && isGranted) wrong.push(`${finding} another's`);
      const shown = mayShow ? [] : marksIn(JSON.stringify(body), stage.owner.marks);
      if (shown.length > 0) wrong.push(`${finding}, shows ${shown.join(', ')}`);
    }
  }
  return wrong;
}

async function rowsOf({ db, owner }: Stage): Promise<Record<string, string[]>> {
  const dump = await dumpOf(db.owner);
  return Object.fromEntries(
    Object.entries(dump).map(([table, lines]) => [
      table,
      lines.filter((line) => line.includes(owner.accountId)),
    ]),
  );
}

describe('every act, called by every identity', () => {
  test('answers the identities that the contract names, and never touches another account', async ({
    db,
    openApp,
  }) => {
    const stage = await openStage(db, openApp);
    const before = await rowsOf(stage);
    expect(Object.values(before).flat().length).toBeGreaterThan(30);
    expect(await violationsOf(stage, ['nobody', 'other'])).toEqual([]);
    expect(await rowsOf(stage)).toEqual(before);
    expect(await violationsOf(stage, ['support', 'money', 'admin', 'owner'])).toEqual([]);
  });

  test('row-level security alone keeps accounts apart', async ({ db, openApp }) => {
    const stage = await openStage(db, openApp);
    const before = await rowsOf(stage);
    database.blinded = 0;
    database.withoutConditions = true;
    try {
      expect(await violationsOf(stage, ['other'])).toEqual([]);
    } finally {
      database.withoutConditions = false;
    }
    expect(database.blinded).toBeGreaterThan(30);
    expect(await rowsOf(stage)).toEqual(before);
  });
});
