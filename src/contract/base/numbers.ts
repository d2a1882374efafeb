import * as z from 'zod/mini';

type Bounds = {
  missing?: string;
  sentence?: string;
  minimum: number;
  maximum?: number;
  tooSmall?: string;
  tooBig?: string;
};

/**
 * A whole number as forms and addresses write it: decimal digits only.
 *
 * Signs, exponents, hexadecimal and surrounding blanks or line ends are refused: a guess could change an amount or a
 * page. Internal callers may pass a number.
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
