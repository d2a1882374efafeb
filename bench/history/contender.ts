import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '#bench/lib/server.ts';
import { publicId } from '#contract/base/ids.ts';
import type * as history from '#server/domains/messages/history/history.ts';
import type * as database from '#server/infra/postgres/database.ts';
import type * as functions from '#server/infra/postgres/functions.ts';
import type { Ask } from './cases.ts';
import type { Subject } from './subject.ts';

export type Asking = (subject: Subject, ask: Ask) => Promise<number>;

export type Contender = {
  call: Asking;
  withFreshCall: <T>(work: (call: Asking) => Promise<T>) => Promise<T>;
  post: Asking;
  close: () => Promise<void>;
};

export async function migrateAs(root: string, url: string): Promise<void> {
  const { openDatabase } = await load(root, 'infra/postgres/database.ts');
  const { updateSchema } = await load(root, 'infra/postgres/functions.ts');
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'bench' });
  await updateSchema(owner, join(root, 'src/server'));
  await owner.query('vacuum (freeze, analyze)');
  await owner.end();
}

type Modules = {
  'infra/postgres/database.ts': typeof database;
  'infra/postgres/functions.ts': typeof functions;
  'domains/messages/history/history.ts': typeof history;
};

const load = <Name extends keyof Modules>(root: string, name: Name): Promise<Modules[Name]> =>
  import(join(root, 'src/server', name)) as Promise<Modules[Name]>;

export async function openContender(root: string, url: string): Promise<Contender> {
  const { openDatabase } = await load(root, 'infra/postgres/database.ts');
  const { messageList } = await load(root, 'domains/messages/history/history.ts');
  const open = (max: number) => {
    const sql = openDatabase(url, { max, as: 'tenant', name: 'bench' });
    const call: Asking = async ({ accountId }, ask) =>
      (await messageList(sql, accountId, ask)).total;
    return { sql, call };
  };
  const folder = await mkdtemp(join(tmpdir(), 'kabari-served-'));
  const app = await startApp({ DATABASE_URL: url, KABARI_DATA: folder, ROLE: 'web' }, { root });
  const { sql, call } = open(2);
  return {
    call,
    withFreshCall: async (work) => {
      const fresh = open(1);
      await fresh.sql`select 1`;
      try {
        return await work(fresh.call);
      } finally {
        await fresh.sql.end();
      }
    },
    post: postTo(app.port),
    close: async () => {
      await app.stop();
      await sql.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function postTo(port: number): Asking {
  let turn = 0;
  return async ({ sessions }, { token_id, page, ...ask }) => {
    turn += 1;
    const fields = new URLSearchParams({
      act: 'message_list',
      token: sessions[turn % sessions.length] ?? '',
      fcm: '',
      ...(ask as Record<string, string>),
      ...(page !== undefined && { page: String(page) }),
      ...(token_id !== undefined && { token_id: publicId('token', token_id) }),
    });
    const reply = await fetch(`http://127.0.0.1:${port}/api`, { method: 'POST', body: fields });
    const body = (await reply.json()) as { code: number; result?: { total_page: number } };
    if (body.code !== 1 || !body.result) throw new Error(`refused: ${JSON.stringify(body)}`);
    return body.result.total_page * 10;
  };
}
