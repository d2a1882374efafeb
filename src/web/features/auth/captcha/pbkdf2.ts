/**
 * PBKDF2-HMAC-SHA-256 in plain code, for pages over plain http: there the browser keeps its own
 * (`crypto.subtle`) back. About five times slower than it.
 */
const K = Uint32Array.from({ length: 64 }, (_, index) => fraction(Math.cbrt(prime(index))));
const START = Uint32Array.from({ length: 8 }, (_, index) => fraction(Math.sqrt(prime(index))));

function prime(index: number): number {
  const found: number[] = [];
  for (let n = 2; found.length <= index; n += 1) if (found.every((p) => n % p !== 0)) found.push(n);
  return found.at(-1) ?? 2;
}

/** The first 32 bits behind the point. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

const schedule = new Int32Array(64);
const rounds = Int32Array.from(K);

/** Takes one block of 16 words into a state of 8. */
function compress(state: Int32Array, block: Int32Array): void {
  for (let t = 0; t < 16; t += 1) schedule[t] = at(block, t);
  for (let t = 16; t < 64; t += 1) {
    const [x, y] = [at(schedule, t - 15), at(schedule, t - 2)];
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[t] = (at(schedule, t - 16) + small0 + at(schedule, t - 7) + small1) | 0;
  }
  let [a, b, c, d] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3)];
  let [e, f, g, h] = [at(state, 4), at(state, 5), at(state, 6), at(state, 7)];
  for (let t = 0; t < 64; t += 1) {
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + big1 + ((e & f) ^ (~e & g)) + at(rounds, t) + at(schedule, t)) | 0;
    const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

const at = (words: Int32Array, index: number): number => words[index] as number;

/** The state after a text, following `before` bytes that were taken in already. */
function absorb(state: Int32Array, text: Uint8Array, before: number): Int32Array {
  const padded = new Uint8Array(Math.ceil((text.length + 9) / 64) * 64);
  padded.set(text);
  padded[text.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, (before + text.length) * 8);
  const block = new Int32Array(16);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let t = 0; t < 16; t += 1) block[t] = view.getInt32(offset + t * 4);
    compress(state, block);
  }
  return state;
}

function bytesOf(state: Int32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  state.forEach((word, index) => view.setInt32(index * 4, word));
  return bytes;
}

const fresh = (): Int32Array => Int32Array.from(START);

/** The states of HMAC after its key: inner and outer. */
function keyed(password: Uint8Array): [Int32Array, Int32Array] {
  const key = password.length > 64 ? bytesOf(absorb(fresh(), password, 0)) : password;
  const state = (pad: number): Int32Array => {
    const block = new Int32Array(16);
    const bytes = new Uint8Array(64).fill(pad);
    key.forEach((byte, index) => (bytes[index] = byte ^ pad));
    const view = new DataView(bytes.buffer);
    for (let t = 0; t < 16; t += 1) block[t] = view.getInt32(t * 4);
    const after = fresh();
    compress(after, block);
    return after;
  };
  return [state(0x36), state(0x5c)];
}

/**
 * Derives `length` bytes (1 to 32: one block of the function is all that is ever asked for).
 *
 * @throws RangeError for any other length, and for less than one round.
 */
export function pbkdf2Sha256(
  password: Uint8Array,
  salt: Uint8Array,
  { iterations, length }: { iterations: number; length: number },
): Uint8Array<ArrayBuffer> {
  if (length < 1 || length > 32 || iterations < 1) throw new RangeError('pbkdf2Sha256');
  const [inner, outer] = keyed(password);
  const numbered = new Uint8Array([...salt, 0, 0, 0, 1]);
  const first = absorb(Int32Array.from(inner), numbered, 64);
  const block = new Int32Array(16);
  // Of every later round the text is one state: its padding and length are always the same.
  block[8] = 0x80000000 | 0;
  block[15] = (64 + 32) * 8;
  const turn = (start: Int32Array, text: Int32Array, into: Int32Array) => {
    block.set(text);
    into.set(start);
    compress(into, block);
  };
  const last = new Int32Array(8);
  const middle = new Int32Array(8);
  turn(outer, first, last);
  const sum = Int32Array.from(last);
  for (let round = 1; round < iterations; round += 1) {
    turn(inner, last, middle);
    turn(outer, middle, last);
    for (let word = 0; word < 8; word += 1) sum[word] = at(sum, word) ^ at(last, word);
  }
  return bytesOf(sum).slice(0, length);
}
