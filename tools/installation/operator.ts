import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runOperator } from './run.ts';

// As `npm start` reads it; the environment takes precedence.
const settingsFile = join(import.meta.dirname, '../../.env');
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);

process.exitCode = await runOperator(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
