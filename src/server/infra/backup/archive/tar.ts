import type { Readable } from 'node:stream';

/** An entry. Its `body` is read to the end, or skipped, before the next entry comes. */
export type TarEntry = {
  name: string;
  kind: 'file' | 'folder';
  size: number;
  body: AsyncIterable<Buffer>;
};

const BLOCK = 512;

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Up to `most` bytes as they arrive; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#left.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#left = next.value;
    }
    const taken = this.#left.subarray(0, most);
    this.#left = this.#left.subarray(taken.length);
    return taken;
  }

  /** Exactly `size` bytes; fewer at the end of the stream. */
  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = size; missing > 0;) {
      const part = await this.some(missing);
      if (!part) break;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}

/**
 * The entries of an archive in PostgreSQL's format (ustar; sizes beyond 8 GB in base 256), in order.
 *
 * @throws Error if it is damaged or truncated, or has links, which the embedded database never makes.
 */
export async function* tarEntries(stream: Readable): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(stream);
  for (;;) {
    const head = await reader.exactly(BLOCK);
    if (head.every((byte) => byte === 0)) break;
    if (head.length < BLOCK) throw new Error('the archive is cut off');
    const entry = readHead(head);
    let left = entry.size;
    const body = async function* () {
      while (left > 0) {
        const part = await reader.some(left);
        if (!part) throw new Error('the archive is cut off');
        left -= part.length;
        yield part;
      }
    };
    yield { ...entry, body: body() };
    while (left > 0) {
      const part = await reader.some(left);
      if (!part) throw new Error('the archive is cut off');
      left -= part.length;
    }
    const padding = (BLOCK - (entry.size % BLOCK)) % BLOCK;
    if ((await reader.exactly(padding)).length < padding) throw new Error('the archive is cut off');
  }
  while (await reader.some(65_536));
}

function readHead(head: Buffer): Omit<TarEntry, 'body'> {
  const text = (from: number, to: number) => {
    const field = head.subarray(from, to);
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? undefined : end).toString('utf8');
  };
  const sum = head.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== Number.parseInt(text(148, 156), 8)) throw new Error('the archive is damaged');
  const type = text(156, 157);
  if (type !== '' && type !== '0' && type !== '5')
    throw new Error(`the archive has a link (${type})`);
  const prefix = text(345, 500);
  const name = (prefix === '' ? '' : `${prefix}/`) + text(0, 100);
  const kind = type === '5' ? 'folder' : 'file';
  return { name: inside(name), kind, size: kind === 'file' ? sizeOf(head) : 0 };
}

/** Checks that a name stays inside the folder it is unpacked to. */
export function inside(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside =
    name.startsWith('/') || parts.length === 0 || parts.some((part) => /^\.\.$|[\\:\0]/.test(part));
  if (isOutside) throw new Error(`the name ${JSON.stringify(name)} leads out of the folder`);
  return parts.join('/');
}

function sizeOf(head: Buffer): number {
  const field = head.subarray(124, 136);
  if ((field[0] ?? 0) & 0x80) return Number(field.readBigUInt64BE(4));
  return Number.parseInt(field.toString('latin1').replace(/\0.*$/, '').trim() || '0', 8);
}
