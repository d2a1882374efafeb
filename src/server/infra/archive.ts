import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { csvOf } from './csv.ts';
import type { Attachment, Row, Subject } from './account-data.ts';

export type Contents = {
  readme: string;
  subjects: readonly Subject[];
  attachments: AsyncIterable<Attachment>;
};

type Watch = {
  /** Stops writing; the archive is then useless. */
  signal: AbortSignal;
  /** Progress since the last call: a row counts once per file, an attachment by its bytes. */
  wrote: (amount: { rows: number } | { bytes: number }) => void;
};

/**
 * Streams a ZIP: neither it nor any of its files is ever held in memory.
 *
 * @param path must not exist; after an error the file is not a valid archive.
 */
export async function writeArchive(
  path: string,
  { readme, subjects, attachments }: Contents,
  { signal, wrote }: Watch,
): Promise<void> {
  const zip = new ZipFile();
  const open = new Set<Readable>();
  const broken = new AbortController();
  const fail = (error: unknown) => broken.abort(error);
  zip.on('error', fail);

  const add = (name: string, source: () => Promise<Readable>, compress: boolean) =>
    zip.addReadStreamLazy(name, { compress }, (give) => {
      source().then((stream) => {
        open.add(stream);
        // The ZIP writer does not handle stream errors and would wait forever.
        stream.once('error', fail);
        stream.once('close', () => open.delete(stream));
        give(null, stream);
      }, fail);
    });
  const feed = async () => {
    zip.addBuffer(Buffer.from(readme, 'utf8'), 'BACA-SAYA.txt');
    for (const { name, rows } of subjects) {
      const counted = () => counting(rows(), () => wrote({ rows: 1 }));
      add(`${name}.json`, async () => Readable.from(jsonOf(counted())), true);
      add(`${name}.csv`, async () => Readable.from(csvOf(counted())), true);
    }
    for await (const attachment of attachments) {
      add(attachment.path, () => opened(attachment, wrote), false);
    }
    zip.end();
  };
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    const until = { signal: AbortSignal.any([signal, broken.signal]) };
    await Promise.all([pipeline(zip.outputStream, file, until), feed().catch(fail)]);
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  } finally {
    for (const stream of open) stream.destroy();
  }
}

/** Empty if the file is missing on disk, so that the export still succeeds. */
async function opened(attachment: Attachment, wrote: Watch['wrote']): Promise<Readable> {
  const stream = await attachment.open().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Readable.from([]);
    throw error;
  });
  stream.once('end', () => wrote({ bytes: attachment.sizeBytes }));
  return stream;
}

async function* counting(rows: AsyncIterable<Row>, one: () => void): AsyncGenerator<Row> {
  for await (const row of rows) {
    yield row;
    one();
  }
}

async function* jsonOf(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let lead = '[\n';
  for await (const row of rows) {
    yield lead + JSON.stringify(row);
    lead = ',\n';
  }
  yield lead === '[\n' ? '[]\n' : '\n]\n';
}
