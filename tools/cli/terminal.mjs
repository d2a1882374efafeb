/** The process's exit codes. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, interrupted: 130 };

export class Stop extends Error {
  /** @param {string} sentence @param {number} code */
  constructor(sentence, code) {
    super(sentence);
    this.code = code;
  }
}

// Control characters, and those that change the direction of a line: foreign text could control the terminal.
const steering = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Foreign text on one line of a terminal, without control characters. */
export const printable = (text) =>
  String(text).replaceAll(/\r?\n/g, '⏎').replaceAll(steering, '\ufffd');

/** JSON on one line, for programs; control characters are escaped. */
export const jsonLine = (value) =>
  JSON.stringify(value).replaceAll(
    steering,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const figures = new Intl.NumberFormat('id-ID');

/** An amount in the local notation: `Rp1.500`. */
export const rupiah = (amount) => `Rp${figures.format(amount)}`;
