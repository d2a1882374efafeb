// A node in a separate process, with the pools of a real one: `fork` it with the database's address.
import { inspect } from 'node:util';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { peopleApp } from './people-app.ts';

const url = process.argv[2] ?? '';
const allAccountsSql = openDatabase(url, { max: 8, as: 'all accounts', name: 'people' });
const tenantSql = openDatabase(url, { max: 10, as: 'tenant', name: 'people' });
const callers = openDatabase(url, { max: 2, as: 'all accounts', name: 'callers' });
// Errors appear in the test's own output.
const report = (trouble: unknown) => void process.stderr.write(`${inspect(trouble)}\n`);
const { app } = await peopleApp({ allAccountsSql, tenantSql }, { authMax: 90, callers, report });
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
if (typeof address !== 'object' || address === null) throw new Error('no address');

const MB = 1_000_000;
const LOOK_MS = 25;
let most = 0;
const look = () => {
  const now = process.memoryUsage.rss() / MB;
  most = Math.max(most, now);
  return now;
};
setInterval(look, LOOK_MS);
process.on('message', () => {
  const now = look();
  process.send?.({ now, most });
  most = now;
});
process.on('disconnect', () => process.exit());
process.send?.({ port: address.port });
