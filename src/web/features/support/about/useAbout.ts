import { skipToken, useQuery } from '@tanstack/react-query';
import { supportCard, type SupportSubject } from '#contract/support.ts';
import { perform } from '#web/api/act.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import type { SupportChatProps } from '#web/features/support/chat/chatProps.ts';

type Subject = { type: SupportSubject; id: string };

export function useAbout(): {
  shown: SupportChatProps['about'];
  choose: (subject: Subject) => void;
} {
  const { about: type, id } = useSearch('/customer-service');
  const input = type && id ? { about_type: type, about_id: id } : undefined;
  const { data: card } = useQuery({
    queryKey: ['support', 'card', input],
    queryFn: input ? ({ signal }) => perform(supportCard, input, { signal }) : skipToken,
  });
  const leave = () => void navigate({ to: '/customer-service', replace: true, resetScroll: false });
  return {
    shown: card ? { card, onRemove: leave, onSent: leave } : undefined,
    choose: (subject) =>
      void navigate({
        to: '/customer-service',
        search: { about: subject.type, id: subject.id },
        replace: true,
        resetScroll: false,
      }),
  };
}
