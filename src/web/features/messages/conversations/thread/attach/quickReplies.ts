import { deleteQuickReply, listQuickReplies, saveQuickReply } from '#contract/messages/sending.ts';
import type { Replies } from '#web/ui/chat/replies/stored.ts';

export const quickReplies: Replies = {
  list: listQuickReplies,
  save: saveQuickReply,
  remove: deleteQuickReply,
  words: {
    title: 'Balasan cepat',
    one: 'balasan',
    person: 'nama kontak',
    others: 'Balasan ini tidak dapat dipakai lagi, juga oleh rekan Anda.',
  },
};
