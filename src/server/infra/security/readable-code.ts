import { randomInt } from 'node:crypto';

/** Without letters and digits that look alike: almost five bits each. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A random code in groups that can be read aloud and typed from paper. */
export function readableCode({ groups, length }: { groups: number; length: number }): string {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)] ?? '';
  const group = () => Array.from({ length }, letter).join('');
  return Array.from({ length: groups }, group).join('-');
}
