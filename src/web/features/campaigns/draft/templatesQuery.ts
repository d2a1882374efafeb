import { queryOptions } from '@tanstack/react-query';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { listTemplates, TEMPLATE_LIMITS } from '#contract/messages/templates.ts';
import { perform } from '#web/api/act.ts';
import { allPages } from '#web/api/lists/allPages.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

export const templatesQuery = (tokenId: string) =>
  queryOptions({
    queryKey: [...listKey(listTemplates), 'approved', tokenId, 'all'],
    queryFn: ({ signal }) =>
      allPages(
        (page) =>
          perform(listTemplates, { status: 'approved', token_id: tokenId, page }, { signal }),
        Math.ceil(TEMPLATE_LIMITS.all / PAGE_SIZE),
      ),
  });
