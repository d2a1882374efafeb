import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { openFiles, signFile, verifyFile } from './files.ts';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';

const secrets = secretsFrom(Buffer.alloc(32, 3));
const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const HOUR_MS = 3_600_000;

async function someFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const filesIn = ({ tenantSql: sql }: TestDatabase, dataFolder: string) =>
  openFiles({ sql, store: openDiskStore(dataFolder), dataFolder, secrets });

function partsOf(address: string) {
  const { pathname, searchParams } = new URL(address, 'http://here');
  return { id: pathname.slice('/files/'.length), key: searchParams.get('k') ?? '' };
}

test('returns a saved file byte by byte, with the type that its bytes show', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql);
  const files = filesIn(db, await someFolder());
  const kept = await files.save({ accountId: ani.accountId, bytes: png, name: 'foto.jpg' });
  expect(kept).toMatchObject({ name: 'foto.jpg', mime: 'image/png', sizeBytes: png.length });
  expect(await files.read(ani.accountId, kept.fileId)).toEqual({ ...kept, bytes: png });
});

test('hides another account’s file', async ({ sql, db }) => {
  const ani = await customerWith(sql);
  const budi = await customerWith(sql);
  const files = filesIn(db, await someFolder());
  const { fileId } = await files.save({ accountId: ani.accountId, bytes: png, name: 'foto.png' });
  expect(await files.read(budi.accountId, fileId)).toBeUndefined();
});

test('stores the same bytes on the disk once, and the same id once', async ({ sql, db }) => {
  const ani = await customerWith(sql);
  const folder = await someFolder();
  const files = filesIn(db, folder);
  const fileId = newId();
  const file = { accountId: ani.accountId, bytes: png, name: 'foto.png', fileId };
  await Promise.all([files.save(file), files.save(file), files.save({ ...file, fileId: newId() })]);

  const lying = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(lying.filter((entry) => entry.isFile())).toHaveLength(1);
  expect(await sql`select count(*) from files`).toEqual([{ count: 2 }]);
});

test('keeps a signed address valid for one to two hours, for its own file', () => {
  const accountId = newId();
  const fileId = newId();
  const madeMs = 10.4 * HOUR_MS;
  const asked = partsOf(signFile(secrets, accountId, fileId, madeMs));

  expect(verifyFile(secrets, asked, madeMs + HOUR_MS)).toEqual({ accountId, fileId });
  expect(verifyFile(secrets, asked, madeMs + 2 * HOUR_MS)).toBeUndefined();
});

test('returns the same address within an hour, so that a browser can cache the file', () => {
  const accountId = newId();
  const fileId = newId();
  const first = signFile(secrets, accountId, fileId, 10.1 * HOUR_MS);
  expect(signFile(secrets, accountId, fileId, 10.9 * HOUR_MS)).toBe(first);
});

test('rejects an altered address', () => {
  const address = signFile(secrets, newId(), newId());
  const { id, key } = partsOf(address);
  const other = partsOf(signFile(secrets, newId(), newId()));
  const bytes = Buffer.from(key, 'base64url');
  bytes[17] = bytes[17]! ^ 255;

  expect(verifyFile(secrets, { id, key })).toBeDefined();
  expect(verifyFile(secrets, { id: other.id, key })).toBeUndefined();
  expect(verifyFile(secrets, { id, key: bytes.toString('base64url') })).toBeUndefined();
  expect(verifyFile(secrets, { id, key: '' })).toBeUndefined();
  expect(verifyFile(secrets, { id: '../../etc/passwd', key })).toBeUndefined();
  expect(verifyFile(secretsFrom(Buffer.alloc(32, 4)), { id, key })).toBeUndefined();
});
