import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { syncTemplateList } from '#contract/messages/templates.ts';
import { useAct } from '#web/api/query.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { useTemplatesChanged } from '#web/features/tokens/templates/queries.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function useTemplateSync() {
  const { data: tokens } = useQuery(allTokensQuery);
  const changed = useTemplatesChanged();
  const sync = useAct(syncTemplateList, {
    onSuccess: () => {
      changed();
      toast('Templat diperbarui dari Meta.', { tone: 'success' });
    },
  });
  const isOffered =
    tokens?.some(({ channel, phone }) => channel === 'cloud' && phone !== null) ?? false;
  return {
    error: sync.error,
    button: isOffered && (
      <Button
        variant="outline"
        tone="neutral"
        icon={<RefreshCw size={18} aria-hidden="true" />}
        busy={sync.busy}
        onClick={() => sync.busy || sync.mutate({})}
      >
        Perbarui dari Meta
      </Button>
    ),
  };
}
