type Conversation = { token_id: string; peer: string };

export const conversationUrl = ({ token_id, peer }: Conversation): string =>
  `/message-history?${new URLSearchParams({ view: 'percakapan', open: token_id, peer })}`;

/** The conversation that an address shows; `undefined` for any other page. */
export function conversationAt(path: string): Conversation | undefined {
  const [before, query] = path.split('?', 2);
  const params = new URLSearchParams(query?.split('#', 1)[0]);
  const [token_id, peer] = [params.get('open'), params.get('peer')];
  return before === '/message-history' && token_id && peer ? { token_id, peer } : undefined;
}
