import type {
  TemplateCategory,
  TemplateFile,
  TemplateStatus,
} from '#contract/messages/templates.ts';
import type { TemplateButtonKind } from '#server/domains/channels/channels.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** A template as it is stored. */
export type StoredTemplate = {
  name: string;
  language: string;
  category: TemplateCategory;
  header: string | null;
  /** The kind of the file above the text. */
  header_file: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: readonly string[];
  /** What each of the buttons is; empty where all are replies. */
  button_kinds: readonly TemplateButtonKind[];
  status: TemplateStatus;
  reason: string | null;
  /** Its id at the network that reviews it; null where none does. */
  network_id: string | null;
  /** The tokens whose numbers that network lets send it. */
  token_ids: readonly string[];
  created_at: Date;
};

/** What is read of a template. */
export const templateColumns = (tx: Sql | Tx): Fragment => tx`
  name, language, category, header, header_file, body, footer, buttons, button_kinds, status,
  reason, network_id, token_ids, created_at`;

/** The account's templates in all their languages: of these names, or all. */
export async function readTemplates(
  tx: Sql | Tx,
  accountId: string,
  names: readonly string[] | undefined,
): Promise<readonly StoredTemplate[]> {
  if (names?.length === 0) return [];
  return tx<StoredTemplate[]>`
    select ${templateColumns(tx)} from message_templates
    where account_id = ${accountId}
      ${names ? tx`and name = any (${[...new Set(names)]}::text[])` : tx``}
    order by name, language`;
}
