import { keyIsAbout, type LivePatches } from '#web/live/patches.ts';

const tokens = keyIsAbout('tokens', 'token_');

const templates = keyIsAbout('templates', 'template_');

export const tokenPatches: LivePatches = {
  follows: (key) => tokens(key) || templates(key),
  on: {
    'token.changed': (_event, { refetch }) => refetch(tokens),
    'template.changed': (_event, { refetch }) => refetch(templates),
  },
};
