import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { csvOf } from './csv.ts';
import type { Attachment, Row, Subject } from './account-data.ts';

export type Contents = {
  /** What the archive says of itself: `BACA-SAYA.txt`. */
  readme: string;
  /** Each becomes a JSON and a CSV file. */
  subjects: readonly Subject[];
  attachments: AsyncIterable<Attachment>;
};

type Watch = {
  /** Ends the writing: the archive is of no use any more. */
  signal: AbortSignal;
  /** Called with what was written since the last time: a row once per file it is in, a file's bytes. */
  wrote: (amount: { rows: number } | { bytes: number }) => void;
};

/**
 * Writes a ZIP as it is read: neither it nor any file of it is ever whole in memory.
 *
 * @param path must not be there yet; what is there after an error is not an archive.
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
        // The archive's writer does not listen: a row that cannot be read would leave it waiting.
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

/** An attachment's bytes; a file that the disk has lost is an empty one, and no reason to have nothing. */
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

/** Rows as one JSON array, a line each. */
async function* jsonOf(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let lead = '[\n';
  for await (const row of rows) {
    yield lead + JSON.stringify(row);
    lead = ',\n';
  }
  yield lead === '[\n' ? '[]\n' : '\n]\n';
}
