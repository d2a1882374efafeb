import type { CampaignContent } from '#contract/campaigns/content.ts';
import { fillContent } from '#contract/campaigns/content.ts';
import { variableKey } from '#contract/campaigns/variables.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { foldBlanks } from '#contract/messages/templates.ts';
import { NewMessage } from '#contract/rest/new-message.ts';

/** Whom a message goes to, and what its variables are filled with, by column. */
export type Addressee = { peer: string; cells: readonly string[] };

/**
 * A recipient's message, as it is placed; undefined where it cannot be one, filled in: too long, or empty.
 *
 * @param ref what it is placed under.
 */
export function messageFor(
  content: CampaignContent,
  columns: readonly string[],
  { peer, cells, ref }: Addressee & { ref: string },
): NewMessage | undefined {
  const values = new Map(columns.map((name, index) => [variableKey(name), cells[index] ?? '']));
  const read = NewMessage().safeParse({
    to: writtenPeer(peer),
    ref,
    priority: 'bulk',
    ...bodyOf(fillContent(content, values)),
  });
  return read.success ? read.data : undefined;
}

function bodyOf(content: CampaignContent): object {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.text } };
    case 'file': {
      const { id, as, name } = content.file;
      const file = as === 'document' ? { id, filename: name } : { id };
      return { type: as, [as]: file, ...(as !== 'audio' && { caption: content.caption }) };
    }
    case 'location': {
      const { type, ...location } = content;
      return { type, location };
    }
    case 'template': {
      const { type, name, language, variables } = content;
      return { type, template: { name, language, variables: variables.map(foldBlanks) } };
    }
  }
}
