import { sha256 } from '#server/infra/security/secrets.ts';

const PREFIX = '3EB0';
const DIGITS = 18;

/**
 * The network's id of a message of ours: always the same, so that a try after a crash is the same message. In the shape
 * of the network's own web client: 22 characters.
 */
export const wireIdOf = (messageId: string): string =>
  PREFIX + sha256(`web:${messageId}`).toString('hex').slice(0, DIGITS).toUpperCase();
