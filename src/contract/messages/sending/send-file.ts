import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { TypedPeer } from '#contract/messages/peer.ts';
import { ConversationMessage, sendRefusals } from '#contract/messages.ts';
import { CAPTION_MAX } from '#contract/rest/limits.ts';

/** Sends one file from the browser: an upload for `media`, as the type of message that carries such a file. */
export const sendFile = act({
  name: 'message_send_file',
  by: 'customer',
  changes: true,
  input: () => ({
    token_id: IdInput('token'),
    to: TypedPeer(),
    upload: IdInput('upload'),
    /** Of a sound, which has none, it is left out. */
    caption: z.optional(
      z
        .string()
        .check(z.maxLength(CAPTION_MAX, `Keterangan paling panjang ${CAPTION_MAX} karakter.`)),
    ),
    /** A message of this conversation that it answers. */
    reply_to: z.optional(IdInput('message')),
  }),
  output: ConversationMessage,
  refuses: [...sendRefusals, 'upload_gone', 'storage_full', 'media_not_found'],
});
