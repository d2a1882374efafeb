import type { Template } from '#contract/messages/templates.ts';
import type { NewTemplate } from '#contract/rest/templates.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

/** What these endpoints need of templates. */
export type TemplateCalls = {
  /** Those of one name, or all. */
  list: (sender: ApiSender, name?: string) => Promise<Template[]>;
  add: (sender: ApiSender, template: NewTemplate) => Promise<Template>;
  remove: (sender: ApiSender, name: string, language: string | undefined) => Promise<void>;
};

export const templateHandlers = ({
  list,
  add,
  remove,
}: TemplateCalls): Handlers<
  'listTemplates' | 'addTemplate' | 'getTemplate' | 'removeTemplate'
> => ({
  listTemplates: async ({ sender }) => ({ data: await list(sender) }),
  addTemplate: ({ sender, body }) => add(sender, body),
  getTemplate: async ({ sender, id }) => ({ data: await list(sender, id) }),
  removeTemplate: async ({ sender, id, query: { language }, reply }) => {
    await remove(sender, id, language);
    return reply.code(204).send();
  },
});
