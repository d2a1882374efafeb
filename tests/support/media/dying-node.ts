// A process that stores a file in the library and is killed on the way: `fork` it with the database's address, a
// folder, an account, a file, and the point of death.
import { readFile } from 'node:fs/promises';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import { openFiles } from '#server/domains/media/files.ts';
import { openLibrary } from '#server/domains/media/library/library.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';

const [url = '', folder = '', accountId = '', path = '', dies = ''] = process.argv.slice(2);
const sql = openDatabase(url, { max: 2, as: 'tenant', name: 'dying' });
const allAccountsSql = openDatabase(url, { max: 2, as: 'all accounts', name: 'dying' });
const files = openFiles({
  sql,
  store: openDiskStore(folder),
  dataFolder: folder,
  secrets: secretsFrom(Buffer.alloc(32, 9)),
});
const die = (where: string) => {
  if (where === dies) process.kill(process.pid, 'SIGKILL');
};

let storedFiles = 0;
const library = openLibrary({
  sql,
  allAccountsSql,
  dataFolder: folder,
  scanner: undefined,
  storedBytesMax: 1_000_000_000,
  now: () => new Date(),
  retentionDays: () => 30,
  client: openFileClient({ listed: [] }),
  report: () => undefined,
  files: {
    ...files,
    keep: async (tx, draft) => {
      die(`before ${storedFiles}`);
      await files.keep(tx, draft);
      die(`after ${storedFiles}`);
      storedFiles += 1;
    },
  },
});
const declared = { name: '', type: '' };
await library.take({ accountId, bytes: await readFile(path), declared, source: 'channel' });
die('committed');
