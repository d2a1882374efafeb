/** Unread messages in all conversations; also updated in hidden tabs, for the title. */
export const unreadKey = ['conversations', 'unread'] as const;

export const threadKey = (tokenId: string, peer: string) => ['thread', tokenId, peer] as const;

export const messageKey = (id: string) => ['one_message', id] as const;

/** The phones that opted out of a token. */
export const optoutsKey = ['optouts'] as const;

export const viewsKey = ['views'] as const;

/** The account's quick replies: the name of the act that lists them. */
export const quickRepliesKey = ['quick_reply_list'] as const;
