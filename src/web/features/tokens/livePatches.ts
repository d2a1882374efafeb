import { keyIsAbout, type LivePatches } from '#web/live/patches.ts';

const tokens = keyIsAbout('tokens', 'token_');

/** Keeps tokens current. */
export const tokenPatches: LivePatches = {
  follows: tokens,
  on: { 'token.changed': (_event, { refetch }) => refetch(tokens) },
};
