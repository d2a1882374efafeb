import { useQuery } from '@tanstack/react-query';
import type { SupportSubject } from '#contract/support.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import type { SupportChatProps } from '#web/features/support/chat/chatProps.ts';
import { subjectQuery } from '#web/features/support/about/subjectQuery.ts';

type Subject = { type: SupportSubject; id: string };

/** What the next line is about, as the address says. */
export function useAbout(): {
  shown: SupportChatProps['about'];
  choose: (subject: Subject) => void;
} {
  const { about: type, id } = useSearch('/customer-service');
  const { data: card } = useQuery({
    ...subjectQuery(type ?? 'message', id ?? ''),
    enabled: type !== undefined && id !== undefined,
  });
  const leave = () => void navigate({ to: '/customer-service', replace: true, resetScroll: false });
  const isAsked = type !== undefined && card?.id === id;
  return {
    shown: isAsked && card ? { card, onRemove: leave, onSent: leave } : undefined,
    choose: (subject) =>
      void navigate({
        to: '/customer-service',
        search: { about: subject.type, id: subject.id },
        replace: true,
        resetScroll: false,
      }),
  };
}
