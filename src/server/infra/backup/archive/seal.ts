import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';
import { StartError } from '#server/infra/start-error.ts';

export type BackupKey = {
  /** Identifies the key without revealing it. */
  id: string;
  bytes: Buffer;
};

const MAGIC = Buffer.from('KBRSEAL1');
const SALT_BYTES = 16;
const HEAD_BYTES = MAGIC.length + SALT_BYTES;
const TAG_BYTES = 16;
/** Plaintext bytes per sealed piece. */
const PIECE_BYTES = 65_536;
const KEY_CHARACTERS_MIN = 32;

/**
 * Reads the key from a file, as `openssl rand -base64 32` writes it; undefined if no file is set.
 *
 * @throws StartError if the file does not exist or holds too little.
 */
export async function readBackupKey(path: string | undefined): Promise<BackupKey | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`BACKUP_KEY_FILE ${path} cannot be read (${error.code}).`);
  });
  const words = text.trim();
  if (words.length < KEY_CHARACTERS_MIN) {
    throw new StartError(
      `BACKUP_KEY_FILE ${path} must hold at least ${KEY_CHARACTERS_MIN} characters of chance, as \`openssl rand -base64 32\` prints them.`,
    );
  }
  return backupKeyOf(words);
}

export function backupKeyOf(words: string): BackupKey {
  const bytes = derive(Buffer.from(words, 'utf8'), '', 'backup');
  const id = createHash('sha256')
    .update(derive(bytes, '', 'id'))
    .digest('hex')
    .slice(0, 16);
  return { id, bytes };
}

const derive = (key: Buffer, salt: string | Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `kabari ${purpose}`, 32));

export const hidingKey = (key: BackupKey): Buffer => derive(key.bytes, '', 'names');

export const signingKey = (key: BackupKey): Buffer => derive(key.bytes, '', 'manifest');

/** Piece number and end mark, so that pieces cannot be removed or swapped. */
function nonceOf(piece: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(piece, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

class Pieces {
  #waiting: Buffer[] = [];
  #bytes = 0;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }

  next(): Buffer | undefined {
    return this.#bytes > this.#size ? this.take(this.#size) : undefined;
  }

  take(size: number): Buffer {
    const all = Buffer.concat(this.#waiting);
    this.#waiting = [all.subarray(size)];
    this.#bytes = all.length - Math.min(size, all.length);
    return all.subarray(0, size);
  }

  rest = (): Buffer => this.take(this.#bytes);
  get length(): number {
    return this.#bytes;
  }
}

/**
 * Encrypts a stream with AES-256-GCM in pieces of 64 kB, under a key derived for this stream.
 *
 * @param name bound to the ciphertext; a part under another name cannot be opened.
 */
export function sealing(key: BackupKey, name: string): Transform {
  const head = Buffer.concat([MAGIC, randomBytes(SALT_BYTES)]);
  const own = derive(key.bytes, head, 'part');
  const bound = Buffer.concat([head, Buffer.from(name)]);
  const pieces = new Pieces(PIECE_BYTES);
  let count = 0;
  const seal = (plain: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(count++, isLast));
    cipher.setAAD(bound);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };
  const transform = new Transform({
    transform(bytes: Buffer, _encoding, done: TransformCallback) {
      pieces.add(bytes);
      for (let piece = pieces.next(); piece; piece = pieces.next()) this.push(seal(piece, false));
      done();
    },
    flush(done) {
      done(null, seal(pieces.rest(), true));
    },
  });
  transform.push(head);
  return transform;
}

/** Decrypts a stream of `sealing`; fails if it was changed or truncated. */
export function unsealing(key: BackupKey, name: string): Transform {
  const pieces = new Pieces(PIECE_BYTES + TAG_BYTES);
  let count = 0;
  let opened: { own: Buffer; bound: Buffer } | undefined;
  const begin = (head: Buffer) => {
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not sealed');
    opened = {
      own: derive(key.bytes, head, 'part'),
      bound: Buffer.concat([head, Buffer.from(name)]),
    };
  };
  const open = (sealed: Buffer, isLast: boolean): Buffer => {
    if (!opened || sealed.length < TAG_BYTES) throw new Error('cut off');
    const text = sealed.subarray(0, -TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', opened.own, nonceOf(count++, isLast));
    decipher.setAAD(opened.bound);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(text), decipher.final()]);
  };
  const attempt = (done: TransformCallback, work: () => Buffer | undefined) => {
    try {
      done(null, work());
    } catch (error) {
      done(error as Error);
    }
  };
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      attempt(done, () => {
        pieces.add(bytes);
        if (!opened && pieces.length < HEAD_BYTES) return undefined;
        if (!opened) begin(pieces.take(HEAD_BYTES));
        for (let piece = pieces.next(); piece; piece = pieces.next()) this.push(open(piece, false));
        return undefined;
      });
    },
    flush(done) {
      attempt(done, () => open(pieces.rest(), true));
    },
  });
}
