import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { listTemplates, TEMPLATE_LIMITS, type Template } from '#contract/messages/templates.ts';
import { perform } from '#web/api/act.ts';
import { fullListQuery } from '#web/api/lists/fullList.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

type Named = { name: string; language: string };

/** One template; null when none has its name and language. */
export const templateQuery = ({ name, language }: Named) =>
  queryOptions({
    queryKey: [...listKey(listTemplates), 'one', name, language],
    queryFn: async ({ signal }): Promise<Template | null> =>
      (await perform(listTemplates, { name, language }, { signal })).rows[0] ?? null,
  });

/** Whether the account has as many templates as it may. */
export const templatesFullQuery = fullListQuery(listTemplates, TEMPLATE_LIMITS.all, {});

export function useTemplatesChanged(): (template?: Template) => void {
  const client = useQueryClient();
  return (template) => {
    if (template) client.setQueryData(templateQuery(template).queryKey, template);
    void client.invalidateQueries({ queryKey: listKey(listTemplates) });
  };
}
