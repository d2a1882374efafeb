import type { SocketConfig } from 'baileys';

/** The library's own log: it would name numbers and texts. */
export const silent: SocketConfig['logger'] = {
  level: 'silent',
  child: () => silent,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
