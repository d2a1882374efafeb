import { join, resolve } from 'node:path';

/** Where started applications keep their compiled code from one start to the next, as `npm start` has it. */
export const codeCache = join(import.meta.dirname, '../../../node_modules/.cache/code');

const root = join(import.meta.dirname, '../../..');

/** What a started application is: the bundle that the stages of `npm test` made, else the sources. */
export const serverEntry = resolve(root, process.env['SERVER_ENTRY'] ?? 'src/server/main.ts');
