import * as z from 'zod/mini';
import { schema } from '#contract/base/schema.ts';

/** Why an operator did it, or decided so; kept with what was done. */
export const Reason = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(3, 'Tulis alasannya.'),
      z.maxLength(300, 'Alasan paling panjang 300 karakter.'),
    ),
);
