import { sha256 } from '#server/infra/security/secrets.ts';

const PREFIX = '3EB0';
const DIGITS = 18;

/**
 * The network's id of our message: constant, so that a retry is the same message, and of the shape of its own web
 * client: 22 characters.
 */
export const wireIdOf = (messageId: string): string =>
  PREFIX + sha256(`web:${messageId}`).toString('hex').slice(0, DIGITS).toUpperCase();
