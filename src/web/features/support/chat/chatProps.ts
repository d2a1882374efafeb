import type { ReactNode } from 'react';
import type { SupportCard } from '#contract/support.ts';
import type { ComposerOffer } from '#web/ui/chat/composer/Composer.tsx';
import type { SupportPort } from '#web/features/support/port.ts';

export type ComposerOptions = {
  placeholder?: string;
  /** Put into the box, when it is empty and this changes. */
  text?: string;
  /** What is written goes to operators alone. */
  internal?: boolean;
  /** Over the box, by what stands in it: answers that are written often. */
  offer?: (text: string, write: (text: string) => void) => ComposerOffer | undefined;
  /** Something was written; '' when the box is empty again. */
  onWrite?: (text: string) => void;
  /** Asked before anything is sent; what is written stays when the answer is no. */
  maySend?: () => Promise<boolean>;
};

export type SupportChatProps = {
  port: SupportPort;
  /** Who is on the other side, as lines without an author are signed. */
  name: string;
  /** Why nothing can be written; in place of the composer. */
  blocked?: ReactNode;
  /** In place of the lines while there is none. */
  empty?: ReactNode;
  /** Below the newest line: a question that waits for an answer. */
  foot?: ReactNode;
  /** Above the composer: a warning, suggestions. */
  above?: ReactNode;
  /** What the next line is about, with a way to leave it out. */
  about?: { card: SupportCard; onRemove: () => void; onSent: () => void } | undefined;
  composer?: ComposerOptions;
};
