import { useState } from 'react';
import { formatTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';

/** A message before it is sent, as its thread will show it. */
export function AttachPreview({ message }: { message: ChatMessage }) {
  const { timezone } = useUser();
  const [now] = useState(() => new Date());
  return (
    <div className={classes('grid align-center border rounded-lg paper', styles['preview'])}>
      <ChatList label="Pratinjau">
        <ChatBubble
          side="out"
          sender="Anda"
          time={formatTime(now, timezone)}
          at={now}
          message={message}
        />
      </ChatList>
    </div>
  );
}
