import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { loadImage, type ConversationMessage } from '#contract/messages.ts';
import { useAct } from '#web/api/query.ts';
import { messageKey, threadKey } from '#web/features/messages/queryKeys.ts';
import type { ImageLoading } from '#web/ui/chat/cards/FileCard.tsx';

const POLL_MS = 1_000;
/** Longer than all attempts of the server together. */
const WAIT_MS_MAX = 120_000;

type Content = ConversationMessage['content'];
type Linked = Pick<ConversationMessage, 'id' | 'peer' | 'token' | 'content'>;

export function useLinkedImage({ id, peer, token, content }: Linked): {
  content: Content;
  loading: ImageLoading | undefined;
} {
  const client = useQueryClient();
  const { perform } = useAct(loadImage);
  const [loaded, setLoaded] = useState<Content>();
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const load = async () => {
    const until = Date.now() + WAIT_MS_MAX;
    for (;;) {
      const answer = await perform({ message_id: id });
      if (answer.state === 'ready') {
        setLoaded(answer.content);
        await client.invalidateQueries({ queryKey: threadKey(token.id, peer) });
        await client.invalidateQueries({ queryKey: messageKey(id) });
        return 'idle';
      }
      if (answer.state === 'failed' || isGone.current || Date.now() > until) return 'failed';
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const onLoad = () => {
    setState('busy');
    void load().then(setState, () => setState('failed'));
  };
  const loading = { onLoad, isBusy: state === 'busy', hasFailed: state === 'failed' };
  return content.external
    ? { content: loaded ?? content, loading }
    : { content, loading: undefined };
}
