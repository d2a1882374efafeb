import { queryOptions } from '@tanstack/react-query';
import type { Act } from '#contract/base/act.ts';
import type {
  deleteQuickReply,
  listQuickReplies,
  saveQuickReply,
} from '#contract/messages/sending.ts';
import { perform } from '#web/api/act.ts';
import type { ReplyWords } from '#web/ui/chat/replies/replies.ts';

/** An act with the input and output of another one, for other callers. */
type ActLike<Model extends Act> = Act<
  string,
  Act['by'],
  Model['input'],
  Model['output'],
  undefined
>;

export type Replies = {
  list: ActLike<typeof listQuickReplies>;
  save: ActLike<typeof saveQuickReply>;
  remove: ActLike<typeof deleteQuickReply>;
  words: ReplyWords;
};

export const repliesQuery = ({ list }: Pick<Replies, 'list'>) =>
  queryOptions({
    queryKey: [list.name],
    queryFn: async ({ signal }) => (await perform(list, {}, { signal })).replies,
    staleTime: 5 * 60_000,
  });
