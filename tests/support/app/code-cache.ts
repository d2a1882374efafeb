import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Compiled code that started applications share between starts, as with `npm start`. */
export const codeCache = join(root, 'node_modules/.cache/code');

/** Entry of a started application: the bundle that `npm test` builds, otherwise the sources. */
export const serverEntry = resolve(root, process.env['SERVER_ENTRY'] ?? 'src/server/main.ts');
