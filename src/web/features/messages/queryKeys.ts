/** Unread messages in all conversations: also followed in a tab that nobody looks at, for its title. */
export const unreadKey = ['conversations', 'unread'] as const;

/** One conversation's messages. */
export const threadKey = (tokenId: string, peer: string) => ['thread', tokenId, peer] as const;

/** One message with everything that is known of it. */
export const messageKey = (id: string) => ['one_message', id] as const;

/** Which phones receive nothing more from a token. */
export const optoutsKey = ['optouts'] as const;

/** The saved views of the table. */
export const viewsKey = ['views'] as const;

/** The account's quick replies: the name of the act that lists them. */
export const quickRepliesKey = ['quick_reply_list'] as const;
