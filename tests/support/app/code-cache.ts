import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Where started applications keep their compiled code from one start to the next, as `npm start` has it. */
export const codeCache = join(root, 'node_modules/.cache/code');

/** The entry of a started application: the bundle that the stages of `npm test` made, otherwise the sources. */
export const serverEntry = resolve(root, process.env['SERVER_ENTRY'] ?? 'src/server/main.ts');
