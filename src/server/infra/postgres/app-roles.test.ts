import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasDebianPostgres, startDebianPostgres } from '#tests/support/database/debian-postgres.ts';
import { verifyRowLevelSecurityAt } from '#tests/support/database/row-level-security.ts';
import { checkDatabase } from './check.ts';
import { type Sql, openDatabase } from './database.ts';
import { startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { startJobs } from '#server/infra/jobs.ts';
import { openLog } from '#server/infra/observability/log.ts';
import { updateSchema } from './functions.ts';

const serverFolder = join(import.meta.dirname, '../..');

type Server = { url: string; stop: () => Promise<void> };

async function startOwn(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-role-'));
  const server = await startEmbedded({ dataFolder: folder, durable: false });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.superuserUrl, stop };
}

const servers = [
  { name: 'the embedded PostgreSQL', here: true, start: startOwn },
  { name: 'Debian’s PostgreSQL', here: hasDebianPostgres, start: startDebianPostgres },
];

for (const { name, here, start } of servers) {
  describe.skipIf(!here)(`a role that only owns its database, on ${name}`, () => {
    let server: Server;
    let admin: Sql;
    let owner: Sql;
    let url: string;
    const openAs = (as: 'tenant' | 'all accounts' | 'owner') =>
      openDatabase(url, { max: 3, as, name: 't' });

    beforeAll(async () => {
      server = await start();
      admin = openDatabase(server.url, { max: 1, as: 'owner', name: 'admin' });
      await admin.query('create role "juragan-1" login');
      await admin.query('create database toko owner "juragan-1"');
      const address = new URL(server.url);
      address.username = 'juragan-1';
      address.pathname = '/toko';
      url = address.href;
      owner = openAs('owner');
    });
    afterAll(async () => {
      await Promise.all([admin, owner].map((sql) => sql.end()));
      await server.stop();
    });

    const walls = () => verifyRowLevelSecurityAt(url);

    test('starts only after an administrator has run the statements of the refusal', async () => {
      const refused: unknown = await updateSchema(owner, serverFolder).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ name: 'StartError' });
      const statements = /then start again: (CREATE ROLE .*)$/.exec(String(refused))?.[1] ?? '';
      expect(statements).toMatch(
        /^CREATE ROLE kabari_app NOLOGIN; CREATE ROLE kabari_all NOLOGIN; GRANT kabari_app TO kabari_all; GRANT kabari_app, kabari_all TO "juragan-1"( WITH SET TRUE)?;$/,
      );
      await admin.query(statements);
      await checkDatabase(owner, { production: false });
      const { migrations } = await updateSchema(owner, serverFolder);
      expect(migrations).toContain('0001_baseline.sql');
      await walls();
      const [allAccountsSql, log] = [openAs('all accounts'), openLog({ level: 'silent' })];
      const jobs = await startJobs({ owner, allAccountsSql, log }, []);
      await jobs.close();
      await allAccountsSql.end();
    });

    test('reports the missing grant if the role exists', async () => {
      await admin.query('revoke kabari_app, kabari_all from "juragan-1"');
      const refused: unknown = await updateSchema(owner, serverFolder).catch(
        (error: unknown) => error,
      );
      const statements = /then start again: (GRANT .*)$/.exec(String(refused))?.[1] ?? '';
      expect(statements).toMatch(/^GRANT kabari_app, kabari_all TO "juragan-1"( WITH SET TRUE)?;$/);
      await admin.query(statements);
      expect(await updateSchema(owner, serverFolder)).toMatchObject({
        migrations: [],
        functions: [],
      });
      await walls();
    });

    test('reports that it does not own its database', async () => {
      await admin.query('create database orang');
      const other = new URL(url);
      other.pathname = '/orang';
      const sql = openDatabase(other.href, { max: 1, as: 'owner', name: 't' });
      await expect(checkDatabase(sql, { production: false })).rejects.toThrow(
        /^The role "juragan-1" may not make tables .*: ALTER DATABASE orang OWNER TO "juragan-1";$/,
      );
      await sql.end();
    });

    test('does not start while kabari_app bypasses row-level security', async () => {
      await admin.query('alter role kabari_app bypassrls');
      await expect(walls()).rejects.toThrow(/^The role kabari_app sees past row-level security/);
      await admin.query('alter role kabari_app nobypassrls superuser');
      await expect(walls()).rejects.toThrow(/^The role kabari_app sees past row-level security/);
      await admin.query('alter role kabari_app nosuperuser');
      await walls();
    });

    test('does not start while kabari_app owns the tables', async () => {
      await admin.query('alter database toko owner to kabari_app');
      const inside = openDatabase(url.replace('juragan-1', 'postgres'), {
        max: 1,
        as: 'owner',
        name: 't',
      });
      await inside.query('alter table accounts owner to kabari_app');
      await expect(walls()).rejects.toThrow(/not in force on the table accounts/);
      await inside.end();
    });
  });
}
