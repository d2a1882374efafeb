import type * as z from 'zod/mini';
import { once } from './once.ts';

/**
 * Declares a schema: `Phone` says how it is made, `Phone()` is the schema itself. It is made when it is
 * first asked for, once, so that a page which imports a subject makes none that it does not use
 * (docs/decisions/019-web-performance.md).
 */
export const schema = <Schema extends z.ZodMiniType>(make: () => Schema): (() => Schema) =>
  once(make);

/** What a declared schema reads: `type User = Output<typeof User>`. */
export type Output<Declared extends () => z.ZodMiniType> = z.output<ReturnType<Declared>>;
