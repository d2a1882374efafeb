import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openFiles } from '#server/domains/media/files.ts';
import {
  type Fetcher,
  type LibraryDeps,
  openLibrary,
} from '#server/domains/media/library/library.ts';
import { openFileClient } from '#server/infra/net/outbound-file.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { type FileHost, fileHost } from '#tests/support/media/file-host.ts';
import { test as base } from '#tests/support/database/database.ts';

type Options = Partial<LibraryDeps> & { listed?: readonly string[]; store?: FileStore };

/** Libraries on the test's database, and hosts of files; all close before it is dropped. */
export const test = base.extend<{
  openTestLibrary: (options?: Options) => Promise<{
    library: ReturnType<typeof openLibrary>;
    files: ReturnType<typeof openFiles>;
    folder: string;
    fetching: () => Fetcher;
    ended: string[];
    troubles: unknown[];
  }>;
  hostFiles: (serve: RequestListener) => Promise<FileHost>;
}>({
  hostFiles: async ({ db: _ }, use) => {
    const hosts: { close: () => void }[] = [];
    await use(async (serve) => {
      const host = await fileHost(serve);
      hosts.push(host);
      return host;
    });
    for (const host of hosts) host.close();
  },
  openTestLibrary: async ({ db, hostFiles: _ }, use) => {
    const closing: (() => Promise<unknown>)[] = [];
    await use(async ({ listed = [], store, ...given } = {}) => {
      const folder = await mkdtemp(join(tmpdir(), 'kabari-media-'));
      closing.push(() => rm(folder, { recursive: true, force: true }));
      const files = openFiles({
        sql: db.tenantSql,
        store: store ?? openDiskStore(folder),
        dataFolder: folder,
        secrets: secretsFrom(Buffer.alloc(32, 9)),
      });
      const [ended, troubles]: [string[], unknown[]] = [[], []];
      const library = openLibrary({
        sql: db.tenantSql,
        allAccountsSql: db.allAccountsSql,
        files,
        dataFolder: folder,
        scanner: undefined,
        storedBytesMax: 1_000_000_000,
        now: () => new Date(),
        retentionDays: () => 30,
        client: openFileClient({ listed }),
        report: (trouble) => void troubles.push(trouble),
        ...given,
      });
      const fetching = () => {
        const fetcher = library.startFetching({
          onEnded: async ({ fetchId }) => void ended.push(fetchId),
        });
        closing.unshift(() => fetcher.close());
        return fetcher;
      };
      return { library, files, folder, fetching, ended, troubles };
    });
    for (const close of closing) await close();
  },
});
