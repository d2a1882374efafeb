import { createHash, createHmac } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { sameBytes } from '#server/infra/security/secrets.ts';
import { type BackupKey, signingKey } from './seal.ts';
import { BackupError } from './trouble.ts';

const FORMAT = 1;
const FILE = 'manifest.json';

const Sum = z.object({ bytes: z.number(), sha256: z.string() });

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The earliest moment to which the database can be restored. */
  at: z.string(),
  app: z.object({ version: z.string(), build: z.string() }),
  postgres: z.string(),
  key_id: z.nullable(z.string()),
  /** Identifies the SECRET_KEY, without which encrypted columns of the database cannot be read. */
  secret_id: z.nullable(z.string()),
  parts: z.record(z.string(), Sum),
  files: z.object({ count: z.number(), bytes: z.number() }),
});

export type Manifest = z.output<typeof Manifest>;

const signed = (text: string, key: BackupKey | undefined): Buffer =>
  key
    ? createHmac('sha256', signingKey(key)).update(text).digest()
    : createHash('sha256').update(text).digest();

/** Writes the manifest with its checksum: the last file of a backup. */
export async function writeManifest(
  folder: string,
  manifest: Manifest,
  key: BackupKey | undefined,
): Promise<void> {
  const text = JSON.stringify(manifest, undefined, 2);
  const file = await open(join(folder, FILE), 'wx', 0o600);
  try {
    await file.writeFile(`${text}\n${signed(text, key).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * @param key only needed for an encrypted backup.
 * @throws BackupError `damaged`, or `wrong_key`.
 */
export async function readManifest(folder: string, key: BackupKey | undefined): Promise<Manifest> {
  const { text, check, read } = await readText(folder);
  if (read.key_id !== null && read.key_id !== key?.id) {
    throw new BackupError(
      'wrong_key',
      key
        ? `${folder} is encrypted with another key than BACKUP_KEY_FILE (it wants the key ${read.key_id}, this is ${key.id}).`
        : `${folder} is encrypted; set BACKUP_KEY_FILE to its key.`,
    );
  }
  if (read.key_id === null && key) {
    throw new BackupError(
      'wrong_key',
      `${folder} is not encrypted although BACKUP_KEY_FILE is set: whoever may write there can have made it. Leave BACKUP_KEY_FILE away for one that is older than the key.`,
    );
  }
  const expected = signed(text, read.key_id === null ? undefined : key);
  if (!sameBytes(expected, Buffer.from(check, 'hex'))) {
    throw new BackupError('damaged', `${join(folder, FILE)} is not as it was written.`);
  }
  return read;
}

async function readText(folder: string): Promise<{ text: string; check: string; read: Manifest }> {
  const path = join(folder, FILE);
  const whole = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new BackupError('damaged', `${folder} is no backup: it has no ${FILE}.`, error);
  });
  const [, text = '', check = ''] = /^([\s\S]*)\n([0-9a-f]{64})\n$/.exec(whole) ?? [];
  try {
    return { text, check, read: Manifest.parse(JSON.parse(text)) };
  } catch (error) {
    const isNewer = /"format": [2-9]/.test(text);
    const why = isNewer ? 'was made by a newer version of Kabari' : 'is damaged';
    throw new BackupError('damaged', `${path} ${why}.`, error);
  }
}

export const partNamed = (
  { key_id }: Pick<Manifest, 'key_id'>,
  name: string,
  key: BackupKey | undefined,
) => ({ name, key: key_id === null ? undefined : key, isCompressed: true });

/** Identifies a key of the installation without revealing it. */
export const secretId = (secretKey: string | undefined): string | null =>
  secretKey === undefined
    ? null
    : createHash('sha256').update(`kabari secret id ${secretKey}`).digest('hex').slice(0, 16);
