import type { QueryClient } from '@tanstack/react-query';
import { addLine } from '#web/features/support/lines.ts';
import { followOutbox } from '#web/features/support/outbox/outbox.ts';
import { OWN, sendOwn } from '#web/features/support/queries.ts';

export const resumeOwnLines = (client: QueryClient): (() => void) =>
  followOutbox({
    thread: OWN,
    send: sendOwn,
    onSent: (line) => addLine(client, OWN, line),
  });
