import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const program = join(root, 'tools/cli/kabari.mjs');

type Ended = { code: number | null; out: string; err: string };

export function ended(file: string, given: readonly string[], env: Record<string, string>) {
  return new Promise<Ended>((done) => {
    const child = spawn(file, given, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (more: string) => (out += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (err += more));
    child.on('close', (code) => done({ code, out, err }));
  });
}

export const kabari = (env: Record<string, string>, ...given: string[]) =>
  ended(process.execPath, [program, ...given], env);
