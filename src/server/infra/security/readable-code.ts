import { randomInt } from 'node:crypto';

/** No letters or digits that look alike: almost five bits each. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Letters and digits by chance, in groups that can be read aloud and typed from paper. */
export function readableCode({ groups, length }: { groups: number; length: number }): string {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)] ?? '';
  const group = () => Array.from({ length }, letter).join('');
  return Array.from({ length: groups }, group).join('-');
}
