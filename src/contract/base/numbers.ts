import * as z from 'zod/mini';

type Bounds = {
  /** What is said when nothing was written, and of everything that is no whole number. */
  missing?: string;
  sentence?: string;
  minimum: number;
  maximum?: number;
  tooSmall?: string;
  tooBig?: string;
};

/**
 * A whole number as forms and addresses write it: decimal digits, and nothing else.
 *
 * What programs also read as numbers, a sign, an exponent, hexadecimal, a blank or a line's end around it,
 * is refused: nobody's money or page shall be what somebody may have meant. Callers in our own language
 * may give the number itself.
 */
export const WholeNumber = ({
  sentence = 'Tulis angka bulat.',
  missing = sentence,
  minimum,
  maximum = Number.MAX_SAFE_INTEGER,
  tooSmall,
  tooBig,
}: Bounds) =>
  z.pipe(
    z.transform(numberOf),
    z
      .int({ error: ({ input }) => (input === undefined ? missing : sentence) })
      .check(z.minimum(minimum, tooSmall), z.maximum(maximum, tooBig)),
  );

function numberOf(given: string | number): number | undefined {
  if (typeof given !== 'string') return given;
  if (given === '') return undefined;
  return /^[0-9]{1,16}$/.test(given) ? Number(given) : Number.NaN;
}
