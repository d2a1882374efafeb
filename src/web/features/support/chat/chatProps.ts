import type { ReactNode } from 'react';
import type { SupportCard } from '#contract/support.ts';
import type { ComposerOffer } from '#web/ui/chat/composer/Composer.tsx';
import type { SupportPort } from '#web/features/support/port.ts';

export type ComposerOptions = {
  placeholder?: string;
  text?: string;
  internal?: boolean;
  /** Suggestions over the box for its current text: canned replies. */
  offer?: (text: string, write: (text: string) => void) => ComposerOffer | undefined;
  /** Called on each change; '' when the box is empty again. */
  onWrite?: (text: string) => void;
  /** Asked before sending; the text stays when it resolves to false. */
  maySend?: () => Promise<boolean>;
};

export type SupportChatProps = {
  port: SupportPort;
  name: string;
  blocked?: ReactNode;
  empty?: ReactNode;
  foot?: ReactNode;
  above?: ReactNode;
  about?: { card: SupportCard; onRemove: () => void; onSent: () => void } | undefined;
  composer?: ComposerOptions;
};
