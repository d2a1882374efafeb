import { keyIsAbout, type LivePatches } from '#web/live/patches.ts';

const tokens = keyIsAbout('tokens', 'token_');

const templates = keyIsAbout('templates', 'template_');

/** Keeps tokens and templates current. */
export const tokenPatches: LivePatches = {
  follows: (key) => tokens(key) || templates(key),
  on: {
    'token.changed': (_event, { refetch }) => refetch(tokens),
    'template.changed': (_event, { refetch }) => refetch(templates),
  },
};
