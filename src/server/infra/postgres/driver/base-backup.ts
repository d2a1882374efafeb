import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import pg from 'pg';
import { clientConfig } from './client.ts';

export type BaseBackup = {
  /** `base.tar` as PostgreSQL makes it, with the WAL that makes it consistent. */
  archive: Readable;
  /**
   * PostgreSQL's manifest: every file with its size and SHA-256, as the server read it. Resolves once the server has
   * confirmed the whole backup; rejects if the server or the connection failed.
   */
  manifest: Promise<Buffer>;
  serverVersion: string;
  close: () => Promise<void>;
};

type Options = {
  label: string;
  /** Limit for the server's silence, while it writes a checkpoint or we write what it sent. */
  silenceMsMax?: number;
};

const SILENCE_MS_MAX = 600_000;

type CopyOutQuery = {
  submit(connection: { query(text: string): void }): void;
  handleRowDescription(): void;
  handleDataRow(): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
  handlePortalSuspended(): void;
  handleCopyData(message: { chunk: Buffer }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};

/**
 * `BASE_BACKUP` of the replication protocol, PostgreSQL 15 or newer: the server verifies page checksums and includes
 * the WAL, which a temporary slot retains until the connection ends.
 *
 * @param url of a role with REPLICATION, without a pooler.
 */
export async function receiveBaseBackup(
  url: string,
  { label, silenceMsMax = SILENCE_MS_MAX }: Options,
): Promise<BaseBackup> {
  const client = new pg.Client({
    ...clientConfig(url, 'owner', 'backup'),
    replication: 'true',
  } as pg.ClientConfig);
  const { stream } = client.connection;
  let serverVersion = '';
  client.on('error', () => undefined);
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterName === 'server_version') serverVersion = parameterValue;
  });
  await client.connect();
  const slot = `kabari_backup_${randomBytes(6).toString('hex')}`;
  await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`);
  const archive = new Readable({ read: () => void stream.resume() });
  const { promise: manifest, resolve, reject } = Promise.withResolvers<Buffer>();
  manifest.catch(() => undefined);
  const silence = setTimeout(
    () => fail(new Error('the database sent nothing of its backup for too long')),
    silenceMsMax,
  );
  const fail = (error: Error) => {
    clearTimeout(silence);
    reject(error);
    archive.destroy(error);
    stream.destroy();
  };
  const query = readingCopy({
    label,
    onArchive: (bytes) => {
      silence.refresh();
      if (!archive.push(bytes)) stream.pause();
    },
    onArchiveEnd: () => {
      archive.push(null);
      stream.resume();
    },
    onDone: (bytes) => {
      clearTimeout(silence);
      resolve(bytes);
    },
    onError: fail,
  });
  client.on('end', () => fail(new Error('the database ended the connection of its backup')));
  client.query(query as unknown as pg.Submittable);
  return {
    archive,
    manifest,
    serverVersion,
    close: async () => {
      clearTimeout(silence);
      client.removeAllListeners('end');
      stream.destroy();
    },
  };
}

type Handlers = {
  label: string;
  onArchive: (bytes: Buffer) => void;
  onArchiveEnd: () => void;
  onDone: (manifest: Buffer) => void;
  onError: (error: Error) => void;
};

/** Messages by first byte: `n`ew archive, `m`anifest, `d`ata of either, `p`rogress. */
function readingCopy({ label, onArchive, onArchiveEnd, onDone, onError }: Handlers): CopyOutQuery {
  const manifest: Buffer[] = [];
  let archives = 0;
  let isManifest = false;
  const ignore = () => undefined;
  return {
    submit: (connection) =>
      connection.query(
        `BASE_BACKUP (LABEL '${label.replaceAll("'", "''")}', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`,
      ),
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
    handleEmptyQuery: ignore,
    handlePortalSuspended: ignore,
    handleCopyData: ({ chunk }) => {
      const kind = String.fromCharCode(chunk[0] ?? 0);
      if (kind === 'n' && ++archives > 1) {
        onError(new Error('the database has tablespaces of its own, which are not backed up here'));
      }
      if (kind === 'm') {
        isManifest = true;
        onArchiveEnd();
      }
      if (kind !== 'd') return;
      // A copy, because pg reuses the memory for the next message.
      const bytes = Buffer.from(chunk.subarray(1));
      if (isManifest) manifest.push(bytes);
      else onArchive(bytes);
    },
    handleError: onError,
    handleReadyForQuery: () => onDone(Buffer.concat(manifest)),
  };
}
