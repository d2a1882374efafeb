/** What a token may be allowed to do, whichever dialect its key is used in. */
export const scopes = [
  'messages.send',
  'messages.read',
  'media',
  'account.read',
  'link',
  'webhooks',
  'opt_outs',
  'agent',
] as const;
export type Scope = (typeof scopes)[number];

/** What a token may do unless its owner says otherwise: all but let an assistant (MCP) send by itself. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'agent');
