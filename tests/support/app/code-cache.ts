import { join } from 'node:path';

/** Where started applications keep their compiled code from one start to the next, as `npm start` has it. */
export const codeCache = join(import.meta.dirname, '../../../node_modules/.cache/code');
