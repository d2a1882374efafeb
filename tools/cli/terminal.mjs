/** What the command line says, and how it ends. */

/** How a command ends: the process's exit code. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, interrupted: 130 };

/** A reason to stop, said in a sentence. */
export class Stop extends Error {
  /** @param {string} sentence @param {number} code */
  constructor(sentence, code) {
    super(sentence);
    this.code = code;
  }
}

// Controls, and what turns the direction of a line: a text of a stranger could steer the terminal.
const steering = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Somebody else's text on one line of a terminal, unable to steer it. */
export const printable = (text) =>
  String(text).replaceAll(/\r?\n/g, '⏎').replaceAll(steering, '\ufffd');

/** JSON on one line, for programs; what could steer a terminal is escaped. */
export const jsonLine = (value) =>
  JSON.stringify(value).replaceAll(
    steering,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const figures = new Intl.NumberFormat('id-ID');

/** An amount as people write it: `Rp1.500`. */
export const rupiah = (amount) => `Rp${figures.format(amount)}`;
