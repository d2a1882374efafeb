import { listTemplates, type Template } from '#contract/messages/templates.ts';
import { perform } from '#web/api/act.ts';

/** All templates of an account: 250 at most, ten to a page. */
async function readTemplates(signal: AbortSignal): Promise<readonly Template[]> {
  const rows: Template[] = [];
  for (let page = 0; ; page += 1) {
    const answer = await perform(listTemplates, { page }, { signal });
    rows.push(...answer.rows);
    if (page + 1 >= (answer.totalPages ?? 0)) return rows;
  }
}

/** All templates of the account. */
export const templatesQuery = {
  queryKey: ['template_list', 'all'] as const,
  queryFn: ({ signal }: { signal: AbortSignal }) => readTemplates(signal),
};
