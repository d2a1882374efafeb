import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const Package = z.object({ version: z.string() });
const file = join(import.meta.dirname, '../../..', 'package.json');

/** The release that runs: the package's version. */
export const RELEASE: string = Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
